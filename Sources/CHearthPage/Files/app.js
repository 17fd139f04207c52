// The page: which view is seen, and what keys and buttons do.

import { SoundBed } from "./bed.js";
import { Cards, loadPictures, picture } from "./cards.js";
import { installWorker, offerMediaKeys, showFonts, showMedia, WakeLock } from "./device.js";
import { again, another, Kept, nextEvening } from "./kept.js";
import { Preferences } from "./preferences.js";
import { finishedStories, Locked, pauseFor, story, Unreachable, watchState, wishes } from "./server.js";
import { Settings } from "./settings.js";
import { finished, retold, Shelf } from "./shelf.js";
import { SleepTimer } from "./sleep.js";
import { showStatus } from "./status.js";
import { StoryView } from "./story.js";
import { fill, languages, wordAt, wordsOf } from "./strings.js";
import { Telling } from "./telling.js";
import { Voice } from "./voice.js";

const at = (id) => document.getElementById(id);
const body = document.body;
const preferences = new Preferences();
const kept = new Kept();
const voice = new Voice(preferences);
const bed = new SoundBed();
const screenLock = new WakeLock();
const view = new StoryView({
  title: at("story-title"), text: at("story-text"), pictureHost: at("story-picture"),
});
const cards = new Cards(at("cards"), choose);
const shelf = new Shelf(at("books"), kept, tellKept);
const settings = new Settings(at("grown-ups"), preferences, changed);
const sleep = new SleepTimer({
  fade(level) {
    voice.volume = level;
    if (!telling?.isPaused) bed.fade(level);
  },
  over: () => telling?.stop(),
});

/** How long a child waits for a model that wakes up before a finished story is told instead. */
const patience = 6000;
/** How long nobody touches anything until the page dims. */
const dimAfter = 9000;

let words = wordsOf(preferences.language);
let model = { state: "cold", progress: null, notice: null };
let telling = null;
/** What was asked for last: `wish` and `title` to be shown, `body` as the server is asked, or `entry` of a story that is kept. */
let wanted = null;
/** The story that was told last, as it is kept. */
let told = null;
/** The finished stories of the language. */
let books = [];
/** The model takes a rest in the middle of the story. */
let isModelResting = false;
let watching = new AbortController();
/** Ends the wait for a model that wakes up. */
let endWait = () => {};

// MARK: - Words

function speak(language) {
  words = wordsOf(language);
  document.documentElement.lang = language;
  document.title = words.pageTitle;
  for (const element of document.querySelectorAll("[data-word]")) {
    element.textContent = wordAt(words, element.dataset.word);
  }
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
  }
  showPause();
  showModel();
  showBookmark();
}

async function useLanguage(language) {
  preferences.set({ language });
  speak(language);
  watching.abort();
  watching = new AbortController();
  const { signal } = watching;
  watchState(language, signal, (state) => {
    model = state;
    showModel();
  });
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 15000)) {
    try {
      const found = await wishes(language, signal);
      if (signal.aborted) return;
      cards.show([{ id: "surprise", title: words.surprise }, ...found], language);
      if (body.dataset.view === "trouble" && !wanted) show("choose");
      books = await finishedStories(language, signal).catch(() => []);
      return;
    } catch (error) {
      if (signal.aborted) return;
      trouble(error);
      if (error instanceof Locked) return;
    }
    await pauseFor(wait, signal);
  }
}

// MARK: - Views

const headings = { choose: "choose-title", shelf: "shelf-title", wait: "wait-title", tell: "story-title", trouble: "trouble-title" };

function show(name, stage = "") {
  const isNew = body.dataset.view !== name;
  body.dataset.view = name;
  body.dataset.stage = stage;
  for (const section of document.querySelectorAll("[data-of]")) section.hidden = !section.dataset.of.split(" ").includes(name);
  at("controls").hidden = name !== "tell" || stage === "ended";
  at("ending").hidden = name !== "tell" || stage !== "ended";
  screenLock.want(name === "wait" || stage === "telling");
  showMedia(name !== "tell" || stage === "ended" ? "none" : stage === "paused" ? "paused" : "playing", at("story-title").textContent);
  if (isNew) {
    if (name !== "choose") scrollTo(0, 0);
    at(headings[name]).focus({ preventScroll: name === "choose" });
  }
  stayAwake();
}

function showModel() {
  if (!showStatus(model, words, preferences.language)) endWait();
}

function showPause() {
  const isPaused = telling?.isPaused ?? false;
  at("pause").dataset.paused = isPaused;
  at("pause-word").textContent = isPaused ? words.resume : words.pause;
  at("paused-line").textContent = isPaused ? words.paused : isModelResting ? words.resting : "";
}

