// Drives the page in Chromium and prints one line of JSON a check: {"check": …, "ok": …, "detail": …}.
// node tests/browser/page.mjs ADDRESS UPLOAD.pdf BROKEN.pdf PICTURES
import { readFileSync } from "node:fs";
import { launch, marks, require } from "./marks.mjs";
import { payloads } from "./payloads.mjs";

const AXE = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [address, upload, broken, pictures] = process.argv.slice(2);
const THEFT = "How soon must a theft be reported to the police?";

const browser = await launch();
const foreign = [];
const errors = [];
const dialogs = [];

async function open(options = {}, hash = "#/") {
  const context = await browser.newContext({
    viewport: { width: 1380, height: 860 },
    reducedMotion: "reduce",
    locale: "en-GB",
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("request", (r) => {
    if (!r.url().startsWith(address) && !r.url().startsWith("blob:")) foreign.push(r.url());
  });
  page.on("pageerror", (e) => errors.push(e.message));
  page.on("dialog", (d) => {
    dialogs.push(d.message());
    void d.dismiss();
  });
  await page.goto(`${address}/${hash}`);
  await page.waitForSelector("main h1, main .problem, main article");
  return page;
}

const say = (check, ok, detail = null) => console.log(JSON.stringify({ check, ok: Boolean(ok), detail }));
const shot = (page, name) => page.screenshot({ path: `${pictures}/${name}.png` });

async function check(name, work) {
  try {
    const detail = await work();
    say(name, true, detail ?? null);
  } catch (error) {
    say(name, false, String(error.message).slice(0, 2000));
  }
}

function must(held, what) {
  if (!held) throw new Error(what);
}

async function ask(page, question) {
  await page.fill("#question", question);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn:last-child[aria-busy=false]");
  await page.waitForFunction(
    (q) => document.querySelector(".turn:last-child h2")?.textContent === q,
    question,
  );
}

async function axe(page, view) {
  await page.evaluate(AXE);
  const found = await page.evaluate(() =>
    window.axe.run(document, {
      runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
    }),
  );
  const told = found.violations.map((v) => `${view}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 160)).join(" | ")}`);
  must(!told.length, told.join("\n"));
}

const wide = async (page, view) => {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  must(over <= 0, `${view}: ${over} px too wide`);
};

await check("answer", async () => {
  const page = await open();
  await ask(page, THEFT);
  const states = await page.locator(".claim").first().locator(".states li").allTextContents();
  must(states.length === 3 && states.every((s) => s.trim()), `states: ${states}`);
  const card = page.locator("[popover]");
  await page.hover("[data-cite='1']");
  await card.waitFor({ state: "visible" });
  const box = await card.boundingBox();
  must(box.x >= 0 && box.y >= 0 && box.x + box.width <= 1380 && box.y + box.height <= 860, "the card is cut off");
  const text = await card.textContent();
  must(/PDF page \d+/.test(text) && /printed \d+/.test(text), `card: ${text}`);
  await shot(page, "card");
  await page.keyboard.press("Escape");
  await card.waitFor({ state: "hidden" });
  await page.click("[data-cite='1']");
  await page.waitForSelector(".mark");
  await page.waitForTimeout(300);
  const inView = await page.evaluate(() => {
    const desk = document.querySelector(".desk").getBoundingClientRect();
    const m = document.querySelector(".mark").getBoundingClientRect();
    return m.top >= desk.top && m.bottom <= desk.bottom;
  });
  must(inView, "the marked words are not in view");
  const answer = await page.evaluate(async () => (await fetch(`/api/answers/${location.hash.split("/")[2]}`)).json());
  const [cited] = answer.citations;
  await shot(page, "answer");
  return { marks: await marks(page), page: cited.page, quote: cited.quote, doc: cited.doc_id };
});

await check("text-of-the-page-can-be-selected", async () => {
  const page = await open();
  await ask(page, THEFT);
  await page.click("[data-cite='1']");
  await page.waitForSelector(".words span");
  const text = await page.evaluate(() => {
    const layer = document.querySelector(".words");
    getSelection().selectAllChildren(layer);
    return getSelection().toString();
  });
  must(/report a theft, or an attempt at it/.test(text.replace(/\s+/g, " ")), text.slice(0, 300));
  const off = await page.evaluate(() => {
    const sheet = document.querySelector(".sheet").getBoundingClientRect();
    return [...document.querySelectorAll(".words span")].filter((s) => {
      const r = s.getBoundingClientRect();
      return r.left < sheet.left - 2 || r.right > sheet.right + 12 || r.bottom > sheet.bottom + 2;
    }).length;
  });
  must(off === 0, `${off} words lie off the page`);
});

await check("keyboard", async () => {
  const page = await open();
  await page.keyboard.press("/");
  must(await page.evaluate(() => document.activeElement.id === "question"), "/ does not lead to the question");
  await page.keyboard.type(THEFT);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn[aria-busy=false] .cite");
  await page.keyboard.press("Escape");
  await page.keyboard.press("1");
  await page.waitForSelector(".reader");
  await page.keyboard.press("]");
  await page.waitForFunction(() => document.querySelector(".reader .n")?.textContent === "2");
  await page.keyboard.press("[");
  await page.waitForFunction(() => document.querySelector(".reader .n")?.textContent === "1");
  await page.keyboard.press("Escape");
  if (await page.locator(".reader").count()) await page.keyboard.press("Escape");
  await page.waitForSelector(".reader", { state: "detached" });
  must(await page.evaluate(() => document.activeElement.dataset.cite === "1"), "the focus does not return");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.closest(".reader"));
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog[open]");
  await axe(page, "help");
  await page.locator("dialog[open] input[type=checkbox]").uncheck();
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog[open]", { state: "detached" });
  await page.keyboard.press("1");
  await page.waitForTimeout(200);
  must((await page.locator(".reader").count()) === 0, "keys act although they are off");
  await page.goto(`${address}/#/history`);
  await page.waitForSelector("li .badge");
  await page.keyboard.press("?");
  must((await page.locator("dialog[open]").count()) === 0, "keys act although they are off");
});

await check("stop", async () => {
  const page = await open();
  await page.route("**/api/ask", () => undefined);
  await page.fill("#question", THEFT);
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Stop" }).first().click();
  await page.waitForSelector(".turn[aria-busy=false]");
  must(/not a whole answer/.test(await page.locator("article.turn").textContent()), "it does not say that it was stopped");
});

await check("follow-up", async () => {
  const page = await open();
  await ask(page, THEFT);
  await ask(page, "And how soon must it be told to you?");
  must((await page.locator(".turn:last-child .asked q").count()) === 1, "the rewritten question is not shown");
  const address = page.url();
  await page.reload();
  await page.waitForSelector(".turn .outcome");
  must(page.url() === address && /#\/answer\//.test(address), `no permalink: ${address}`);
});

await check("two-tabs", async () => {
  const [first, second] = [await open(), await open()];
  const other = "How soon must a lost device be reported to the security lead?";
  await Promise.all([ask(first, THEFT), ask(second, other)]);
  must(/within 24 hours/.test(await first.locator(".claims").textContent()), "the first tab has another answer");
  must(/within 1 hour/.test(await second.locator(".claims").textContent()), "the second tab has another answer");
});

await check("reload-in-the-middle", async () => {
  const page = await open();
  await page.fill("#question", THEFT);
  await page.keyboard.press("Enter");
  await page.waitForSelector(".turn[aria-busy=true]");
  await page.reload();
  await page.waitForSelector("#question");
  must((await page.locator(".turn[aria-busy=true]").count()) === 0, "a question that nobody waits for is still shown");
  await ask(page, THEFT);
  must(/within 24 hours/.test(await page.locator(".claims").textContent()), "no answer after the reload");
});

await check("ten-thousand-documents", async () => {
  const page = await open();
  await page.route("**/api/documents?*", async (route) => {
    const { documents, ...rest } = await (await route.fetch()).json();
    const many = Array.from({ length: 10_000 }, (_, i) => ({ ...documents[0], id: `doc-${i}`, title: `Leaflet ${i}` }));
    await route.fulfill({ json: { ...rest, documents: many, total: many.length } });
  });
  await page.goto(`${address}/#/documents`);
  await page.waitForSelector(".what > a");
  must((await page.locator(".what > a").count()) === 200, "more rows than a page can bear");
  await page.getByRole("button", { name: "9,800" }).click();
  must((await page.locator(".what > a").count()) === 400, "no further rows");
  await page.fill("input[type=search]", "leaflet 9999");
  await page.waitForFunction(() => document.querySelectorAll(".what > a").length === 1);
});

await check("not-answered", async () => {
  const page = await open();
  await ask(page, "Should I buy this policy?");
  const refused = await page.locator(".turn:last-child").textContent();
  must(/Refused/.test(refused) && /Personal advice is asked for/.test(refused), refused.slice(0, 400));
  must(/value 1, threshold 1/.test(refused), "no value and threshold");
  await shot(page, "refused");
  await page.getByRole("button", { name: "New talk" }).click();
  await ask(page, "What does clause ZX-99471 say?");
  const abstained = await page.locator(".turn:last-child").textContent();
  must(/do not say/.test(abstained) && /unknown_code/.test(abstained), abstained.slice(0, 400));
  await page.locator(".near .passage").first().click();
  await page.waitForSelector(".mark");
  await shot(page, "abstained");
});

await check("no-pages", async () => {
  const page = await open();
  await ask(page, "How soon must a lost device be reported to the security lead?");
  await page.locator(".sources button", { hasText: "Security" }).first().click();
  await page.waitForSelector(".reader mark");
  must(/within 1 hour/.test(await page.locator(".reader mark").textContent()), "other words are marked");
  must(/no pages in this format/.test(await page.locator(".reader").textContent()), "a page was made up");
  await shot(page, "no-pages");
});

await check("trace", async () => {
  const page = await open();
  await ask(page, THEFT);
  await page.click(".trace summary");
  await page.waitForSelector(".trace .body");
  const text = await page.locator(".trace").textContent();
  for (const name of ["BM25", "cosine", "rerank"]) must(text.includes(name), `no score named ${name}`);
  must(!/\d\s*%/.test(text), "a score is shown as a share");
  await page.evaluate(() => document.querySelector(".trace").scrollIntoView());
  await shot(page, "trace");
});

await check("upload", async () => {
  const page = await open({}, "#/documents");
  await page.setInputFiles("input[type=file]", [upload, broken]);
  await page.waitForSelector(".files li.done");
  await page.waitForSelector(".files li.failed");
  must(/not taken in/.test(await page.locator(".files li.failed").textContent()), "no word about what failed");
  await shot(page, "upload");
  await page.locator(".files li.done a").click();
  await page.waitForSelector(".sheet img");
  await page.locator(".reader [aria-label='Show the passages']").click();
  await page.waitForSelector(".box");
  await page.locator(".passages button").first().click();
  await page.waitForSelector(".box.marked");
  await shot(page, "inspector");
  await page.goto(`${address}/#/`);
  await ask(page, "What is the colour of the Quillon lighthouse door?");
  must(/vermilion/.test(await page.locator(".claims").textContent()), "the new document does not answer");
  await page.click("[data-cite='1']");
  await page.waitForSelector(".mark");
  const answer = await page.evaluate(async () => (await fetch(`/api/answers/${location.hash.split("/")[2]}`)).json());
  return { marks: await marks(page), page: answer.citations[0].page, quote: answer.citations[0].quote };
});

await check("source-removed", async () => {
  const page = await open();
  await ask(page, "What is the colour of the Quillon lighthouse door?");
  const permalink = page.url();
  await page.goto(`${address}/#/documents`);
  await page.locator("li", { hasText: "lighthouse" }).locator("button[aria-label^='Take out']").click();
  await page.locator("dialog[open] .danger").click();
  await page.waitForFunction(() => ![...document.querySelectorAll(".what > a")].some((a) => /lighthouse/i.test(a.textContent)));
  await page.goto(permalink);
  await page.reload();
  await page.waitForSelector("main .problem");
  must(/Source removed/.test(await page.locator("main .problem").textContent()), "it does not say so");
  await shot(page, "source-removed");
});

await check("facts-feedback-history", async () => {
  const page = await open();
  await page.getByRole("button", { name: "Case facts" }).click();
  await page.fill("[aria-label='Name of fact 1']", "Premises");
  await page.fill("[aria-label='Fact 1']", "The shop was empty for 70 days.");
  await shot(page, "facts");
  await ask(page, THEFT);
  must(/with 1 case fact/.test(await page.locator("article.turn").textContent()), "the facts are not told apart");
  await page.getByRole("button", { name: "Wrong source" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.waitForSelector(".said");
  await page.goto(`${address}/#/history`);
  await page.waitForSelector("li .badge");
  await shot(page, "history");
  await page.locator("li a").first().click();
  await page.waitForSelector(".turn .outcome");
});

await check("weak-states", async () => {
  const page = await open();
  await ask(page, THEFT);
  const id = page.url().split("/").at(-1);
  const answer = await page.evaluate(async (i) => (await fetch(`/api/answers/${i}`)).json(), id);
  const [claim] = answer.claims;
  const [cited] = answer.citations;
  answer.claims = [
    { ...claim, n: 1, text: "This one cites nothing.", citations: [], verdict: "not_enough_info" },
    { ...claim, n: 2, text: "This one is against its source.", citations: [1], verdict: "refuted" },
  ];
  answer.citations = [{ ...cited, rects: [], quality: "ocr", status: "repaired", support: "refuted" }];
  answer.removed = [{ text: "This one was taken out.", verdict: "refuted", why: "numbers" }];
  answer.dropped = [{ raw: "[9]", why: "not among the evidence" }];
  Object.assign(answer, { id: "weak", outcome: "escalated", reason: "conflict" });
  await page.route("**/api/answers/weak", (route) => route.fulfill({ json: answer }));
  await page.goto(`${address}/#/answer/weak/1`);
  await page.waitForSelector(".claim.refuted");
  const text = await page.locator("article.turn").textContent();
  for (const said of ["No citation", "not located on the page", "Contradicted", "Not supported", "For a person to decide"]) {
    must(text.includes(said), `it does not say: ${said}`);
  }
  must(/2 sentences or marks were taken out/.test(text), "what was taken out is not told");
  await page.waitForSelector(".reader .told .weak");
  must((await page.locator(".mark").count()) === 0, "a place was guessed");
  must(/Not located on the page/.test(await page.locator(".reader").textContent()), "the pane does not say so");
  await page.click(".out summary");
  await axe(page, "weak states");
  await shot(page, "weak-states");
});

await check("drop-and-cancel", async () => {
  const page = await open({}, "#/documents");
  const drop = async (name, text) => {
    const files = await page.evaluateHandle(
      ([n, t]) => {
        const data = new DataTransfer();
        data.items.add(new File([t], n));
        return data;
      },
      [name, text],
    );
    await page.dispatchEvent(".drop", "drop", { dataTransfer: files });
  };
  await drop("dropped.md", "# Dropped\n\nThe dropped note says blue.\n");
  await page.waitForSelector(".files li.done");
  await page.route("**/api/documents?role=*", () => undefined);
  await drop("second.md", "# Second\n\nIt never arrives.\n");
  await page.locator(".files").getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector(".files li.cancelled");
});

await check("files", async () => {
  const page = await open();
  await ask(page, THEFT);
  const names = [];
  for (const name of ["Markdown", "Word", "HTML", "PDF with marks"]) {
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".files").getByRole("button", { name, exact: true }).click(),
    ]);
    names.push(file.suggestedFilename());
  }
  must(names.every((n) => /^answer-\w+\.(md|docx|html|pdf)$/.test(n)), names.join());
  await page.emulateMedia({ media: "print" });
  await shot(page, "print");
  must(!(await page.locator("footer").isVisible()), "buttons are printed");
  must(await page.locator(".sources .quote").first().isVisible(), "quotes are not printed");
});

await check("scripts-stay-text", async () => {
  const page = await open();
  const made = payloads();
  must(made.length >= 100, `${made.length} payloads`);
  const third = Math.ceil(made.length / 3);
  const kept = await page.evaluate(
    async ({ inText, inNames, asked }) => {
      const form = new FormData();
      const heads = inText.map((p, i) => `# Lantern ${i} ${p}\n\nThe rule of lantern number ${i} says ${p} and no more.\n`);
      form.append("files", new File([heads.join("\n")], "hostile.md"));
      for (const [i, name] of inNames.entries()) {
        form.append("files", new File([`# Harmless ${i}\n\nBuoy number ${i} is painted green.\n`], `${name}.md`));
      }
      const sent = await fetch("/api/documents", { method: "POST", body: form });
      const ids = [];
      for (const question of asked) {
        const response = await fetch("/api/ask", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ question: `What does the rule of lantern say about ${question}?` }),
        });
        if (response.ok) ids.push((await response.json()).id);
      }
      return { status: sent.status, ids };
    },
    { inText: made.slice(0, third), inNames: made.slice(third, 2 * third), asked: made.slice(2 * third) },
  );
  must(kept.status === 200, `upload: ${kept.status}`);
  const looked = async (view) => {
    const found = await page.evaluate(() => ({
      ran: window.__x ?? null,
      made: document.querySelectorAll("script:not([src]), iframe, object, embed, base, [onerror], [onload]").length,
      sent: [...document.querySelectorAll("a[href], form[action], img[src], link[href]")]
        .map((e) => e.getAttribute("href") ?? e.getAttribute("action") ?? e.getAttribute("src"))
        .filter((to) => !/^(#\/|\/|blob:)/.test(to)),
    }));
    must(found.ran === null && !found.made && !found.sent.length, `${view}: ${JSON.stringify(found)}`);
  };
  await page.goto(`${address}/#/documents`);
  await page.waitForFunction(() => document.querySelectorAll(".what > a").length > 20);
  await looked("documents");
  await page.goto(`${address}/#/documents/hostile`);
  await page.waitForSelector(".reader article");
  await looked("section");
  for (const id of kept.ids) {
    await page.goto(`${address}/#/answer/${id}`);
    await page.waitForSelector(".turn .outcome");
    await page.evaluate(() => document.querySelectorAll("details:not([open]) > summary").forEach((s) => s.click()));
    const cite = page.locator(".cite, .near .passage").first();
    if (await cite.count()) await cite.click();
    await looked(`answer ${id}`);
  }
  await page.goto(`${address}/#/history`);
  await page.waitForSelector("li .badge");
  await looked("history");
  must(!dialogs.length, `dialogs: ${dialogs}`);
  return { payloads: made.length, answers: kept.ids.length };
});

