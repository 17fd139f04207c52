// The story on the page: title, sentences as they are told, and the one being read.

import { picture } from "./cards.js";

export class StoryView {
  #title;
  #text;
  #picture;
  #language = "en";
  #spans = [];
  #lastScroll = -Infinity;

  constructor({ title, text, pictureHost }) {
    this.#title = title;
    this.#text = text;
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
    this.#picture.replaceChildren(picture(wish.id));
  }

  /** Shows a sentence and marks it as the one being read. */
  show(sentence) {
    this.rest();
    let paragraph = this.#text.lastElementChild;
    if (sentence.startsParagraph || !paragraph || paragraph.classList.contains("notice")) {
      paragraph = document.createElement("p");
      this.#text.append(paragraph);
    }
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

  /** A calm line at this point of the story. @param kind `warm`, or `shelf` for a story from the bookshelf. */
  notice(text, kind) {
    if (!text) return;
    this.rest();
    const line = document.createElement("p");
    line.className = `notice ${kind}`;
    line.textContent = text;
    this.#text.append(line);
    this.#follow(line);
  }

  #follow(element) {
    if (performance.now() - this.#lastScroll < 6000) return;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.scrollIntoView({ block: "nearest", behavior: still ? "auto" : "smooth" });
  }
}