/** Something went wrong: a kind sentence, and ways on. */
function trouble(error) {
  let [title, hint] = [words.noStory, words.noStoryHint];
  if (error instanceof Unreachable) [title, hint] = [words.asleep, words.asleepHint];
  if (error instanceof Locked) [title, hint] = [words.locked, words.lockedHint];
  at("trouble-title").textContent = title;
  at("trouble-hint").textContent = hint;
  at("trouble-other").hidden = !wanted;
  at("trouble-shelf").hidden = !(error instanceof Unreachable && wanted && books.length);
  show("trouble");
}

/** With whose friends the family wants to go on. */
function showBookmark() {
  const bookmark = kept.bookmark(preferences.language);
  at("go-on").hidden = !bookmark;
  if (bookmark) at("go-on").textContent = fill(words.goOn, { title: bookmark.title });
}

function showFavourite() {
  const isFavourite = Boolean(told?.isFavourite);
  at("ending-keep").setAttribute("aria-pressed", isFavourite);
  at("ending-keep").textContent = `${isFavourite ? "★" : "☆"} ${isFavourite ? words.kept : words.keep}`;
}

// MARK: - A story

function choose(wish) {
  const all = [...at("cards").children].filter((card) => card.dataset.wish !== "surprise");
  const card = all[Math.floor(Math.random() * all.length)];
  const { id, title } = wish.id === "surprise" && card ? { id: card.dataset.wish, title: card.textContent } : wish;
  begin({ wish: id, title, body: { ...preferences.wants, wish: id } });
}

/** A story of the bookshelf, or one that was told before. */
function tellKept(entry) {
  const { wish, title } = entry;
  begin(entry.isComplete ? { wish, title, entry } : { wish, title, body: again(entry) });
}

function goOn(entry) {
  begin({ wish: entry.wish, title: entry.title, body: nextEvening(entry), isEvening: true });
}

/** A notice is news once an evening. */
function isNews(text) {
  try {
    const seen = JSON.parse(sessionStorage.getItem("hearth.notices")) ?? [];
    sessionStorage.setItem("hearth.notices", JSON.stringify([...seen, text]));
    return !seen.includes(text);
  } catch {
    return true;
  }
}

/** Keeps what was told so far. */
function keep(record, { body = {}, entry, isEvening }) {
  if (!record.title) return;
  const { name, pronoun, length } = entry ?? body;
  told = kept.add({ ...record, name, pronoun, length: typeof length === "string" ? length : undefined });
  if (isEvening && told.isComplete) kept.putBookmark(told);
}

async function begin(next) {
  voice.unlock();
  telling?.stop();
  [wanted, told] = [next, null];
  bed.play(preferences.bed, preferences.bedVolume);
  if (!sleep.isRunning) sleep.set(preferences.sleep);
  at("wait-wish").textContent = next.title;
  at("wait-picture").replaceChildren(picture(next.wish));
  at("wait-status").textContent = words.listening;
  const { language } = next.entry ?? next.body;
  const mine = new Telling({
    wish: next.wish, language, voice, view,
    source: next.entry ? () => retold(next.entry) : (signal, busy) => story(next.body, signal, busy),
    events: {
      busy: () => (at("wait-status").textContent = words.busy),
      begun: () => show("tell", "telling"),
      changed: () => keep(mine.record, next),
      isNews,
      resting: (isResting) => {
        isModelResting = isResting;
        showPause();
      },
      shelf: (title) => fill(words.fromShelf, { title }),
    },
  });
  telling = mine;
  isModelResting = false;
  showPause();
  show("wait");
  const asksModel = !next.entry && next.body.wish && !next.body.length && !next.body.name;
  if (asksModel) await modelOrPatience();
  if (telling !== mine || mine.isOver) return;
  const outcome = await mine.run();
  if (telling !== mine) return;
  bed.stop();
  if (outcome instanceof Error) return trouble(outcome);
  if (outcome === "stopped" && body.dataset.view === "wait") return leave();
  end(outcome);
}

function end(outcome) {
  at("leave").close();
  at("ending-title").textContent = { end: words.theEnd, stopped: words.stopped, broken: words.drifted }[outcome];
  at("ending-tomorrow").hidden = !told?.id || told.kind === "finished";
  showFavourite();
  show("tell", "ended");
  at("ending-title").focus({ preventScroll: true });
  at("ending").scrollIntoView({ block: "nearest" });
}

/** A model that is just waking up is worth a moment; more than that is not asked of a child. */
async function modelOrPatience() {
  if (model.state !== "warming") return;
  at("tell-now").hidden = false;
  at("wait-status").textContent = words.warming;
  const over = new AbortController();
  endWait = () => over.abort();
  await pauseFor(patience, over.signal);
  endWait = () => {};
  at("tell-now").hidden = true;
  at("wait-status").textContent = words.listening;
}

const isTelling = () => body.dataset.view === "tell" && body.dataset.stage !== "ended";

function setPaused(isPaused) {
  if (!isTelling() || telling.isPaused === isPaused) return;
  if (isPaused) telling.pause();
  else telling.resume();
  bed.fade(isPaused ? 0 : 1, 1);
  showPause();
  show("tell", isPaused ? "paused" : "telling");
}

