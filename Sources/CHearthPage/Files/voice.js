// Who reads aloud: a good voice of this device first, then the server's sounds, then any voice of this device, and nobody where
// there is none; then a sentence stays as long as it takes to read it.

import { speech } from "./server.js";

/** A reader's pace in milliseconds a character, and what a sentence takes besides. */
const pace = { en: 58, es: 56, "zh-Hans": 210 };
const breath = 650;
const tick = 50;

/** Half a tenth of a second of silence, as a WAV: played inside a tap, it makes the browser let the page speak later on. */
function silence() {
  const samples = 400;
  const view = new DataView(new ArrayBuffer(44 + samples));
  const text = (at, word) => [...word].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + samples, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, 8000, true);
  view.setUint32(28, 8000, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  text(36, "data");
  view.setUint32(40, samples, true);
  for (let i = 0; i < samples; i++) view.setUint8(44 + i, 128);
  return new Blob([view], { type: "audio/wav" });
}

export class Voice {
  #preferences;
  #audio = new Audio();
  #paused = false;
  #isUnlocked = false;
  #volume = 1;
  /** Counts what was left, so that a sound that comes late is not played. */
  #left = 0;
  /** What is being said now: settled early by `skip`. */
  #saying = null;
  // Of one story.
  #clips = new Map();
  #order = Promise.resolve();
  #stopped = new AbortController();
  #serverHasVoice = true;

  constructor(preferences) {
    this.#preferences = preferences;
    // Some browsers list their voices only after they were asked once.
    globalThis.speechSynthesis?.getVoices();
  }

