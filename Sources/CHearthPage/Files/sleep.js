// The sleep timer: after some minutes voice and sound become quieter, and the story ends.

const longestFade = 30_000;
const step = 250;

export class SleepTimer {
  #timer = 0;
  #events;

  /** @param events `fade(level)`, from 1 to 0, and `over()`. */
  constructor(events) {
    this.#events = events;
  }

  get isRunning() {
    return this.#timer !== 0;
  }

  /** Begins anew. @param minutes 0 for no timer. */
  set(minutes) {
    this.stop();
    if (!minutes) return;
    const end = performance.now() + minutes * 60_000;
    const fade = Math.min(longestFade, minutes * 30_000);
    this.#timer = setInterval(() => {
      const rest = end - performance.now();
      if (rest < fade) this.#events.fade(Math.max(rest / fade, 0));
      if (rest > 0) return;
      clearInterval(this.#timer);
      this.#timer = 0;
      this.#events.over();
    }, step);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#events.fade(1);
  }
}
