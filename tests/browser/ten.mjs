// Uploads one PDF, asks questions and opens every source; one line of JSON a source: question number, page, quote, marks.
// node tests/browser/ten.mjs ADDRESS UPLOAD.pdf QUESTIONS.json
import { readFileSync } from "node:fs";
import { launch, marks } from "./marks.mjs";

const [address, upload, asked] = process.argv.slice(2);
const questions = JSON.parse(readFileSync(asked, "utf8"));
const browser = await launch();
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
    const shown = Number(await page.locator(".reader input").first().inputValue());
    const found = { page: shown, cited: cited.page, quote: cited.quote, marks: await marks(page) };
    console.log(JSON.stringify({ number, outcome: "answered", ...found }));
    await page.keyboard.press("Escape");
  }
}
await browser.close();
