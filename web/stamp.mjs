// Writes the hash of the sources beside the built files, so that a test without Node can tell whether they belong together.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const here = import.meta.dirname;
const out = join(here, "../src/citeleaf/surfaces/web/static");
const sources = ["index.html", "package.json", "package-lock.json", "svelte.config.js", "tsconfig.json", "vite.config.ts"];
for (const folder of ["public", "src"]) {
  for (const file of readdirSync(join(here, folder), { recursive: true, withFileTypes: true })) {
    if (file.isFile()) sources.push(join(file.parentPath, file.name).slice(here.length + 1).replaceAll("\\", "/"));
  }
}
const digest = (path) => createHash("sha256").update(readFileSync(path)).digest("hex");
const lines = sources.sort().map((name) => `${digest(join(here, name))}  ${name}\n`);
const built = readdirSync(out, { recursive: true, withFileTypes: true })
  .filter((file) => file.isFile() && file.name !== "build.txt")
  .map((file) => join(file.parentPath, file.name).slice(out.length + 1).replaceAll("\\", "/"))
  .sort();
const made = built.map((name) => `${digest(join(out, name))}  ${name}\n`);
writeFileSync(join(out, "build.txt"), `# sources\n${lines.join("")}# built\n${made.join("")}`);
