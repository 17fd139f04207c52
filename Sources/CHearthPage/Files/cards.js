// The wishes as picture cards: buttons in a grid, one stop of the tab key, arrows walk among them.

const space = "http://www.w3.org/2000/svg";

/** Brings the pictures into the document, so that cards can show them. Without them the cards have their names alone. */
export async function loadPictures() {
  try {
    const response = await fetch("/page/cards.svg");
    if (!response.ok) return;
    const sprite = new DOMParser().parseFromString(await response.text(), "image/svg+xml").documentElement;
    if (sprite.nodeName !== "svg") return;
    sprite.setAttribute("class", "sprite");
    sprite.setAttribute("aria-hidden", "true");
    document.body.append(document.adoptNode(sprite));
  } catch {
    // A card still has its name.
  }
}

/** A wish's picture; decoration beside its name. */
export function picture(id) {
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 120 120");
  svg.setAttribute("class", "picture");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(space, "use");
  use.setAttribute("href", document.getElementById(`card-${id}`) ? `#card-${id}` : "#card-surprise");
  svg.append(use);
  return svg;
}

/** The card that an arrow leads to from `index`: sideways in reading order, up and down to the nearest one of that row. */
export function neighbour(places, index, key) {
  const here = places[index];
  if (key === "ArrowRight") return Math.min(index + 1, places.length - 1);
  if (key === "ArrowLeft") return Math.max(index - 1, 0);
  if (key === "Home") return 0;
  if (key === "End") return places.length - 1;
  const down = key === "ArrowDown";
  const rows = places.map((place) => place.top).filter((top) => (down ? top > here.top + 1 : top < here.top - 1));
  if (!rows.length) return index;
  const row = down ? Math.min(...rows) : Math.max(...rows);
  let best = index;
  let distance = Infinity;
  places.forEach((place, i) => {
    const away = Math.abs(place.left - here.left);
    if (Math.abs(place.top - row) <= 1 && away < distance) [best, distance] = [i, away];
  });
  return best;
}

const walking = new Set(["ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Home", "End"]);

export class Cards {
  #host;
  #chosen;

  /** @param chosen is called with a wish's id, inside the tap or key. */
  constructor(host, chosen) {
    this.#host = host;
    this.#chosen = chosen;
    host.addEventListener("keydown", (event) => this.#walk(event));
    host.addEventListener("focusin", (event) => this.#rove(event.target.closest("button")));
  }

  show(wishes, language) {
    const kept = this.#host.querySelector("button[tabindex='0']")?.dataset.wish;
    this.#host.lang = language;
    this.#host.replaceChildren(
      ...wishes.map((wish) => {
        const button = document.createElement("button");
        const name = document.createElement("span");
        button.type = "button";
        button.className = "card";
        button.dataset.wish = wish.id;
        name.textContent = wish.title;
        button.append(picture(wish.id), name);
        button.addEventListener("click", () => this.#chosen(wish));
        return button;
      }));
    this.#rove(this.#host.querySelector(`[data-wish="${CSS.escape(kept ?? "")}"]`) ?? this.#host.firstElementChild);
  }

  /** Back to where the child was. */
  focus() {
    this.#host.querySelector("button[tabindex='0']")?.focus();
  }

  #rove(button) {
    if (!button) return;
    for (const other of this.#host.children) other.tabIndex = other === button ? 0 : -1;
  }

  #walk(event) {
    if (!walking.has(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    const cards = [...this.#host.children];
    const index = cards.indexOf(event.target.closest("button"));
    if (index < 0) return;
    event.preventDefault();
    cards[neighbour(cards.map((card) => card.getBoundingClientRect()), index, event.key)].focus();
  }
}
