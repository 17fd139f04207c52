// The live feed of `hearth watch --page`: the last frame, what was found in it, and how frames were handled.
const byId = (id) => document.getElementById(id);
const most = 300;
const decisions = ["run", "reuse", "drop", "fallback"];
const counts = { run: 0, reuse: 0, drop: 0, fallback: 0 };
const heats = { nominal: "normal", fair: "warm", serious: "hot", critical: "very hot" };
const memories = { normal: "normal", warning: "low", critical: "very low" };
const budgets = { full: "full", reduced: "reduced", suspended: "suspended" };
// As the labels of `hearth detect --annotate`.
const palette = ["#e69f00", "#56b4e9", "#009e73", "#f0e442", "#0072b2", "#d55e00", "#cc79a7", "#9b59ff", "#78c83c", "#ff6e6e"];
let moments = [];
let shown = null;

function colorOf(label) {
  let hash = 2166136261;
  for (const byte of new TextEncoder().encode(label)) hash = Math.imul(hash ^ byte, 16777619) >>> 0;
  return palette[hash % palette.length];
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function take(batch) {
  for (const moment of batch) {
    counts[moment.decision] += 1;
    moments.push(moment);
  }
  moments = moments.slice(-most);
  const last = moments[moments.length - 1];
  if (!last) return;
  byId("status").textContent = `Frame ${last.frame}`;
  byId("reason").textContent = last.reason;
  for (const decision of decisions) document.querySelector(`.${decision} b`).textContent = counts[decision];
  const times = moments.filter((moment) => moment.decision === "run").map((moment) => moment.ms).sort((a, b) => a - b);
  byId("speed").textContent = times.length ? `${times[times.length >> 1].toFixed(1)} ms in the median` : "";
  setState("heat", last.heat ? heats[last.heat] : "not measured here", ["serious", "critical"].includes(last.heat));
  setState("memory", memories[last.memory], last.memory !== "normal");
  setState("power", last.power, false);
  setState("budget", budgets[last.budget], last.budget !== "full");
  const seen = moments.findLast((moment) => moment.decision !== "drop");
  if (seen) list(seen.results);
  drawFrames();
}

function setState(id, text, isAlarm) {
  byId(id).textContent = text;
  byId(id).classList.toggle("alarm", isAlarm);
}

function list(results) {
  const rows = results.slice(0, 8).map((result) => {
    const row = document.createElement("li");
    const bar = document.createElement("span");
    bar.className = "bar";
    bar.style.width = `${100 * Math.min(1, Math.max(0, result.confidence))}%`;
    const name = document.createElement("span");
    name.textContent = result.label;
    const share = document.createElement("span");
    share.textContent = percent(result.confidence);
    row.append(bar, name, share);
    return row;
  });
  if (rows.length === 0) {
    const row = document.createElement("li");
    row.textContent = "nothing above the threshold";
    rows.push(row);
  }
  byId("results").replaceChildren(...rows);
}

// A bar for each frame, as high as its time; frames without the model are short.
function drawFrames() {
  const canvas = byId("frames");
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const top = Math.max(...moments.map((moment) => moment.ms), 1);
  const step = width / most;
  moments.forEach((moment, index) => {
    const bar = Math.max(6, (moment.ms / top) * (height - 18));
    context.fillStyle = style.getPropertyValue(`--${moment.decision}`);
    context.fillRect(width - (moments.length - index) * step, height - bar, Math.max(1, step - 0.5), bar);
  });
  context.fillStyle = style.getPropertyValue("--soft");
  context.font = "12px system-ui, sans-serif";
  context.fillText(`${top.toFixed(1)} ms`, 4, 12);
}

async function show(event) {
  const image = new Image();
  image.src = `data:image/jpeg;base64,${event.image}`;
  await image.decode();
  if (shown !== null && event.frame < shown) return;
  shown = event.frame;
  const canvas = byId("picture");
  // A small picture is enlarged, so that labels have room.
  const factor = Math.max(1, Math.ceil(480 / Math.max(image.width, image.height)));
  const [wide, high] = [image.width * factor, image.height * factor];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = factor === 1;
  context.drawImage(image, 0, 0, wide, high);
  const size = Math.max(12, Math.round(Math.min(wide, high) / 28));
  context.font = `600 ${size}px system-ui, sans-serif`;
  context.lineWidth = Math.max(2, size / 6);
  for (const { label, confidence, box } of event.results) {
    if (!box) continue;
    const [x, y, width, height] = [box.x * wide, box.y * high, box.width * wide, box.height * high];
    const text = `${label} ${percent(confidence)}`;
    const tag = context.measureText(text).width + size;
    const top = y >= size * 1.6 ? y - size * 1.6 : Math.max(0, y);
    context.strokeStyle = context.fillStyle = colorOf(label);
    context.strokeRect(x, y, width, height);
    const left = Math.min(Math.max(0, x), Math.max(0, wide - tag));
    context.fillRect(left, top, tag, size * 1.6);
    context.fillStyle = "#000";
    context.fillText(text, left + size / 2, top + size * 1.15);
  }
  byId("caption").textContent = `Frame ${event.frame}${event.name ? `: ${event.name}` : ""}`;
}

const source = new EventSource("/feed/events");
source.addEventListener("feed", (event) => {
  const { model } = JSON.parse(event.data);
  byId("model").textContent = model;
  document.title = `${model}: live feed`;
  // After a lost connection the counts begin again with what the server still has.
  for (const decision of decisions) counts[decision] = 0;
  moments = [];
  shown = null;
});
source.addEventListener("frames", (event) => take(JSON.parse(event.data)));
source.addEventListener("picture", (event) => show(JSON.parse(event.data)));
source.addEventListener("end", () => {
  source.close();
  byId("status").textContent += ". The feed has ended.";
});
source.addEventListener("error", () => {
  if (source.readyState !== EventSource.CLOSED) byId("status").textContent = "No connection to the feed…";
});
window.addEventListener("resize", drawFrames);
