import { expect, test } from "vitest";
import { en } from "../src/text/en.ts";
import { tr } from "../src/text/tr.ts";

const holes = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).sort();

test("both languages have the same keys and the same blanks to fill in", () => {
  expect(Object.keys(tr).sort()).toEqual(Object.keys(en).sort());
  for (const [key, text] of Object.entries(en)) expect([key, holes(tr[key as keyof typeof en])]).toEqual([key, holes(text)]);
});

test("Turkish is Turkish", () => {
  const same = Object.entries(en).filter(([key, text]) => text === tr[key as keyof typeof en] && /[a-z]{4}/.test(text));
  expect(same.map(([key]) => key).sort()).toEqual(["export.md"]);
});
