// The story on the page: title, sentences as they are told, and the one being read.

import { scene } from "./scene.js";

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

  /** @param start the story's title, and what tells it from others. */
  begin(wish, { title, id, seed }, language) {
    this.#language = language;
    this.#spans = [];
    this.#lastScroll = -Infinity;
    this.#title.textContent = title;
    this.#title.lang = language;
    this.#text.lang = language;
    this.#text.replaceChildren();
    this.#picture.replaceChildren(scene(wish, id ?? seed));
  }

  /** Marks a sentence as the one being read, and shows it where it is new. */
  show(index, sentence) {
    this.rest();
    if (this.#spans[index]) {
      this.#spans[index].classList.add("now");
      this.#follow(this.#spans[index]);
      return;
    }
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

  /** Marks a word of a sentence, where the browser can mark without changing the text: a screen reader would read it anew. */
  word(index, start, length) {
    const text = this.#spans[index]?.firstChild;
    if (!globalThis.Highlight || !text || start + length > text.length) return;
    const range = document.createRange();
    range.setStart(text, start);
    range.setEnd(text, start + length);
    CSS.highlights.set("word", new Highlight(range));
  }

  /** Nothing is being read. */
  rest() {
    globalThis.CSS?.highlights?.delete("word");
    for (const span of this.#spans) span.classList.remove("now");
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
