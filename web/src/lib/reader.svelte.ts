// The pane beside the answer: which words of which document are looked at.

import * as api from "./api.ts";
import { place } from "./route.svelte.ts";
import type { Citation, Passage, Rect } from "./types.ts";

/** Words of a document, or a page of it without particular words (`quote` is null). */
export interface Look {
  docId: string;
  title: string;
  page: number | null;
  label: string | null;
  section: string[];
  sectionId: string | null;
  quote: string | null;
  start: number;
  end: number;
  rects: Rect[];
  /** Number of the citation and key of its turn, if it is one. */
  n: number | null;
  turn: number | null;
}

const sectionOf = (passageId: string): string | null => passageId.split("#")[1] ?? null;

export const ofCitation = (citation: Citation, turn: number): Look => ({
  docId: citation.doc_id,
  title: citation.title,
  page: citation.page,
  label: citation.page_label,
  section: citation.section,
  sectionId: sectionOf(citation.passage_id),
  quote: citation.quote,
  start: citation.start,
  end: citation.end,
  rects: citation.rects,
  n: citation.n,
  turn,
});

export const ofPassage = (passage: Passage): Look => ({
  docId: passage.doc_id,
  title: passage.title,
  page: passage.page,
  label: passage.page_label,
  section: passage.section,
  sectionId: sectionOf(passage.id),
  quote: passage.text,
  start: passage.start,
  end: passage.end,
  rects: passage.rects,
  n: null,
  turn: null,
});

class Reader {
  look = $state<Look | null>(null);
  problem = $state<api.Problem | null>(null);
  /** Whether the boxes of the passages are drawn. */
  boxes = $state(false);
  /** The pane takes the focus, as it was opened by the keyboard. */
  wanted = $state(0);
  #opener: HTMLElement | null = null;
  #turn = 0;

  /** Whether a citation of a turn is what is looked at. */
  shows(n: number, turn: number): boolean {
    return this.look?.n === n && this.look.turn === turn;
  }

  get open(): boolean {
    return this.look !== null || this.problem !== null;
  }

  show(look: Look, opener: HTMLElement | null = null, focus = false): void {
    this.#turn += 1;
    this.look = look;
    this.problem = null;
    this.#opener = opener;
    if (focus) this.wanted += 1;
  }

  async showPassage(id: string, opener: HTMLElement | null = null, focus = false): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    try {
      const passage = await api.passage(id);
      if (turn === this.#turn) this.show(ofPassage(passage), opener, focus);
    } catch (error) {
      if (turn !== this.#turn) return;
      this.look = null;
      this.problem = api.asProblem(error);
    }
  }

  close(): void {
    this.#turn += 1;
    this.look = null;
    this.problem = null;
    // The address named the document: without it, the same link opens it again.
    if (place.current.name === "documents" && place.current.doc) place.go("#/documents");
    if (this.#opener?.isConnected) this.#opener.focus();
    this.#opener = null;
  }
}

export const reader = new Reader();
