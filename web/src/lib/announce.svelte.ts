// What a screen reader is told, once and at the end, not letter by letter.

class Announcer {
  text = $state("");

  say(text: string): void {
    this.text = "";
    queueMicrotask(() => {
      this.text = text;
    });
  }
}

export const announcer = new Announcer();