const LOOKS = {
  light: { colorScheme: "light" },
  dark: { colorScheme: "dark" },
  turkish: { locale: "tr-TR", colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 },
  "phone-dark-turkish": { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: "dark", locale: "tr-TR" },
  // 1280 px at 400 % zoom is 320 px; at 200 % it is 640 px.
  reflow: { viewport: { width: 320, height: 560 } },
  zoom: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 },
};
for (const [name, options] of Object.entries(LOOKS)) {
  await check(`axe-${name}`, async () => {
    const page = await open(options);
    await axe(page, "start");
    await wide(page, "start");
    await shot(page, `${name}-start`);
    await ask(page, THEFT);
    await page.click(".trace summary");
    await page.waitForSelector(".trace .body");
    await axe(page, "answer");
    await wide(page, "answer");
    await shot(page, `${name}-answer`);
    await page.click("[data-cite='1']");
    await page.waitForSelector(".sheet img.ready");
    await page.waitForTimeout(300);
    await axe(page, "page");
    await wide(page, "page");
    await shot(page, `${name}-page`);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await ask(page, "Should I buy this policy?");
    await axe(page, "refused");
    await wide(page, "refused");
    await page.goto(`${address}/#/documents`);
    await page.waitForSelector(".what > a");
    await axe(page, "documents");
    await wide(page, "documents");
    await shot(page, `${name}-documents`);
    await page.goto(`${address}/#/history`);
    await page.waitForSelector("li .badge");
    await axe(page, "history");
    await wide(page, "history");
    await page.context().close();
  });
}

say("no-foreign-request", !foreign.length, foreign.slice(0, 5));
say("no-page-error", !errors.length, errors.slice(0, 5));
await browser.close();
