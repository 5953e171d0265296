import { expect, test } from "vitest";
import { located, states } from "../src/lib/states.ts";
import type { Citation, Claim } from "../src/lib/types.ts";

const claim = (more: Partial<Claim> = {}): Claim => ({
  n: 1,
  text: "It is so.",
  citations: [1],
  verdict: "supported",
  score: 1,
  checks: [],
  ...more,
});
const citation = (more: Partial<Citation> = {}): Citation => ({
  n: 1,
  passage_id: "d#s#c1",
  doc_id: "d",
  title: "D",
  version: null,
  page: 3,
  page_label: "1",
  section: [],
  quote: "It is so.",
  start: 0,
  end: 9,
  rects: [{ page: 3, x0: 0, y0: 0, x1: 1, y1: 1 }],
  status: "valid",
  raw: "[1]",
  support: "supported",
  quality: "good",
  ...more,
});
const keys = (c: Claim, all: Citation[]): string[] => states(c, all).map((s) => `${s.mark} ${s.key}`);

test("a sound claim is cited, found and supported", () => {
  expect(keys(claim(), [citation()])).toEqual(["good state.cited", "good state.found", "good state.supported"]);
});

test("a claim that cites nothing says so", () => {
  expect(keys(claim({ citations: [] }), [])).toEqual(["bad state.uncited", "bad state.unfound", "good state.supported"]);
});

test("a number that leads nowhere is not found", () => {
  expect(keys(claim({ citations: [1, 2] }), [citation()])[1]).toBe("bad state.unfound");
});

test("words without a place on their page are not located", () => {
  expect(located(citation({ rects: [] }))).toBe(false);
  expect(keys(claim(), [citation({ rects: [] })])[1]).toBe("weak state.not_located");
});

test("a format without pages has nothing to locate", () => {
  expect(located(citation({ rects: [], page: null }))).toBe(true);
});

test("a repaired mark and a verdict that is no support are seen", () => {
  expect(keys(claim({ verdict: "refuted" }), [citation({ status: "repaired" })])).toEqual([
    "good state.cited",
    "weak state.repaired",
    "bad state.refuted",
  ]);
  expect(keys(claim({ verdict: "not_enough_info" }), [citation()])[2]).toBe("weak state.not_enough_info");
});
