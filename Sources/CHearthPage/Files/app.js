// The page: which view is seen, and what keys and buttons do.

import { Cards, loadPictures, picture } from "./cards.js";
import { Moon } from "./moon.js";
import { Preferences } from "./preferences.js";
import { Locked, pauseFor, Unreachable, watchState, wishes } from "./server.js";
import { StoryView } from "./story.js";
import { fill, languages, wordsOf } from "./strings.js";
import { Telling } from "./telling.js";
import { Voice } from "./voice.js";

const at = (id) => document.getElementById(id);
const body = document.body;
const preferences = new Preferences();
const voice = new Voice(preferences);
const view = new StoryView({
  title: at("story-title"), text: at("story-text"), pictureHost: at("story-picture"),
});
const cards = new Cards(at("cards"), choose);
const moons = { choose: new Moon(at("choose-moon")), wait: new Moon(at("wait-moon")) };

/** How long a child waits for a model that wakes up before a finished story is told instead. */
const patience = 6000;
/** How long nobody touches anything until the page dims. */
const dimAfter = 9000;

let words = wordsOf(preferences.language);
let model = { state: "cold", progress: null, notice: null };
let telling = null;
let lastWish = null;
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
  for (const element of document.querySelectorAll("[data-word]")) element.textContent = words[element.dataset.word];
  for (const element of document.querySelectorAll("[data-label]")) {
    element.setAttribute("aria-label", words[element.dataset.label]);
  }
  showPause();
  showModel();
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
      if (body.dataset.view === "trouble" && !lastWish) show("choose");
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

const headings = { choose: "choose-title", wait: "wait-title", tell: "story-title", trouble: "trouble-title" };

function show(name, stage = "") {
  const isNew = body.dataset.view !== name;
  body.dataset.view = name;
  body.dataset.stage = stage;
  for (const section of document.querySelectorAll("[data-of]")) section.hidden = !section.dataset.of.split(" ").includes(name);
  at("controls").hidden = name !== "tell" || stage === "ended";
  at("ending").hidden = name !== "tell" || stage !== "ended";
  at("grown-ups").open = false;
  if (isNew) {
    if (name !== "choose") scrollTo(0, 0);
    at(headings[name]).focus({ preventScroll: name === "choose" });
  }
  stayAwake();
}

/** What the model does, wherever a moon is. */
function showModel() {
  const isComing = model.phase === "downloading";
  const isWaking = isComing || model.state === "warming" || model.state === "cold";
  const progress = isWaking ? model.progress ?? (model.state === "warming" ? null : 0) : 1;
  for (const moon of Object.values(moons)) moon.set(progress, words, isComing ? words.moonOnTheWay : words.moon);
  at("choose-moon").hidden = !isWaking;
  const line = isComing ? words.onTheWay : isWaking ? words.wakingUp : model.notice ?? (model.state === "ready" ? "" : words.shelf);
  // A status is read out when it is set, also to what it was.
  if (at("choose-status").textContent !== line) at("choose-status").textContent = line;
  at("choose-model").className = `model ${isWaking ? "" : model.notice ? "warm" : "shelf"}`;
  at("choose-model").hidden = !line;
  showArrival();
  if (!isWaking) endWait();
}

/** For grown-ups: how much of the model has arrived, and what is in its way. */
function showArrival() {
  const megabytes = (bytes) => (bytes / 1e6).toLocaleString(preferences.language, { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });
  const { bytes, total, trouble } = model;
  const isComing = model.phase === "downloading" && bytes !== undefined;
  const text = total ? words.arrived : words.arriving;
  at("arrival").textContent = isComing ? fill(text, { done: megabytes(bytes), all: megabytes(total ?? 0) }) : "";
  at("arrival").hidden = !isComing;
  const line = trouble ? words.troubles[trouble] ?? words.troubles.other : "";
  if (at("choose-trouble").textContent !== line) at("choose-trouble").textContent = line;
  at("choose-trouble").hidden = !line;
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
  at("trouble-other").hidden = !lastWish;
  show("trouble");
}

// MARK: - A story

function choose(wish) {
  const all = [...at("cards").children].filter((card) => card.dataset.wish !== "surprise");
  if (wish.id !== "surprise") return begin(wish);
  const card = all[Math.floor(Math.random() * all.length)];
  if (card) begin({ id: card.dataset.wish, title: card.textContent });
}

async function begin(wish) {
  voice.unlock();
  telling?.stop();
  lastWish = wish;
  at("wait-wish").textContent = wish.title;
  at("wait-picture").replaceChildren(picture(wish.id));
  at("wait-status").textContent = words.listening;
  const mine = new Telling({
    wish, language: preferences.language, voice, view,
    events: {
      busy: () => (at("wait-status").textContent = words.busy),
      begun: () => show("tell", "telling"),
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
  await modelOrPatience();
  if (telling !== mine || mine.isOver) return;
  const outcome = await mine.run();
  if (telling !== mine) return;
  if (outcome instanceof Error) return trouble(outcome);
  if (outcome === "stopped" && body.dataset.view === "wait") return leave();
  at("ending-title").textContent = { end: words.theEnd, stopped: words.stopped, broken: words.drifted }[outcome];
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

function togglePause() {
  if (body.dataset.view !== "tell" || body.dataset.stage === "ended") return;
  if (telling.isPaused) telling.resume();
  else telling.pause();
  showPause();
  show("tell", telling.isPaused ? "paused" : "telling");
}

/** Stops what is told; where nothing is, goes back to the cards. */
function stop() {
  if (body.dataset.view === "tell" && body.dataset.stage !== "ended") telling.stop();
  else leave();
}

function leave() {
  const before = telling;
  telling = null;
  before?.stop();
  endWait();
  lastWish = null;
  show("choose");
  cards.focus();
}

function again() {
  if (lastWish) begin(lastWish);
  else useLanguage(preferences.language);
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
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.key === "Escape") {
    if (at("grown-ups").open) {
      at("grown-ups").open = false;
      at("grown-ups").querySelector("summary").focus();
    } else if (body.dataset.view !== "choose") {
      stop();
    }
  } else if (event.key === " " && body.dataset.view === "tell" && !event.target.closest("button, input, summary")) {
    event.preventDefault();
    togglePause();
  }
});

addEventListener("pointerdown", (event) => {
  if (!at("grown-ups").contains(event.target)) at("grown-ups").open = false;
});

at("pause").addEventListener("click", togglePause);
at("stop").addEventListener("click", stop);
for (const id of ["next", "ending-again", "trouble-retry"]) at(id).addEventListener("click", again);
for (const id of ["ending-other", "trouble-other", "wait-other"]) at(id).addEventListener("click", leave);
at("tell-now").addEventListener("click", () => endWait());
addEventListener("pagehide", () => telling?.stop());

for (const input of document.querySelectorAll("input[name=language]")) {
  input.checked = input.value === preferences.language;
  input.addEventListener("change", () => useLanguage(input.value));
}
at("read-aloud").checked = preferences.readAloud;
at("read-aloud").addEventListener("change", (event) => {
  preferences.set({ readAloud: event.target.checked });
  voice.unlock();
  voice.preferencesChanged();
});
at("speed").value = preferences.speed;
at("speed").addEventListener("input", (event) => {
  preferences.set({ speed: Number(event.target.value) });
  voice.preferencesChanged();
});

console.assert(languages.every(({ tag }) => document.querySelector(`input[value="${tag}"]`)), "a language has no button");
speak(preferences.language);
show("choose");
await loadPictures();
useLanguage(preferences.language);
