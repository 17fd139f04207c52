// A moon that fills: a waxing moon with as much of its disc lit as there is progress.

const space = "http://www.w3.org/2000/svg";
const radius = 44;

/**
 * The lit part of a disc as a path. The limb is a half circle; the terminator is half of an ellipse, because it is a circle seen
 * from the side: its other half axis is r·|1 − 2k|, where k is the lit fraction of the disc.
 */
export function litPath(fraction, r = radius) {
  const k = Math.min(Math.max(fraction, 0), 1);
  const axis = (r * Math.abs(1 - 2 * k)).toFixed(2);
  // Up to half the terminator bulges towards the lit limb, then away from it.
  const sweep = k < 0.5 ? 0 : 1;
  return `M0 ${-r}A${r} ${r} 0 0 1 0 ${r}A${axis} ${r} 0 0 ${sweep} 0 ${-r}Z`;
}

/** 0 for a new moon … 6 for a full one. */
export function phaseOf(fraction) {
  if (fraction <= 0.02) return 0;
  if (fraction >= 0.995) return 6;
  return 1 + Math.min(4, Math.floor(fraction * 5));
}

function shape(name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

let made = 0;

/** Draws into `host`, which becomes a progress bar for who cannot see it. */
export class Moon {
  #lit;
  #host;
  #shown = 0;
  #wanted = 0;
  #frame = 0;

  constructor(host) {
    const clip = `moon-lit-${made++}`;
    this.#host = host;
    this.#lit = shape("path", { d: litPath(0) });
    const seas = [[-14, -14, 10], [12, -4, 13], [-6, 16, 8], [20, 20, 5], [-24, 6, 5], [6, -27, 5]];
    const disc = (body, mark) => [
      shape("circle", { r: radius, fill: body }),
      ...seas.map(([cx, cy, r]) => shape("circle", { cx, cy, r, fill: mark, opacity: 0.34 })),
    ];
    host.append(
      shape("svg", { viewBox: "-60 -60 120 120", "aria-hidden": "true" },
        shape("defs", {},
          shape("clipPath", { id: clip }, this.#lit),
          shape("radialGradient", { id: `${clip}-halo` },
            shape("stop", { offset: 0.6, "stop-color": "#f3c678", "stop-opacity": 0.42 }),
            shape("stop", { offset: 1, "stop-color": "#f3c678", "stop-opacity": 0 })),
          shape("radialGradient", { id: `${clip}-light`, cx: 0.62, cy: 0.36, r: 0.75 },
            shape("stop", { offset: 0, "stop-color": "#fff0cf" }),
            shape("stop", { offset: 1, "stop-color": "#eec07a" }))),
        shape("circle", { r: 60, fill: `url(#${clip}-halo)`, class: "halo" }),
        shape("g", {}, ...disc("#3a2a25", "#2d201c")),
        shape("g", { "clip-path": `url(#${clip})` }, ...disc(`url(#${clip}-light)`, "#d6a45c"))));
    host.setAttribute("role", "progressbar");
    host.setAttribute("aria-valuemin", "0");
    host.setAttribute("aria-valuemax", "100");
  }

  /** @param fraction from 0 to 1, or null where nobody knows. @param label what it is that fills. */
  set(fraction, words, label = words.moon) {
    const value = fraction ?? this.#wanted;
    this.#wanted = Math.min(Math.max(value, 0), 1);
    this.#host.setAttribute("aria-label", label);
    this.#host.setAttribute("aria-valuenow", String(Math.round(this.#wanted * 100)));
    this.#host.setAttribute("aria-valuetext", words.phases[phaseOf(this.#wanted)]);
    this.#host.dataset.phase = phaseOf(this.#wanted);
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.#draw(this.#wanted);
    else if (!this.#frame) this.#frame = requestAnimationFrame(() => this.#step());
  }

  /** Light spreads softly, however progress jumps. */
  #step() {
    const rest = this.#wanted - this.#shown;
    const isThere = Math.abs(rest) < 0.002;
    this.#draw(isThere ? this.#wanted : this.#shown + rest * 0.09);
    this.#frame = isThere ? 0 : requestAnimationFrame(() => this.#step());
  }

  #draw(fraction) {
    this.#shown = fraction;
    this.#lit.setAttribute("d", litPath(fraction));
    this.#host.querySelector(".halo").setAttribute("opacity", String(fraction));
  }
}
