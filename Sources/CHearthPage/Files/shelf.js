// The bookshelf: what was told lately, favourites, and the finished stories. Stories that are kept here are told again without
// asking the server for them.

import { picture } from "./cards.js";
import { fill } from "./strings.js";

/** Words a minute; in Chinese characters. */
const aloud = { en: 125, es: 125, "zh-Hans": 200 };

/** The events of a story whose sentences are known. */
export async function* retold({ title, kind, id, seed, evening, sentences }) {
  yield { name: "start", data: { title, kind, id, seed, evening } };
  for (const [text, startsParagraph] of sentences) {
    yield { name: "sentence", data: { text, startsParagraph: Boolean(startsParagraph) } };
  }
  yield { name: "end", data: { stop: "end" } };
}

/** A finished story in the form in which stories are kept. */
export function finished({ id, title, wishes, text }, language) {
  const segmenter = new Intl.Segmenter(language, { granularity: "sentence" });
  const sentences = text.split("\n\n").flatMap((paragraph) =>
    Array.from(segmenter.segment(paragraph), ({ segment }, index) => [segment.trim(), index ? 0 : 1])
      .filter(([sentence]) => sentence));
  return { kind: "finished", id, title, wish: wishes[0], language, sentences, isComplete: true };
}

export class Shelf {
  #host;
  #kept;
  #chosen;

  /** @param chosen is called with a kept story, or with one of the server's, inside the tap or key. */
  constructor(host, kept, chosen) {
    this.#host = host;
    this.#kept = kept;
    this.#chosen = chosen;
  }

  /** @param stories of the server; empty where it cannot be reached. */
  show(stories, words, language) {
    const kept = this.#kept.stories(language);
    const lately = kept.filter((story) => !story.isFavourite);
    const books = stories.map((story) => ({ ...finished(story, language), length: story.length }));
    const groups = [
      [words.favourites, kept.filter((story) => story.isFavourite)], [words.lately, lately], [words.books, books],
    ];
    this.#host.lang = language;
    this.#host.replaceChildren(...groups.filter(([, list]) => list.length).flatMap(([name, list]) => {
      const heading = document.createElement("h2");
      heading.textContent = name;
      const rows = document.createElement("ul");
      rows.append(...list.map((story) => this.#row(story, words, language)));
      return [heading, rows];
    }));
    if (!this.#host.childElementCount) this.#host.append(Object.assign(document.createElement("p"), { textContent: words.emptyShelf }));
  }

  #row(story, words, language) {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "book";
    button.dataset.story = story.id ?? story.seed;
    const title = document.createElement("span");
    title.textContent = story.title;
    const time = document.createElement("small");
    const pace = aloud[language] ?? aloud.en;
    const count = typeof story.length === "number" ? story.length : amount(story, language);
    time.textContent = fill(words.minutes, { n: Math.max(1, Math.round(count / pace)) });
    button.append(picture(story.wish), title, time);
    button.addEventListener("click", () => this.#chosen(story));
    row.append(button);
    return row;
  }
}

/** Words; in Chinese characters. */
function amount({ sentences }, language) {
  const text = sentences.map(([sentence]) => sentence).join(" ");
  return language === "zh-Hans" ? text.match(/\p{Script=Han}/gu)?.length ?? 0 : text.split(/\s+/).length;
}
