// The documents of the library, and the files on their way into it.

import * as api from "./api.ts";
import { info } from "./info.svelte.ts";
import type { Doc, IngestRow } from "./types.ts";

export type Step = "waiting" | "sending" | "reading" | "done" | "failed" | "cancelled";

/** One file on its way. */
export class Upload {
  readonly file: File;
  readonly role: string;
  step = $state<Step>("waiting");
  share = $state(0);
  row = $state.raw<IngestRow | null>(null);
  problem = $state.raw<api.Problem | null>(null);
  readonly #abort = new AbortController();

  constructor(file: File, role: string) {
    this.file = file;
    this.role = role;
  }

  get over(): boolean {
    return this.step === "done" || this.step === "failed" || this.step === "cancelled";
  }

  async run(): Promise<void> {
    if (this.over) return;
    this.step = "sending";
    try {
      const watch = {
        sent: (share: number) => (this.share = share),
        status: () => (this.step = "reading"),
      };
      this.row = await api.upload(this.file, this.role, watch, this.#abort.signal);
      this.step = this.row.status === "failed" ? "failed" : "done";
    } catch (error) {
      if (api.isAbort(error)) this.step = "cancelled";
      else {
        this.problem = api.asProblem(error);
        this.step = "failed";
      }
    }
  }

  cancel(): void {
    if (this.over) return;
    this.step = "cancelled";
    this.#abort.abort();
  }
}

class Shelf {
  documents = $state.raw<Doc[]>([]);
  loaded = $state(false);
  problem = $state.raw<api.Problem | null>(null);
  uploads = $state<Upload[]>([]);
  #running = false;

  async renew(): Promise<void> {
    try {
      this.documents = await api.documents();
      this.problem = null;
    } catch (error) {
      this.problem = api.asProblem(error);
    }
    this.loaded = true;
  }

  /** Sends files one after the other: the server takes in one at a time. */
  async add(files: Iterable<File>, role: string): Promise<void> {
    for (const file of files) this.uploads.push(new Upload(file, role));
    if (this.#running) return;
    this.#running = true;
    for (let next = this.#next(); next; next = this.#next()) {
      await next.run();
      api.forgetPictures();
      await Promise.all([this.renew(), info.renew()]);
    }
    this.#running = false;
  }

  async remove(id: string): Promise<void> {
    await api.remove(id);
    api.forgetPictures();
    await Promise.all([this.renew(), info.renew()]);
  }

  clearUploads(): void {
    this.uploads = this.uploads.filter((upload) => !upload.over);
  }

  #next(): Upload | undefined {
    return this.uploads.find((upload) => upload.step === "waiting");
  }
}

export const shelf = new Shelf();
