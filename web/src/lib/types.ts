// The forms of the server (`citeleaf/answer/1` and its neighbours) as far as the page reads them.

export type Outcome = "answered" | "abstained" | "refused" | "escalated";
export type Label = "supported" | "refuted" | "not_enough_info";
export type Quality = "good" | "no_text" | "garbled" | "ocr";

export interface Rect {
  page: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Claim {
  n: number;
  text: string;
  citations: number[];
  verdict: Label;
  score: number | null;
  checks: string[];
}

export interface Citation {
  n: number;
  passage_id: string;
  doc_id: string;
  title: string;
  version: string | null;
  page: number | null;
  page_label: string | null;
  section: string[];
  quote: string;
  start: number;
  end: number;
  rects: Rect[];
  status: "valid" | "repaired";
  raw: string;
  support: Label;
  quality: Quality;
}

export interface Check {
  name: string;
  passed: boolean;
  detail: string;
  value: number | null;
  threshold: number | null;
}

export interface Evidence {
  passage_id: string;
  rank: number;
  score: number | null;
  scorer: string;
  page: number | null;
  text: string;
  why: string;
}

export interface Nearest {
  passage_id: string;
  page: number | null;
  score: number | null;
  quote: string;
}

export interface Ranking {
  scorer: string;
  hits: { passage_id: string; rank: number; score: number | null }[];
}

export interface Trace {
  fingerprint: string;
  guard: Check[];
  retrieval: { rankings: Ranking[]; parts: string[] } | null;
  gate: Check[] | null;
  draft: { generator: string; fallback: string | null } | null;
  screen: Check[] | null;
}

export interface Answer {
  id: string;
  question: string;
  asked: string | null;
  outcome: Outcome;
  reason: string;
  text: string;
  claims: Claim[];
  citations: Citation[];
  dropped: { raw: string; why: string }[];
  removed: { text: string; verdict: Label; why: string }[];
  nearest: Nearest[];
  evidence: Evidence[];
  trace: Trace;
  seconds: Record<string, number | null>;
}

export interface AnswerRow {
  id: string;
  question: string;
  outcome: Outcome;
  reason: string;
  text: string;
  citations: number;
}

export interface Notice {
  code: string;
  page: number | null;
  detail: string;
}

export interface Doc {
  id: string;
  title: string;
  source: string;
  sha256: string;
  version: string | null;
  effective: string | null;
  replaces: string | null;
  role: "policy" | "facts" | "ignored";
  language: string;
  pages: { number: number; label: string | null; quality: Quality }[];
  notices: Notice[];
}

export interface Section {
  id: string;
  title: string;
  level: number;
  path: string[];
  start: number;
  end: number;
  indexed: boolean;
}

export interface WholeDoc extends Doc {
  characters: number;
  sections: Section[];
}

export interface Word {
  start: number;
  end: number;
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

export interface Leaf {
  doc_id: string;
  title: string;
  page: number;
  page_label: string | null;
  pages: number;
  quality: Quality;
  start: number;
  end: number;
  text: string;
  words: Word[];
  passages: { passage_id: string; start: number; end: number; rects: Rect[] }[];
}

export interface Passage {
  id: string;
  kind: string;
  doc_id: string;
  title: string;
  version: string | null;
  section: string[];
  page: number | null;
  page_label: string | null;
  start: number;
  end: number;
  text: string;
  rects: Rect[];
}

export interface Found extends Passage {
  passage_id: string;
  rank: number;
  score: number;
  scorer: string;
}

export interface IngestRow {
  path: string;
  status: "added" | "replaced" | "unchanged" | "failed" | "skipped";
  doc_id: string | null;
  passages: number;
  pages: number;
  without_text: number[];
  notices: Notice[];
  note: string;
  error: { code: string; message: string; hint: string } | null;
}

export interface LibraryInfo {
  profile: string;
  purpose: string;
  generator: string;
  documents: number;
}

export interface CaseFact {
  label: string;
  text: string;
}

export type FeedbackKind = "helpful" | "wrong" | "wrong_source" | "should_have_refused" | "should_have_answered";

export interface ProblemBody {
  status: number;
  title: string;
  detail: string;
  code: string;
  hint: string;
  subject: string | null;
}
