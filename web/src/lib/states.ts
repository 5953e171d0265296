// What can be said of a claim: it cites something, the words cited were found, they support it.

import type { Citation, Claim } from "./types.ts";

export type Mark = "good" | "weak" | "bad";

export interface State {
  mark: Mark;
  key:
    | "state.cited"
    | "state.uncited"
    | "state.found"
    | "state.repaired"
    | "state.not_located"
    | "state.unfound"
    | "state.supported"
    | "state.refuted"
    | "state.not_enough_info";
}

/** Whether the words of a citation have a place on the page, or the format has no pages. */
export const located = (citation: Citation): boolean => citation.page === null || citation.rects.length > 0;

/** The three states of a claim, in the order exists, resolves, supports. */
export function states(claim: Claim, all: readonly Citation[]): [State, State, State] {
  const own = claim.citations.map((n) => all.find((c) => c.n === n));
  const found = own.filter((c) => c !== undefined);
  return [exists(own.length), resolves(own.length, found), supports(claim)];
}

function exists(count: number): State {
  return count ? { mark: "good", key: "state.cited" } : { mark: "bad", key: "state.uncited" };
}

function resolves(count: number, found: Citation[]): State {
  if (!count || found.length < count) return { mark: "bad", key: "state.unfound" };
  if (!found.every(located)) return { mark: "weak", key: "state.not_located" };
  if (found.some((c) => c.status === "repaired")) return { mark: "weak", key: "state.repaired" };
  return { mark: "good", key: "state.found" };
}

function supports(claim: Claim): State {
  const mark: Mark = claim.verdict === "supported" ? "good" : claim.verdict === "refuted" ? "bad" : "weak";
  return { mark, key: `state.${claim.verdict}` };
}