const togglePause = () => setPaused(!telling?.isPaused);

/** Another story instead of this one: asked first, because a finger on a dark screen is easily wrong. */
function askToLeave() {
  if (!isTelling()) return;
  const wasPaused = telling.isPaused;
  setPaused(true);
  at("leave").returnValue = "";
  at("leave").addEventListener("close", () => {
    if (at("leave").returnValue === "yes") next();
    else if (!wasPaused) setPaused(false);
  }, { once: true });
  at("leave").showModal();
}

/** Stops what is told; where nothing is, goes back to the cards. */
function stop() {
  if (isTelling()) telling.stop();
  else leave();
}

function leave() {
  const before = telling;
  telling = null;
  before?.stop();
  endWait();
  bed.stop();
  wanted = null;
  showBookmark();
  show("choose");
  cards.focus();
}

/** Another story like the last one. */
function next() {
  if (!told) return retry();
  const { wish, language } = told;
  begin({ wish, title: titleOf(wish) ?? told.title, body: another(told, { ...preferences.wants, language }) });
}

const titleOf = (wish) => at("cards").querySelector(`[data-wish="${CSS.escape(wish)}"]`)?.textContent;

function retry() {
  if (wanted) begin(wanted);
  else useLanguage(preferences.language);
}

/** A finished story about what was wanted, where the server is gone. */
function fromTheShelf() {
  const fitting = books.filter((book) => book.wishes.includes(wanted?.wish));
  const list = fitting.length ? fitting : books;
  tellKept(finished(list[Math.floor(Math.random() * list.length)], preferences.language));
}

function openShelf() {
  shelf.show(books, words, preferences.language);
  show("shelf");
}

// MARK: - Hands

let dimming = 0;

/** Bright while hands are there, dim while a story is told and nobody touches anything. */
function stayAwake() {
  clearTimeout(dimming);
  body.classList.remove("dim");
  if (body.dataset.stage === "telling") dimming = setTimeout(() => body.classList.add("dim"), dimAfter);
}

for (const kind of ["pointerdown", "pointermove", "keydown", "wheel"]) addEventListener(kind, stayAwake, { passive: true });

addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") {
    if (body.dataset.view !== "choose") stop();
  } else if (event.key === " " && body.dataset.view === "tell" && !event.target.closest("button, input")) {
    event.preventDefault();
    togglePause();
  }
});

const buttons = {
  pause: togglePause,
  stop,
  back: () => telling?.back(),
  next: askToLeave,
  "ending-again": next,
  "ending-same": () => told && tellKept(told),
  "ending-tomorrow": () => {
    kept.putBookmark(told);
    at("ending-title").textContent = words.tomorrowKept;
    at("ending-tomorrow").hidden = true;
    at("ending-title").focus();
  },
  "ending-keep": () => {
    kept.mark(told, { isFavourite: !told.isFavourite });
    showFavourite();
  },
  "trouble-retry": retry,
  "trouble-shelf": fromTheShelf,
  "ending-other": leave,
  "trouble-other": leave,
  "wait-other": leave,
  "shelf-back": leave,
  "open-shelf": openShelf,
  "open-settings": () => {
    at("forgotten").textContent = "";
    settings.open();
  },
  "go-on": () => goOn(kept.bookmark(preferences.language)),
  "tell-now": () => endWait(),
  "leave-yes": () => at("leave").close("yes"),
  "leave-no": () => at("leave").close(),
  forget: () => {
    kept.forget();
    showBookmark();
    at("forgotten").textContent = words.forgotten;
  },
};
for (const [id, press] of Object.entries(buttons)) at(id).addEventListener("click", press);
offerMediaKeys({
  play: () => setPaused(false), pause: () => setPaused(true), stop, previoustrack: () => telling?.back(),
});
addEventListener("pagehide", () => telling?.stop());

/** What a grown-up changed holds at once. */
function changed(name) {
  if (name === "readAloud") voice.unlock();
  voice.preferencesChanged();
  if (name.startsWith("bed") && isTelling() && !telling.isPaused) bed.play(preferences.bed, preferences.bedVolume);
  if (name === "sleep") sleep.set(isTelling() ? preferences.sleep : 0);
}

for (const input of document.querySelectorAll("input[name=language]")) {
  input.checked = input.value === preferences.language;
  input.addEventListener("change", () => useLanguage(input.value));
}
for (const input of document.querySelectorAll("input[name=length]")) {
  input.checked = input.value === preferences.length;
  input.addEventListener("change", () => preferences.set({ length: input.value }));
}

console.assert(languages.every(({ tag }) => document.querySelector(`input[value="${tag}"]`)), "a language has no button");
speak(preferences.language);
show("choose");
showFonts();
installWorker();
await loadPictures();
useLanguage(preferences.language);
