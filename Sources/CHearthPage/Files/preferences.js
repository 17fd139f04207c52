// What a family chose, remembered in this browser alone.

import { languages, nearestLanguage } from "./strings.js";

const key = "hearth.preferences";
export const slowest = 0.7;
export const quickest = 1.3;

export class Preferences {
  constructor() {
    let kept = {};
    try {
      kept = JSON.parse(localStorage.getItem(key)) ?? {};
    } catch {
      // Storage may be switched off, or hold what something else wrote.
    }
    const known = languages.some((language) => language.tag === kept.language);
    this.language = known ? kept.language : nearestLanguage(navigator.languages ?? [navigator.language]);
    this.readAloud = kept.readAloud !== false;
    this.speed = kept.speed >= slowest && kept.speed <= quickest ? kept.speed : 1;
  }

  set(values) {
    Object.assign(this, values);
    try {
      localStorage.setItem(
        key, JSON.stringify({ language: this.language, readAloud: this.readAloud, speed: this.speed }));
    } catch {
      // Then it holds until the page is closed.
    }
  }
}
