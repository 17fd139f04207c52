// One story, from the request to the last sentence: what the server sends is kept as it comes, and told sentence by sentence at the
// pace of the voice.

import { stopStory, Unreachable } from "./server.js";

/** Silence before a paragraph, in milliseconds. */
const paragraphPause = 800;

export class Telling {
  #wish;
  #language;
  #source;
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
  /** The sentence after the one that is being told. */
  #next = 0;
  #isTelling = false;
  #start = {};
  #hasAll = false;
  #abort = new AbortController();
  #wake = () => {};

  /**
   * @param wish the id of the wish whose picture it has. @param source gives the events of the story, called with a signal and
   * what to do while the server is busy. @param view a StoryView. @param events functions to call: `busy()`, `begun()` with the
   * first sentence, `isNews(text)` for a notice, `resting(isResting)` while the model has to rest, `changed()` when there is more to keep of it, and
   * `shelf(title)`, which gives the line under which a finished story takes over.
   */
  constructor({ wish, language, source, voice, view, events }) {
    this.#wish = wish;
    this.#language = language;
    this.#source = source;
    this.#voice = voice;
    this.#view = view;
    this.#events = events;
  }

  /** What is known of the story so far, to be kept. */
  get record() {
    const { title, kind, id, seed, evening } = this.#start;
    return {
      title, kind, id, seed, evening, wish: this.#wish, language: this.#language, isComplete: this.#hasAll,
      sentences: this.#sentences.map(({ text, startsParagraph }) => [text, startsParagraph ? 1 : 0]),
    };
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
    while (await this.#has()) {
      this.#next = this.#at + 1;
      this.#isTelling = true;
      await this.#tell(this.#sentences[this.#at]);
      this.#isTelling = false;
      this.#at = this.#next;
    }
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

  /** Tells the sentence before once more. */
  back() {
    const before = Math.max(this.#at - 1, 0);
    if (this.#isTelling) {
      this.#next = before;
      this.#voice.skip();
    } else {
      this.#at = before;
      this.#wake();
    }
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
      this.#events.changed();
    }
    this.#say(sentence.lines.splice(0));
    const index = this.#at;
    this.#voice.prepare(sentence, this.#language);
    this.#voice.prepare(this.#sentences[index + 1], this.#language);
    if (sentence.startsParagraph && index > 0) await this.#voice.breathe(paragraphPause);
    if (this.isOver || this.#next !== index + 1) return;
    this.#view.show(index, sentence);
    await this.#voice.say(sentence, this.#language, (start, length) => this.#view.word(index, start, length));
  }

  #say(lines) {
    for (const { text, kind } of lines) this.#view.notice(text, kind);
  }

  /** Waits until there is a sentence of that number and the story is not paused; false at the end. */
  async #has() {
    for (;;) {
      if (this.isOver) return false;
      if (!this.#isPaused) {
        if (this.#at < this.#sentences.length) return true;
        if (this.#isComplete) return false;
      }
      await new Promise((resolve) => (this.#wake = resolve));
    }
  }

  async #listen() {
    try {
      for await (const { name, data } of this.#source(this.#abort.signal, this.#events.busy)) {
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
        this.#start = data;
        this.#view.begin(this.#wish, data, this.#language);
        break;
      case "sentence":
        this.#sentences.push({ ...data, lines: this.#lines.splice(0) });
        if (this.#sentences.length <= this.#at + 2) this.#voice.prepare(data, this.#language);
        this.#wake();
        break;
      case "notice":
        // A little flame where it is warm; a book where a finished story has another reason.
        if (this.#events.isNews(data.text)) this.#lines.push({ text: data.text, kind: (data.reason ?? "heat") === "heat" ? "warm" : "shelf" });
        break;
      case "paused":
      case "resumed":
        this.#events.resting(name === "paused");
        break;
      case "library":
        // What is kept is the story that takes over.
        Object.assign(this.#start, { title: data.title, kind: data.kind, id: data.id });
        this.#lines.push({ text: this.#events.shelf(data.title), kind: "shelf" });
        break;
      case "failed":
        this.#failure = new Error(data.message);
        this.#isComplete = true;
        break;
      case "end":
        this.#hasAll = data.stop !== "cancelled";
        this.#isComplete = true;
        this.#events.changed();
        break;
      default: // what a later server says besides
    }
  }
}
