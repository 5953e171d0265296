import { expect, test } from "vitest";
import { cut, laidOut } from "../src/lib/words.ts";
import type { Leaf } from "../src/lib/types.ts";

const word = (start: number, end: number, y0: number) => ({ start, end, x0: 0.1, y0, x1: 0.2, y1: y0 + 0.01 });

test("text is cut by characters, as the server counts", () => {
  expect(cut("plain words", 6, 11)).toBe("words");
  expect(cut("😀 smile", 2, 7)).toBe("smile");
  expect(cut("İstanbul", 0, 1)).toBe("İ");
});

test("words carry the blank or line end that follows them", () => {
  const leaf = {
    start: 100,
    text: "re-port a\ntheft",
    words: [word(100, 103, 0.1), word(103, 107, 0.1), word(108, 109, 0.1), word(110, 115, 0.2)],
  } as Leaf;
  expect(laidOut(leaf).map((w) => w.text)).toEqual(["re-", "port ", "a\n", "theft"]);
});
