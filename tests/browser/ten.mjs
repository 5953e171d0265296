// Uploads one PDF, asks questions and opens every source; one line of JSON a source: question number, page, quote, marks.
// node tests/browser/ten.mjs ADDRESS UPLOAD.pdf QUESTIONS.json
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const [address, upload, asked] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(asked, "utf8"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: "--headless --no-sandbox --disable-gpu --no-first-run --disable-background-networking".split(" "),
});
const context = await browser.newContext({ viewport: { width: 1380, height: 860 }, reducedMotion: "reduce" });
const page = await context.newPage();
page.setDefaultTimeout(60_000);
await page.goto(`${address}/#/documents`);
await page.setInputFiles("input[type=file]", [upload]);
await page.waitForSelector(".files li.done");

for (const [number, question] of questions.entries()) {
  await page.goto(`${address}/#/`);
  await page.reload();
  await page.fill("#question", question);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn:last-child[aria-busy=false]");
  const answer = await page.evaluate(async () => {
    const id = location.hash.split("/")[2];
    return id ? (await fetch(`/api/answers/${id}`)).json() : { outcome: "none", citations: [] };
  });
  if (answer.outcome !== "answered") console.log(JSON.stringify({ number, outcome: answer.outcome }));
  for (const cited of answer.outcome === "answered" ? answer.citations : []) {
    await page.locator(`[data-cite='${cited.n}']`).first().evaluate((mark) => mark.click());
    await page.waitForFunction((n) => document.querySelector(".reader .n")?.textContent === n, String(cited.n));
    // Its address opens the same source in a page that holds nothing of the one before.
    await page.goto(`${address}/#/answer/${answer.id}/${cited.n}`);
    await page.reload();
    await page.waitForFunction((n) => document.querySelector(".reader .n")?.textContent === n, String(cited.n));
    await page.waitForSelector(".mark");
    await page.waitForTimeout(300);
    const marks = await page.evaluate(() => {
      const image = document.querySelector(".sheet img").getBoundingClientRect();
      return [...document.querySelectorAll(".mark")].map((mark) => {
        const m = mark.getBoundingClientRect();
        return {
          x0: (m.left - image.left) / image.width,
          y0: (m.top - image.top) / image.height,
          x1: (m.right - image.left) / image.width,
          y1: (m.bottom - image.top) / image.height,
        };
      });
    });
    const shown = Number(await page.locator(".reader input").first().inputValue());
    console.log(JSON.stringify({ number, outcome: "answered", page: shown, cited: cited.page, quote: cited.quote, marks }));
    await page.keyboard.press("Escape");
  }
}
await browser.close();
