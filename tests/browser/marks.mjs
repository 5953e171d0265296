// What the scripts that drive the page share: the browser, and where the marks lie.
import { createRequire } from "node:module";

export const require = createRequire(new URL("../../web/package.json", import.meta.url));
const { chromium } = require("playwright-core");
const FLAGS = (
  "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking " +
  "--disable-component-update --disable-sync"
).split(" ");

export const launch = () =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** The marks in shares of the picture of the page they lie on. */
export const marks = (page) =>
  page.evaluate(() => {
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
