// The story on the page: title, sentences as they are told, and the one being read.

import { picture } from "./cards.js";

export class StoryView {
  #title;
  #text;
  #notices;
  #picture;
  #language = "en";
  #spans = [];
  #lastScroll = -Infinity;

  constructor({ title, text, notices, pictureHost }) {
    this.#title = title;
    this.#text = text;
    this.#notices = notices;
    this.#picture = pictureHost;
    // Who scrolls by hand is not pulled back for a while.
    for (const kind of ["wheel", "touchmove"]) {
      addEventListener(kind, () => (this.#lastScroll = performance.now()), { passive: true });
    }
  }

  begin(wish, title, language) {
    this.#language = language;
    this.#spans = [];
    this.#lastScroll = -Infinity;
    this.#title.textContent = title;
    this.#title.lang = language;
    this.#text.lang = language;
    this.#text.replaceChildren();
    this.#notices.replaceChildren();
    this.#picture.replaceChildren(picture(wish.id));
  }

  /** Shows a sentence and marks it as the one being read. */
  show(sentence) {
    this.rest();
    if (sentence.startsParagraph || !this.#text.lastElementChild) {
      this.#text.append(document.createElement("p"));
    }
    const paragraph = this.#text.lastElementChild;
    const span = document.createElement("span");
    span.className = "sentence now";
    span.textContent = sentence.text;
    // Chinese puts no space between sentences.
    if (paragraph.childElementCount && this.#language !== "zh-Hans") paragraph.append(" ");
    paragraph.append(span);
    this.#spans.push(span);
    this.#follow(span);
  }

  /** Nothing is being read. */
  rest() {
    this.#spans.at(-1)?.classList.remove("now");
  }

  /** A calm line above the story; the same one is not said twice in a row. */
  notice(text, kind = "warm") {
    if (!text || this.#notices.lastElementChild?.textContent === text) return;
    const line = document.createElement("p");
    line.className = `notice ${kind}`;
    line.lang = this.#language;
    line.textContent = text;
    this.#notices.replaceChildren(line);
  }

  clearNotice(kind) {
    if (this.#notices.lastElementChild?.classList.contains(kind)) this.#notices.replaceChildren();
  }

  #follow(span) {
    if (performance.now() - this.#lastScroll < 6000) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    span.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  }
}
