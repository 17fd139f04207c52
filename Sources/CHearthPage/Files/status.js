// What the model does just now: the moons, a line above the cards, and for grown-ups how much of it has arrived.

import { Moon } from "./moon.js";
import { fill } from "./strings.js";

const at = (id) => document.getElementById(id);
const moons = [new Moon(at("choose-moon")), new Moon(at("wait-moon"))];

/** A status is read out when it is set, also to what it was. */
function say(id, line) {
  if (at(id).textContent !== line) at(id).textContent = line;
}

/** Shows the model's state wherever a moon is. Returns whether it is on its way or waking up. */
export function showStatus(model, words, language) {
  const isComing = model.phase === "downloading";
  const isWaking = isComing || model.state === "warming" || model.state === "cold";
  const progress = isWaking ? model.progress ?? (model.state === "warming" ? null : 0) : 1;
  for (const moon of moons) moon.set(progress, words, isComing ? words.moonOnTheWay : words.moon);
  at("choose-moon").hidden = !isWaking;
  const rest = model.notice ?? (model.state === "ready" ? "" : words.shelf);
  const line = isComing ? words.onTheWay : isWaking ? words.wakingUp : rest;
  say("choose-status", line);
  at("choose-model").className = `model ${isWaking ? "" : model.notice ? "warm" : "shelf"}`;
  at("choose-model").hidden = !line;
  showArrival(model, words, language);
  return isWaking;
}

/** For grown-ups: how much of the model has arrived, and what is in its way. */
function showArrival({ phase, bytes, total, trouble }, words, language) {
  const megabytes = (bytes) => (bytes / 1e6).toLocaleString(language, { maximumFractionDigits: bytes < 1e7 ? 1 : 0 });
  const isComing = phase === "downloading" && bytes !== undefined;
  const text = total ? words.arrived : words.arriving;
  at("arrival").textContent = isComing ? fill(text, { done: megabytes(bytes), all: megabytes(total ?? 0) }) : "";
  at("arrival").hidden = !isComing;
  const line = trouble ? words.troubles[trouble] ?? words.troubles.other : "";
  say("choose-trouble", line);
  at("choose-trouble").hidden = !line;
}
