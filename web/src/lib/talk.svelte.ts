// The talk: questions and what came of them, while it comes.

import * as api from "./api.ts";
import type { Answer, CaseFact, Check, Citation, Claim, Evidence, ProblemBody } from "./types.ts";

export type Phase = "asking" | "done" | "stopped" | "failed";

export interface Stage {
  name: string;
  seconds: number | null;
}

/** One question. Until `answer` is there, what was told so far stands in `claims` and its neighbours. */
export class Turn {
  readonly key: number;
  readonly question: string;
  readonly facts: CaseFact[];
  readonly docIds: string[];
  phase = $state<Phase>("asking");
  stages = $state<Stage[]>([]);
  checks = $state<{ stage: string; check: Check }[]>([]);
  evidence = $state.raw<Evidence[]>([]);
  claims = $state.raw<Claim[]>([]);
  citations = $state.raw<Citation[]>([]);
  answer = $state.raw<Answer | null>(null);
  problem = $state<api.Problem | null>(null);
  readonly #abort = new AbortController();

  constructor(key: number, question: string, facts: CaseFact[] = [], docIds: string[] = []) {
    this.key = key;
    this.question = question;
    this.facts = facts;
    this.docIds = docIds;
  }

  async run(history: { asked: string; answer: string }[]): Promise<void> {
    const body = { question: this.question, facts: this.facts, doc_ids: this.docIds, history };
    try {
      for await (const { event, data } of api.ask(body, this.#abort.signal)) this.take(event, JSON.parse(data));
      if (this.phase === "asking") throw new api.Problem({ code: "unreachable" });
    } catch (error) {
      if (api.isAbort(error) || this.#abort.signal.aborted) this.phase = "stopped";
      else {
        this.problem = api.asProblem(error);
        this.phase = "failed";
      }
    }
  }

  stop(): void {
    this.#abort.abort();
  }

  /** Takes one event of the server. */
  take(event: string, data: unknown): void {
    if (event === "status") this.#stage(data as { stage: string; seconds: number | null });
    else if (event === "check") this.checks.push(data as { stage: string; check: Check });
    else if (event === "evidence") this.evidence = (data as { evidence: Evidence[] }).evidence;
    else if (event === "claim") {
      const { claim, citations } = data as { claim: Claim; citations: Citation[] };
      this.claims = [...this.claims, claim];
      const known = new Set(this.citations.map((c) => c.n));
      this.citations = [...this.citations, ...citations.filter((c) => !known.has(c.n))];
    } else if (event === "done") this.end(data as Answer);
    else if (event === "error") {
      this.problem = new api.Problem(data as ProblemBody);
      this.phase = "failed";
    }
  }

  /** The answer is what counts, whatever was told before. */
  end(answer: Answer): void {
    this.answer = answer;
    this.claims = answer.claims;
    this.citations = answer.citations;
    this.evidence = answer.evidence;
    this.phase = "done";
  }

  #stage(told: { stage: string; seconds: number | null }): void {
    const last = this.stages.findLast((s) => s.name === told.stage);
    if (told.seconds !== null && last) last.seconds = told.seconds;
    else if (told.seconds === null) this.stages.push({ name: told.stage, seconds: null });
  }
}

class Talk {
  turns = $state<Turn[]>([]);
  facts = $state<CaseFact[]>([]);
  docIds = $state<string[]>([]);
  draft = $state("");
  /** The turn whose citations the keys mean. */
  current = $state<Turn | null>(null);
  #key = 0;

  get busy(): boolean {
    return this.turns.some((turn) => turn.phase === "asking");
  }

  ask(question: string): Turn {
    const history = this.turns
      .filter((turn) => turn.answer !== null)
      .map(({ answer, question }) => ({
        asked: answer?.asked ?? question,
        answer: answer?.outcome === "answered" ? answer.text : "",
      }))
      .slice(-20);
    const facts = $state.snapshot(this.facts).filter((fact) => fact.text.trim());
    const turn = this.#add(question, facts, $state.snapshot(this.docIds));
    void turn.run(history);
    return turn;
  }

  /** Opens a kept answer: the talk goes on from there. */
  open(answer: Answer): Turn {
    const known = this.turns.find((turn) => turn.answer?.id === answer.id);
    if (known) {
      this.current = known;
      return known;
    }
    this.clear();
    const turn = this.#add(answer.question);
    turn.end(answer);
    return turn;
  }

  clear(): void {
    for (const turn of this.turns) turn.stop();
    this.turns = [];
    this.current = null;
  }

  #add(question: string, facts: CaseFact[] = [], docIds: string[] = []): Turn {
    this.#key += 1;
    this.turns.push(new Turn(this.#key, question, facts, docIds));
    const turn = this.turns.at(-1) as Turn;
    this.current = turn;
    return turn;
  }
}

export const talk = new Talk();
