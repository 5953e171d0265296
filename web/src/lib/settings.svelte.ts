// What the reader chose for this browser: language, colours, keys.

export type Language = "en" | "tr";
export type Theme = "system" | "light" | "dark";

const read = (name: string): string | null => {
  try {
    return localStorage.getItem(`citeleaf.${name}`);
  } catch {
    return null; // storage is closed to this page
  }
};

const write = (name: string, value: string): void => {
  try {
    localStorage.setItem(`citeleaf.${name}`, value);
  } catch {
    // It holds for this visit.
  }
};

const firstLanguage = (): Language => {
  const kept = read("language") ?? navigator.language;
  return kept.toLowerCase().startsWith("tr") ? "tr" : "en";
};

const firstTheme = (): Theme => {
  const kept = read("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
};

class Settings {
  language = $state<Language>(firstLanguage());
  theme = $state<Theme>(firstTheme());
  keys = $state(read("keys") !== "off");

  setLanguage(language: Language): void {
    this.language = language;
    write("language", language);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    write("theme", theme);
  }

  setKeys(on: boolean): void {
    this.keys = on;
    write("keys", on ? "on" : "off");
  }
}

export const settings = new Settings();
