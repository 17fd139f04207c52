// The stories that were told here, kept in this browser alone: what was told lately, and favourites.

const key = "hearth.stories";
const mostRecent = 20;
const mostFavourites = 40;

/** The same story has the same name, however often it was told. */
function nameOf({ kind, id, wish, seed, evening, language, name }) {
  return [language, kind, id ?? wish, kind === "finished" ? "" : seed, evening ?? 1, name ?? ""].join(" ");
}

export class Kept {
  #stories = [];

  constructor() {
    try {
      const kept = JSON.parse(localStorage.getItem(key));
      if (Array.isArray(kept)) this.#stories = kept.filter((story) => story?.title && Array.isArray(story.sentences));
    } catch {
      // Storage may be switched off, or hold what something else wrote.
    }
  }

  /** Newest first. */
  stories(language) {
    return this.#stories.filter((story) => story.language === language);
  }

  /** The tale with whose friends the family wants to go on; null where there is none. */
  bookmark(language) {
    return this.stories(language).find((story) => story.isBookmarked) ?? null;
  }

  /** Keeps a story, told now; what is known of it already stays. Returns it as it is kept. */
  add(story) {
    const known = this.#find(story);
    const kept = { ...known, ...story, at: Date.now() };
    if (known?.isComplete && !story.isComplete) Object.assign(kept, { sentences: known.sentences, isComplete: true });
    this.#stories = [kept, ...this.#stories.filter((other) => other !== known)];
    this.#save();
    return kept;
  }

  /** Changes what is noted of a kept story. */
  mark(story, values) {
    const found = this.#find(story);
    if (!found) return;
    Object.assign(found, values);
    Object.assign(story, values);
    this.#save();
  }

  /** One bookmark a language is enough. */
  putBookmark(story) {
    for (const other of this.stories(story.language)) delete other.isBookmarked;
    this.mark(story, { isBookmarked: true });
  }

  forget() {
    this.#stories = [];
    this.#save();
  }

  #find(story) {
    const name = nameOf(story);
    return this.#stories.find((other) => nameOf(other) === name);
  }

  #save() {
    const favourites = this.#stories.filter((story) => story.isFavourite).slice(0, mostFavourites);
    const recent = this.#stories.filter((story) => !story.isFavourite).slice(0, mostRecent);
    this.#stories = this.#stories.filter((story) => favourites.includes(story) || recent.includes(story));
    // A device that has no room for all keeps the newest.
    for (let count = this.#stories.length; ; count = Math.floor(count / 2)) {
      try {
        localStorage.setItem(key, JSON.stringify(this.#stories.slice(0, count)));
        return;
      } catch {
        if (count === 0) return;
      }
    }
  }
}

/** The request that tells a story with the same words again. */
export function again(story) {
  const body = { language: story.language };
  if (story.length) body.length = story.length;
  if (story.name) Object.assign(body, { name: story.name, pronoun: story.pronoun });
  if (story.kind === "model") return { ...body, wish: story.wish, seed: story.seed };
  if (story.evening) return { ...body, after: story.id, evening: story.evening, seed: story.seed };
  return { ...body, story: story.id, seed: story.seed };
}

/** The request for another story like one. @param wants what is wanted now, of `Preferences`. */
export function another(story, wants) {
  return story.id ? { ...wants, like: story.id } : { ...wants, wish: story.wish };
}

/** The request for the next evening with the friends of a tale. */
export function nextEvening(story) {
  const { story: _, wish: __, ...body } = again(story);
  return { ...body, after: story.id, evening: (story.evening ?? 1) + 1, seed: story.seed };
}
