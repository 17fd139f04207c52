// What the device does for a story: a screen that stays on, and the buttons of headphones and lock screens.

/** Keeps the screen on while it is wanted. A browser gives the lock back when the page is hidden, and it is taken again. */
export class WakeLock {
  #isWanted = false;
  #lock = null;

  constructor() {
    document.addEventListener("visibilitychange", () => this.#hold());
  }

  want(isWanted) {
    this.#isWanted = isWanted;
    if (isWanted) this.#hold();
    else this.#release();
  }

  async #hold() {
    if (!this.#isWanted || this.#lock || document.visibilityState !== "visible") return;
    try {
      const lock = await navigator.wakeLock?.request("screen");
      if (!lock) return;
      this.#lock = lock;
      lock.addEventListener("release", () => (this.#lock = null));
      if (!this.#isWanted) this.#release();
    } catch {
      // A device that saves power may refuse; the story goes on.
    }
  }

  #release() {
    this.#lock?.release().catch(() => {});
    this.#lock = null;
  }
}

/** @param actions functions by the names of Media Session's actions, such as `pause`. */
export function offerMediaKeys(actions) {
  for (const [name, action] of Object.entries(actions)) {
    try {
      navigator.mediaSession?.setActionHandler(name, action);
    } catch {
      // A browser need not know every action.
    }
  }
}

/** What a lock screen shows. @param state `playing`, `paused` or `none`. */
export function showMedia(state, title) {
  const session = navigator.mediaSession;
  if (!session || !globalThis.MediaMetadata) return;
  session.playbackState = state;
  session.metadata = state === "none" ? null : new MediaMetadata({
    title, artist: "Hearth", artwork: [{ src: "/page/icon.svg", sizes: "any", type: "image/svg+xml" }],
  });
}

/**
 * Puts the page's fonts first in the lists of families once one of them is loaded. They are last until then, so that a browser loads
 * them only where it finds no other font for a character; but then Chromium (156) leaves the text that began the loading as it was
 * drawn, in boxes. Another list makes it draw all text once more.
 */
export function showFonts() {
  const look = () => {
    if ([...document.fonts].some(({ status }) => status === "loaded")) document.documentElement.dataset.fonts = "loaded";
  };
  document.fonts.addEventListener("loadingdone", look);
  look();
}

/** Keeps the page for times without its server, where the browser lets it. */
export function installWorker() {
  const workers = navigator.serviceWorker;
  if (!workers) return;
  workers.register("/page/worker.js", { scope: "/" }).catch(() => {});
  // A font that was asked for before the worker took over is asked for again, from the browser's own cache, so that the worker keeps
  // it: once it has come, or once the worker takes over, whichever is later.
  const fonts = new Set();
  const keep = (name) => fetch(name).catch(() => {});
  new PerformanceObserver((list) => {
    for (const { name } of list.getEntries()) {
      if (fonts.has(name) || !new URL(name).pathname.endsWith(".woff2")) continue;
      fonts.add(name);
      if (workers.controller) keep(name);
    }
  }).observe({ type: "resource", buffered: true });
  workers.addEventListener("controllerchange", () => fonts.forEach(keep));
}
