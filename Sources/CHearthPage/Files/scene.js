// A scene for each story, drawn in layers from the cards' own pictures: sky, stars, moon, hills, the wish, clouds. The layers move
// slowly by the style sheet, which stills them where less motion is asked for.

const space = "http://www.w3.org/2000/svg";
const [width, height] = [360, 170];
const snowy = new Set(["first-snow", "friendly-snowman", "clumsy-penguin"]);
const hills = {
  plum: ["#4a3044", "#33222f"], dusk: ["#6a3f37", "#43291f"], moss: ["#34422f", "#222c20"],
  sea: ["#35504f", "#23373b"], ember: ["#573a2a", "#38251c"], night: ["#3a3247", "#272233"],
};
let made = 0;

function shape(name, attributes, ...children) {
  const element = document.createElementNS(space, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Numbers from 0 to 1 that look random and are the same for the same text (mulberry32 over FNV-1a). */
export function drawing(text) {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ letter.codePointAt(0), 16777619);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A chain of hills across the scene. */
function ridge(random, top, depth) {
  const phases = [random() * 6, random() * 6];
  let path = `M-20 ${height + 10}`;
  for (let x = -20; x <= width + 20; x += 12) {
    const y = top - depth * (0.6 * Math.sin(x / 62 + phases[0]) + 0.4 * Math.sin(x / 27 + phases[1]));
    path += `L${x} ${y.toFixed(1)}`;
  }
  return `${path}L${width + 20} ${height + 10}Z`;
}

function dots(random, count, className, attributes, area) {
  return Array.from({ length: count }, (_, index) => shape("circle", {
    cx: (random() * width).toFixed(1), cy: (area[0] + random() * (area[1] - area[0])).toFixed(1),
    r: (0.6 + random() * 0.9).toFixed(2), class: `${className} turn-${index % 4}`, ...attributes,
  }));
}

/** The scene of a wish. @param seed anything that tells one story from the next. */
export function scene(wish, seed) {
  const random = drawing(`${wish} ${seed}`);
  const card = document.getElementById(`card-${wish}`) ?? document.getElementById("card-surprise");
  const parts = [...(card?.children ?? [])];
  const sky = /^#p-(\w+)$/.exec(parts[0]?.getAttribute("href") ?? "")?.[1] ?? "night";
  const figure = parts.slice(sky in hills && parts[0]?.nodeName === "use" ? 1 : 0).map((part) => part.cloneNode(true));
  const [far, near] = hills[sky] ?? hills.night;
  const fade = `scene-fade-${made++}`;
  const isLeft = random() < 0.5;
  const moon = [isLeft ? 285 + random() * 40 : 35 + random() * 40, 30 + random() * 18];
  const clouds = [0, 1, 2].map((index) => shape("g", { class: `cloud turn-${index}` }, shape("use", {
    href: "#p-cloud", fill: "#f6e3bb", opacity: (0.1 + random() * 0.1).toFixed(2),
    transform: `translate(${(40 + index * 120 + random() * 50).toFixed(0)} ${(26 + random() * 46).toFixed(0)}) scale(${(0.7 + random() * 0.6).toFixed(2)})`,
  })));
  const drops = snowy.has(wish) ? dots(random, 26, "flake", { fill: "#fff4dc", opacity: 0.7 }, [-height, height])
    : wish === "rainy-day" ? Array.from({ length: 24 }, (_, index) => {
      const [x, y] = [random() * width, random() * 2 * height - height];
      return shape("path", { d: `M${x.toFixed(0)} ${y.toFixed(0)}l-1.5 7`, stroke: "#cfd8d6", "stroke-width": 0.8, opacity: 0.5, class: `drop turn-${index % 4}` });
    }) : dots(random, 7, "glow", { fill: "#ffdf9c" }, [100, 160]);
  return shape("svg", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "xMidYMid slice", class: "picture scene", "aria-hidden": "true" },
    shape("defs", {},
      shape("radialGradient", { id: `${fade}-light` },
        shape("stop", { offset: 0.72, "stop-color": "#fff" }), shape("stop", { offset: 1, "stop-color": "#fff", "stop-opacity": 0 })),
      shape("mask", { id: fade }, shape("ellipse", { cx: 60, cy: 60, rx: 60, ry: 60, fill: `url(#${fade}-light)` }))),
    shape("rect", { width, height, fill: `url(#g-${sky in hills ? sky : "night"})` }),
    ...dots(random, 34, "star", { fill: "#f6e3bb" }, [4, 92]),
    shape("g", { class: "sail" }, shape("use", { href: "#p-moon", transform: `translate(${moon.map((n) => n.toFixed(0)).join(" ")})` })),
    shape("path", { d: ridge(random, 118, 14), fill: far, class: "ridge far" }),
    ...clouds,
    shape("path", { d: ridge(random, 142, 10), fill: near, class: "ridge near" }),
    shape("g", { class: "figure" },
      shape("svg", { x: width / 2 - 68, y: 20, width: 136, height: 136, viewBox: "0 0 120 120" },
        shape("g", { mask: `url(#${fade})` }, shape("path", { d: "M0 0h120v120H0z", fill: `url(#g-${sky in hills ? sky : "night"})` }), ...figure))),
    ...drops);
}
