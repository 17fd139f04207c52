// One story, from the wish to the last sentence: what the server sends is kept as it comes, and told sentence by sentence at the
// pace of the voice.

import { stopStory, story, Unreachable } from "./server.js";

export class Telling {
  #wish;
  #language;
  #voice;
  #view;
  #events;
  #sentences = [];
  /** What is to be told before the next sentence. */
  #lines = [];
  #isComplete = false;
  #failure = null;
  #hasBegun = false;
  #isPaused = false;
  #id = null;
  #at = 0;
  #abort = new AbortController();
  #wake = () => {};

  /**
   * @param view a StoryView. @param events functions to call: `busy()`, `begun()` with the first sentence, `resting(isResting)`
   * while the model has to rest, and `shelf(title)`, which gives the line under which a finished story takes over.
   */
  constructor({ wish, language, voice, view, events }) {
    this.#wish = wish;
    this.#language = language;
    this.#voice = voice;
    this.#view = view;
    this.#events = events;
  }

  get wish() {
    return this.#wish;
  }

  get isPaused() {
    return this.#isPaused;
  }

  get isOver() {
    return this.#abort.signal.aborted;
  }

  /** Tells it. Resolves to "end", "stopped", "broken" (something was told), or the error where nothing was. */
  async run() {
    this.#voice.begin();
    const listening = this.#listen();
    for (; await this.#has(this.#at); this.#at++) await this.#tell(this.#sentences[this.#at]);
    this.#view.rest();
    if (this.isOver) return "stopped";
    await listening;
    this.#say(this.#lines);
    this.#voice.end();
    this.#abort.abort();
    if (!this.#failure) return this.#hasBegun ? "end" : new Unreachable("an empty story");
    return this.#hasBegun ? "broken" : this.#failure;
  }

  pause() {
    this.#isPaused = true;
    this.#voice.pause();
  }

  resume() {
    this.#isPaused = false;
    this.#voice.resume();
    this.#wake();
  }

  /** Stops here; `run` resolves to "stopped". */
  stop() {
    if (this.isOver) return;
    this.#abort.abort();
    if (this.#id && !this.#isComplete) stopStory(this.#id);
    this.#voice.end();
    this.#wake();
  }

  async #tell(sentence) {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#events.begun();
    }
    this.#say(sentence.lines);
    this.#view.show(sentence);
    this.#voice.prepare(sentence.audio);
    this.#voice.prepare(this.#sentences[this.#at + 1]?.audio);
    await this.#voice.say(sentence.audio, sentence.text, this.#language);
  }

  #say(lines) {
    for (const { text, kind } of lines) this.#view.notice(text, kind);
  }

  /** Waits until there is a sentence of that number and the story is not paused; false at the end. */
  async #has(index) {
    for (;;) {
      if (this.isOver) return false;
      if (!this.#isPaused) {
        if (index < this.#sentences.length) return true;
        if (this.#isComplete) return false;
      }
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }

  async #listen() {
    try {
      for await (const { name, data } of story(this.#wish.id, this.#language, this.#abort.signal, this.#events.busy)) {
        if (this.isOver) return;
        this.#take(name, data);
        if (this.#isComplete) break;
      }
      if (!this.#isComplete) this.#failure = new Unreachable("the story broke off");
    } catch (error) {
      if (!this.isOver) this.#failure = error;
    }
    this.#isComplete = true;
    this.#wake();
  }

  #take(name, data) {
    switch (name) {
      case "start":
        this.#id = data.story;
        this.#view.begin(this.#wish, data.title, this.#language);
        break;
      case "sentence":
        this.#sentences.push({ ...data, lines: this.#lines.splice(0) });
        if (this.#sentences.length <= this.#at + 2) this.#voice.prepare(data.audio);
        this.#wake();
        break;
      case "notice":
        // A little flame where it is warm; a book where a finished story has another reason.
        this.#lines.push({ text: data.text, kind: (data.reason ?? "heat") === "heat" ? "warm" : "shelf" });
        break;
      case "paused":
      case "resumed":
        this.#events.resting(name === "paused");
        break;
      case "library":
        this.#lines.push({ text: this.#events.shelf(data.title), kind: "shelf" });
        break;
      case "failed":
        this.#failure = new Error(data.message);
        this.#isComplete = true;
        break;
      case "end":
        this.#isComplete = true;
        break;
      default: // what a later server says besides
    }
  }
}
