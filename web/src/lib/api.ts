// Every call to the server. Nothing else is ever called: there is one origin.

import { key } from "./key.svelte.ts";
import { EventReader, type ServerEvent } from "./stream.ts";
import type {
  Answer,
  AnswerRow,
  CaseFact,
  Doc,
  FeedbackKind,
  Found,
  IngestRow,
  Leaf,
  LibraryInfo,
  Passage,
  ProblemBody,
  WholeDoc,
} from "./types.ts";

/** What the server says went wrong (RFC 9457), or that it cannot be reached. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor(body: Partial<ProblemBody>) {
    super(body.detail ?? body.title ?? "");
    this.status = body.status ?? 0;
    this.code = body.code ?? "unreachable";
    this.hint = body.hint ?? "";
  }
}

export const asProblem = (error: unknown): Problem =>
  error instanceof Problem ? error : new Problem({ code: "unreachable" });

export const isAbort = (error: unknown): boolean => error instanceof DOMException && error.name === "AbortError";

const part = encodeURIComponent;

async function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (key.value) headers.set("Authorization", `Bearer ${key.value}`);
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: "same-origin" });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Problem({ code: "unreachable" });
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (response.status === 401) key.asked = true;
  throw problem;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    return new Problem((await response.json()) as ProblemBody);
  } catch {
    return new Problem({ status: response.status, code: "http", detail: response.statusText });
  }
}

async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await call(path, { signal: signal ?? null })).json()) as T;
}

function sent(body: unknown, accept = "application/json"): RequestInit {
  return {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json", Accept: accept },
  };
}

export interface Question {
  question: string;
  facts: CaseFact[];
  doc_ids: string[];
  history: { asked: string; answer: string }[];
}

/** Asks, and gives each event as it comes; leaving the loop or aborting stops the server too. */
export async function* ask(question: Question, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const response = await call("/api/ask", { ...sent(question, "text/event-stream"), signal });
  const stream = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (!stream) throw new Problem({ code: "unreachable" });
  const reader = new EventReader();
  try {
    for (;;) {
      const { done, value } = await stream.read();
      if (done) return;
      yield* reader.push(value);
    }
  } finally {
    await stream.cancel().catch(() => undefined);
  }
}

export const library = (): Promise<LibraryInfo> => get("/api/library");

export const documents = async (): Promise<Doc[]> => {
  const all: Doc[] = [];
  for (;;) {
    const page = await get<{ documents: Doc[]; total: number }>(`/api/documents?limit=500&offset=${all.length}`);
    all.push(...page.documents);
    if (!page.documents.length || all.length >= page.total) return all;
  }
};

export const wholeDocument = (id: string, signal?: AbortSignal): Promise<WholeDoc> =>
  get(`/api/documents/${part(id)}`, signal);

export const leaf = (id: string, page: number, signal?: AbortSignal): Promise<Leaf> =>
  get(`/api/documents/${part(id)}/pages/${page}`, signal);

export const passage = (id: string, signal?: AbortSignal): Promise<Passage> =>
  get(`/api/passages/${part(id)}`, signal);

export const remove = async (id: string): Promise<void> => {
  await call(`/api/documents/${part(id)}`, { method: "DELETE" });
};

export const answer = (id: string): Promise<Answer> => get(`/api/answers/${part(id)}`);

export const answers = async (offset: number, limit: number): Promise<AnswerRow[]> =>
  (await get<{ answers: AnswerRow[] }>(`/api/answers?limit=${limit}&offset=${offset}`)).answers;

export const search = async (query: string, k = 5): Promise<Found[]> => {
  const response = await call("/api/search", sent({ query, k }));
  return ((await response.json()) as { passages: Found[] }).passages;
};

export const feedback = async (id: string, kind: FeedbackKind, comment: string): Promise<void> => {
  await call(`/api/answers/${part(id)}/feedback`, sent({ kind, comment }));
};

export type FileForm = "md" | "docx" | "html" | "pdf";

export const answerFile = async (id: string, form: FileForm, language: string): Promise<Blob> =>
  (await call(`/api/answers/${part(id)}/file?form=${form}&language=${language}`)).blob();

export const originalFile = async (id: string): Promise<Blob> =>
  (await call(`/api/documents/${part(id)}/file`)).blob();

const pictures = new Map<string, string>();
const MOST_PICTURES = 12;

/** The picture of a page as a local address; the last dozen are kept. */
export async function picture(id: string, page: number, scale: number, signal: AbortSignal): Promise<string> {
  const path = `/api/documents/${part(id)}/pages/${page}/image?scale=${scale}`;
  const known = pictures.get(path);
  if (known) return known;
  const made = URL.createObjectURL(await (await call(path, { signal })).blob());
  pictures.set(path, made);
  const [oldest] = pictures.keys();
  if (pictures.size > MOST_PICTURES && oldest) {
    URL.revokeObjectURL(pictures.get(oldest) ?? "");
    pictures.delete(oldest);
  }
  return made;
}

/** Forgets pictures, after a document was replaced or taken out. */
export function forgetPictures(): void {
  for (const address of pictures.values()) URL.revokeObjectURL(address);
  pictures.clear();
}

export interface UploadWatch {
  /** Share of the file that was sent, 0 to 1. */
  sent(share: number): void;
  status(stage: string): void;
}

/** Sends one file and follows it to its end. `XMLHttpRequest`, because `fetch` does not tell how much was sent. */
export function upload(file: File, role: string, watch: UploadWatch, signal: AbortSignal): Promise<IngestRow> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const reader = new EventReader();
    let read = 0;
    let row: IngestRow | undefined;
    let failure: Problem | undefined;
    const take = (): void => {
      for (const { event, data } of reader.push(request.responseText.slice(read))) {
        if (event === "status") watch.status((JSON.parse(data) as { stage: string }).stage);
        else if (event === "done") row = (JSON.parse(data) as { rows: IngestRow[] }).rows[0];
        else if (event === "error") failure = new Problem(JSON.parse(data) as ProblemBody);
      }
      read = request.responseText.length;
    };
    request.open("POST", `/api/documents?role=${part(role)}`);
    request.setRequestHeader("Accept", "text/event-stream");
    if (key.value) request.setRequestHeader("Authorization", `Bearer ${key.value}`);
    request.upload.onprogress = (e) => watch.sent(e.lengthComputable && e.total ? e.loaded / e.total : 0);
    request.onprogress = () => request.status === 200 && take();
    request.onerror = () => reject(new Problem({ code: "unreachable" }));
    request.onabort = () => reject(new DOMException("stopped", "AbortError"));
    request.onload = () => {
      if (request.status !== 200) {
        if (request.status === 401) key.asked = true;
        reject(problemText(request));
        return;
      }
      take();
      if (row) resolve(row);
      else reject(failure ?? new Problem({ code: "unreachable" }));
    };
    signal.addEventListener("abort", () => request.abort(), { once: true });
    const form = new FormData();
    form.append("files", file, file.name);
    request.send(form);
  });
}

function problemText(request: XMLHttpRequest): Problem {
  try {
    return new Problem(JSON.parse(request.responseText) as ProblemBody);
  } catch {
    return new Problem({ status: request.status, code: "http", detail: request.statusText });
  }
}
