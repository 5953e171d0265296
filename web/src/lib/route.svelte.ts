// The place within the page, kept in the address after `#`, so that it can be sent to others and opened again.

export type Route =
  | { name: "ask" }
  | { name: "answer"; id: string; citation: number | null }
  | { name: "documents"; doc: string | null; page: number | null }
  | { name: "history" };

/** The place an address means; one that means none is the first page. */
export function parse(hash: string): Route {
  const parts = hash.replace(/^#?\/?/, "").split("/").map(decode);
  const [name, first, second] = parts;
  if (name === "answer" && first) return { name, id: first, citation: whole(second) };
  if (name === "documents") return { name, doc: first || null, page: whole(second) };
  if (name === "history") return { name };
  return { name: "ask" };
}

export const toAnswer = (id: string, citation?: number): string =>
  `#/answer/${encodeURIComponent(id)}${citation ? `/${citation}` : ""}`;

export const toDocument = (id: string, page?: number | null): string =>
  `#/documents/${encodeURIComponent(id)}${page ? `/${page}` : ""}`;

class Place {
  current = $state<Route>(parse(location.hash));

  constructor() {
    addEventListener("hashchange", () => {
      this.current = parse(location.hash);
    });
  }

  go(hash: string): void {
    location.hash = hash;
  }
}

export const place = new Place();

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function whole(text: string | undefined): number | null {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : null;
}
