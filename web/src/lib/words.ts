// The words of a page laid over its picture, so that they can be selected and copied.

import type { Leaf, Word } from "./types.ts";

export interface LaidWord {
  text: string;
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Words with their text and place, in shares of the page; a space or line break follows each, as in the text. */
export function laidOut(leaf: Leaf): LaidWord[] {
  return leaf.words.map((word, i) => ({
    text: between(leaf, word.start, word.end) + gap(leaf, word, leaf.words[i + 1]),
    left: word.x0,
    top: word.y0,
    width: word.x1 - word.x0,
    height: word.y1 - word.y0,
  }));
}

function gap(leaf: Leaf, word: Word, next: Word | undefined): string {
  if (!next) return "";
  const apart = between(leaf, word.end, next.start);
  if (!apart) return "";
  return next.y0 > word.y1 || apart.includes("\n") ? "\n" : " ";
}

// The server counts characters, JavaScript counts UTF-16 units: they part at the first sign outside the basic plane.
const between = (leaf: Leaf, start: number, end: number): string => cut(leaf.text, start - leaf.start, end - leaf.start);

const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/** `text[start:end]` as the server counts: in characters. */
export function cut(text: string, start: number, end: number): string {
  if (!ASTRAL.test(text)) return text.slice(Math.max(0, start), Math.max(0, end));
  return [...text].slice(Math.max(0, start), Math.max(0, end)).join("");
}