  /** To be called while a tap or key is being handled. */
  unlock() {
    if (this.#isUnlocked || !this.#preferences.readAloud) return;
    this.#isUnlocked = true;
    this.#audio.src = URL.createObjectURL(silence());
    this.#audio.play().catch(() => {});
  }

  /** A new story: what was fetched for the one before is forgotten. */
  begin() {
    this.end();
    this.#stopped = new AbortController();
    this.#serverHasVoice = true;
    this.#paused = false;
  }

  end() {
    this.#stopped.abort();
    this.#clips.clear();
    this.#order = Promise.resolve();
    this.skip();
  }

  /** Fetches a sentence's sound ahead. Sounds are asked for one at a time, in the order in which they are wanted. */
  prepare(sentence, language) {
    const key = sentence && (sentence.audio ?? sentence.text);
    if (!key || !this.#preferences.readAloud || this.#clips.has(key) || browserVoice(language)?.isGood) return;
    const { signal } = this.#stopped;
    const clip = this.#order.then(async () => {
      if (signal.aborted || !this.#serverHasVoice) return null;
      const answer = await speech(sentence, language, signal);
      if (answer.voiceless && !signal.aborted) this.#serverHasVoice = false;
      return answer.clip;
    });
    this.#order = clip;
    this.#clips.set(key, clip);
  }

  /**
   * Says a sentence; returns when it was said, or when `skip` or `end` cut it off.
   * @param word is called with the start and the length of each word as it is said, where the voice tells.
   */
  async say(sentence, language, word) {
    const { signal } = this.#stopped;
    const left = this.#left;
    const isOver = () => signal.aborted || this.#left !== left;
    const { text } = sentence;
    if (this.#preferences.readAloud) {
      if (browserVoice(language)?.isGood && (await this.#speak(text, language, word))) return;
      if (isOver()) return;
      this.prepare(sentence, language);
      const clip = await this.#clips.get(sentence.audio ?? text);
      if (isOver()) return;
      if (clip && (await this.#play(clip))) return;
      if (isOver()) return;
      if (this.#preferences.readAloud && (await this.#speak(text, language, word))) return;
    }
    if (!isOver()) await this.#read(text, language);
  }

  /** A silence between two paragraphs. */
  breathe(milliseconds) {
    return this.#while({ begin: () => {}, limit: () => milliseconds / this.#preferences.speed, clean: () => {} });
  }

  /** From 0 to 1; of this device's voices from the next sentence on. */
  set volume(level) {
    this.#volume = level;
    this.#audio.volume = level;
  }

  pause() {
    this.#paused = true;
    this.#saying?.pause?.();
  }

  resume() {
    this.#paused = false;
    this.#saying?.resume?.();
  }

  /** Leaves what is being said now. */
  skip() {
    this.#left++;
    this.#saying?.settle(true);
  }

  /** What a grown-up changed holds at once. */
  preferencesChanged() {
    this.#audio.playbackRate = this.#preferences.speed;
    if (!this.#preferences.readAloud && this.#saying?.isHeard) this.skip();
  }

  // Each of the three resolves to whether the sentence counts as said.

  #play(clip) {
    const audio = this.#audio;
    const address = URL.createObjectURL(clip);
    return this.#while({
      isHeard: true,
      begin: (settle) => {
        audio.onended = () => settle(true);
        audio.onerror = () => settle(false);
        audio.src = address;
        audio.playbackRate = this.#preferences.speed;
        if (!this.#paused) audio.play().catch((error) => error.name !== "AbortError" && settle(false));
      },
      pause: () => audio.pause(),
      resume: (settle) => audio.play().catch((error) => error.name !== "AbortError" && settle(false)),
      // A device that went away would never end.
      limit: () => (Number.isFinite(audio.duration) ? (audio.duration / audio.playbackRate) * 1000 + 8000 : 60000),
      clean: () => {
        audio.onended = audio.onerror = null;
        audio.pause();
        // A player that is still opening it would not find it any more.
        setTimeout(() => URL.revokeObjectURL(address), 10_000);
      },
    });
  }

  #speak(text, language, word) {
    const synthesis = globalThis.speechSynthesis;
    const voice = browserVoice(language)?.voice;
    if (!synthesis || !voice) return false;
    return this.#while({
      isHeard: true,
      begin: (settle) => {
        const utterance = new SpeechSynthesisUtterance(text);
        utterance.voice = voice;
        utterance.lang = voice.lang;
        utterance.rate = 0.9 * this.#preferences.speed;
        utterance.volume = this.#volume;
        utterance.onboundary = (event) => {
          if (event.name && event.name !== "word") return;
          const length = event.charLength || /^[^\s]*/.exec(text.slice(event.charIndex))[0].length;
          word?.(event.charIndex, length);
        };
        utterance.onend = () => settle(true);
        utterance.onerror = () => settle(false);
        synthesis.cancel();
        synthesis.speak(utterance);
        if (this.#paused) synthesis.pause();
      },
      pause: () => synthesis.pause(),
      resume: () => synthesis.resume(),
      limit: () => 5000 + text.length * 600,
      clean: () => {
        synthesis.resume();
        synthesis.cancel();
      },
    });
  }

  #read(text, language) {
    const time = (breath + text.length * (pace[language] ?? pace.en)) / this.#preferences.speed;
    return this.#while({ begin: () => {}, limit: () => time, clean: () => {} });
  }

  /** One way of saying something, until it is settled; time that is paused does not count. */
  #while(way) {
    return new Promise((resolve) => {
      let spent = 0;
      const timer = setInterval(() => {
        if (!this.#paused) spent += tick;
        if (spent > way.limit()) settle(true);
      }, tick);
      const saying = {
        isHeard: way.isHeard,
        pause: way.pause,
        resume: () => way.resume?.(settle),
        settle,
      };
      const self = this;
      function settle(isSaid) {
        if (self.#saying !== saying) return;
        self.#saying = null;
        clearInterval(timer);
        way.clean();
        resolve(isSaid);
      }
      this.#saying?.settle(true);
      this.#saying = saying;
      way.begin(settle);
    });
  }
}

/** Names of voices that sound like a person; and of those that do not, or joke. */
const good = /premium|enhanced|natural|neural|siri/i;
const poor = /espeak|robot|whisper|zarvox|trinoids|bells|bubbles|organ|cellos|jester|superstar/i;

/** The best voice of this device for a language: { voice, isGood }, or null. Voices that send the text to a service are left alone. */
export function browserVoice(language) {
  const tags = language === "zh-Hans" ? ["zh-cn", "zh-hans", "cmn", "zh"] : [language];
  const voices = (globalThis.speechSynthesis?.getVoices() ?? []).filter((voice) => voice.localService);
  for (const tag of tags) {
    const speaking = voices.filter((voice) => voice.lang.toLowerCase().replace("_", "-").startsWith(tag));
    const voice = speaking.find(({ name }) => good.test(name) && !poor.test(name));
    if (voice) return { voice, isGood: true };
    if (speaking.length) return { voice: speaking.find(({ name }) => !poor.test(name)) ?? speaking[0], isGood: false };
  }
  return null;
}
