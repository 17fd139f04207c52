// Keeps the page, the wishes and the bookshelf for times when the server cannot be reached. What the server has is always newer,
// so it is asked first.

const cacheName = "hearth-1";
const files = [
  "/", "/page/app.js", "/page/bed.js", "/page/cards.js", "/page/cards.svg", "/page/device.js", "/page/icon.svg", "/page/kept.js",
  "/page/manifest.webmanifest", "/page/moon.js", "/page/preferences.js", "/page/scene.js", "/page/server.js",
  "/page/settings.js", "/page/shelf.js", "/page/sleep.js", "/page/status.js", "/page/story.js", "/page/strings.js", "/page/style.css",
  "/page/telling.js", "/page/voice.js",
];
// Fetched by who needs them only. Their addresses in the style sheet have their digests.
const fonts = ["/page/kai.woff2", "/page/kai-name.woff2"];
const lists = ["/api/wishes", "/api/stories"];

addEventListener("install", (event) => {
  skipWaiting();
  event.waitUntil(caches.open(cacheName).then((cache) => cache.addAll(files)));
});

addEventListener("activate", (event) => {
  event.waitUntil(clients.claim());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (files.includes(pathname) || lists.includes(pathname)) event.respondWith(freshOrKept(request));
  if (fonts.includes(pathname)) event.respondWith(keptOrFresh(request));
});

async function freshOrKept(request) {
  const cache = await caches.open(cacheName);
  try {
    const answer = await fetch(request);
    if (answer.ok) await cache.put(request, answer.clone());
    return answer;
  } catch (error) {
    const kept = await cache.match(request, { ignoreVary: true });
    if (kept) return kept;
    throw error;
  }
}

async function keptOrFresh(request) {
  const cache = await caches.open(cacheName);
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept) return kept;
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await cache.delete(request, { ignoreSearch: true, ignoreVary: true });
      await cache.put(request, answer.clone());
    }
    return answer;
  } catch (error) {
    // An earlier font is better than none.
    const earlier = await cache.match(request, { ignoreSearch: true, ignoreVary: true });
    if (earlier) return earlier;
    throw error;
  }
}
