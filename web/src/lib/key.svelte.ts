// The key of a server that wants one: kept for this tab alone.

const NAME = "citeleaf.key";

class Key {
  value = $state(sessionStorage.getItem(NAME) ?? "");
  /** The server refused a call without it. */
  asked = $state(false);

  set(value: string): void {
    this.value = value;
    this.asked = false;
    sessionStorage.setItem(NAME, value);
  }
}

export const key = new Key();
