// Server-Sent Events out of text that arrives in pieces of any size.

export interface ServerEvent {
  event: string;
  data: string;
}

/** Collects pieces of a stream; gives each event once its empty line has come. */
export class EventReader {
  #rest = "";

  push(piece: string): ServerEvent[] {
    this.#rest += piece;
    // A lone CR at the end may be the first half of CRLF.
    const held = this.#rest.endsWith("\r") ? "\r" : "";
    const blocks = (held ? this.#rest.slice(0, -1) : this.#rest).replace(/\r\n?/g, "\n").split("\n\n");
    this.#rest = (blocks.pop() ?? "") + held;
    return blocks.flatMap(read);
  }
}

function read(block: string): ServerEvent[] {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? [{ event, data: data.join("\n") }] : [];
}
