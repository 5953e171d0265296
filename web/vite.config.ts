import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vite";

const server = process.env.CITELEAF_ADDRESS ?? "http://127.0.0.1:8642";

export default defineConfig({
  plugins: [svelte()],
  // `npm run dev` sends what is not the page's own to a running `citeleaf serve`.
  server: { proxy: { "/api": server, "/healthz": server } },
  build: {
    outDir: "../src/citeleaf/surfaces/web/static",
    emptyOutDir: true,
    target: ["chrome125", "firefox128", "safari17.5"],
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: true,
  },
});
