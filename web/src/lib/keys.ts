// Single keys. They can be switched off (WCAG 2.1.4) and never act while something is typed.

import { reader, ofCitation } from "./reader.svelte.ts";
import { settings } from "./settings.svelte.ts";
import { talk } from "./talk.svelte.ts";
import { card } from "./card.svelte.ts";
import { place } from "./route.svelte.ts";

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea, select"));

/** Handles a key of the whole page; `help` opens the list of keys. */
export function onKey(event: KeyboardEvent, help: () => void): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    escape(event);
    return;
  }
  if (!settings.keys || typing(event.target) || document.querySelector("dialog[open]")) return;
  if (act(event.key, help)) event.preventDefault();
}

function escape(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open]")) return; // the dialog closes itself
  if (card.citation) card.hide();
  else if (reader.open && !typing(event.target)) reader.close();
}

function act(key: string, help: () => void): boolean {
  if (key === "?") help();
  else if (key === "/") {
    if (place.current.name !== "ask" && place.current.name !== "answer") place.go("#/");
    const question = document.getElementById("question");
    // On another place the question has yet to be drawn.
    if (question) question.focus();
    else setTimeout(() => document.getElementById("question")?.focus());
  } else if (/^[1-9]$/.test(key)) return openCitation(Number(key));
  else if (key === "[" || key === "]") return step(key === "]" ? 1 : -1);
  else return false;
  return true;
}

function step(by: number): boolean {
  const numbers = talk.current?.citations.map((c) => c.n) ?? [];
  if (!numbers.length) return false;
  const { look } = reader;
  const at = look?.n && look.turn === talk.current?.key ? numbers.indexOf(look.n) : -1;
  const next = at < 0 ? (by > 0 ? 0 : numbers.length - 1) : (at + by + numbers.length) % numbers.length;
  return openCitation(numbers[next] ?? 1);
}

/** Opens citation `n` of the current answer. */
export function openCitation(n: number): boolean {
  const citation = talk.current?.citations.find((c) => c.n === n);
  if (!citation) return false;
  const mark = document.querySelector<HTMLElement>(`[data-turn="${talk.current?.key}"] [data-cite="${n}"]`);
  mark?.focus();
  card.hide();
  reader.show(ofCitation(citation, talk.current?.key ?? 0), mark);
  return true;
}
