// What a family chose, remembered in this browser alone. A child's name leaves it only for the stories that bear it, and goes no
// further than the server of this page.

import { languages, nearestLanguage } from "./strings.js";

const key = "hearth.preferences";
export const slowest = 0.7;
export const quickest = 1.3;
export const lengths = ["any", "short", "medium", "long"];
export const pronouns = ["they", "she", "he"];
export const beds = ["none", "rain", "sea", "wind"];
/** Most letters of a name that is kept. */
export const longestName = 40;

const kinds = {
  readAloud: (value) => typeof value === "boolean",
  speed: (value) => value >= slowest && value <= quickest,
  length: (value) => lengths.includes(value),
  name: (value) => typeof value === "string" && value.length <= longestName,
  pronoun: (value) => pronouns.includes(value),
  bed: (value) => beds.includes(value),
  bedVolume: (value) => value >= 0 && value <= 1,
  /** Minutes until the story fades out; 0 for none. */
  sleep: (value) => value >= 0 && value <= 120,
};

export class Preferences {
  readAloud = true;
  speed = 1;
  length = "any";
  name = "";
  pronoun = "they";
  bed = "none";
  bedVolume = 0.4;
  sleep = 0;

  constructor() {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(key)) ?? {};
    } catch {
      // Storage may be switched off, or hold what something else wrote.
    }
    for (const [name, isValid] of Object.entries(kinds)) if (isValid(kept[name])) this[name] = kept[name];
    const known = languages.some((language) => language.tag === kept.language);
    this.language = known ? kept.language : nearestLanguage(navigator.languages ?? [navigator.language]);
  }

  /** What a story is asked for besides its subject. */
  get wants() {
    const wants = { language: this.language };
    if (this.length !== "any") wants.length = this.length;
    if (this.name) Object.assign(wants, { name: this.name, pronoun: this.pronoun });
    return wants;
  }

  set(values) {
    Object.assign(this, values);
    try {
      const kept = Object.fromEntries(Object.keys(kinds).map((name) => [name, this[name]]));
      localStorage.setItem(key, JSON.stringify({ language: this.language, ...kept }));
    } catch {
      // Then it holds until the page is closed.
    }
  }
}
