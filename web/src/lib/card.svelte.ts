// The card over a citation's number: one for the whole page, in the top layer.

import type { Citation } from "./types.ts";

const LEAVE_MS = 160;

class Card {
  citation = $state.raw<Citation | null>(null);
  anchor = $state.raw<HTMLElement | null>(null);
  #timer = 0;

  show(citation: Citation, anchor: HTMLElement): void {
    clearTimeout(this.#timer);
    this.citation = citation;
    this.anchor = anchor;
  }

  /** Stays while the pointer moves onto the card. */
  keep(): void {
    clearTimeout(this.#timer);
  }

  leave(): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.hide(), LEAVE_MS);
  }

  hide(): void {
    clearTimeout(this.#timer);
    this.citation = null;
    this.anchor = null;
  }
}

export const card = new Card();
