// What the page asks of its server. Streams are read with `fetch` and not with `EventSource`, because a token belongs into a
// header and a story is a POST.

/** The server cannot be reached, or broke off. */
export class Unreachable extends Error {}
/** The server wants a token. */
export class Locked extends Error {}

const token = (() => {
  const inAddress = /^#token=(.+)$/.exec(location.hash);
  try {
    if (inAddress) {
      sessionStorage.setItem("hearth.token", decodeURIComponent(inAddress[1]));
      // It should not stay in sight, nor in what is copied out of the address bar.
      history.replaceState(null, "", location.pathname);
    }
    return sessionStorage.getItem("hearth.token");
  } catch {
    return inAddress ? inAddress[1] : null;
  }
})();

async function request(path, { body, signal, keepalive } = {}) {
  const headers = {};
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(path, {
      method: body === undefined ? "GET" : "POST",
      body: body === undefined ? undefined : JSON.stringify(body),
      headers, signal, keepalive, cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable(path);
  }
}

function check(response, path) {
  if (response.status === 401) throw new Locked(path);
  if (!response.ok) throw new Unreachable(`${path}: ${response.status}`);
  return response;
}

/** Waits, but no longer than a signal allows; never throws. */
export function pauseFor(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener("abort", done);
  });
}

/** The events of a stream, as { name, data }. Ends with the stream; leaving the loop closes the connection. */
export async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = parse(block);
        if (event) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  try {
    return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
  } catch {
    return null;
  }
}

/** The wishes: [{ id, title }]. */
export async function wishes(language, signal) {
  const path = `/api/wishes?language=${encodeURIComponent(language)}`;
  const answer = await check(await request(path, { signal }), path).json();
  return answer.wishes;
}

/** The finished stories: [{ id, title, wishes, length, text }]. */
export async function finishedStories(language, signal) {
  const path = `/api/stories?language=${encodeURIComponent(language)}`;
  const answer = await check(await request(path, { signal }), path).json();
  return answer.stories;
}

/** Calls back with the model's state now and at each change, until the signal; connects again by itself. */
export async function watchState(language, signal, seen) {
  const path = `/api/state/events?language=${encodeURIComponent(language)}`;
  for (let wait = 1000; !signal.aborted; wait = Math.min(wait * 2, 20000)) {
    try {
      for await (const event of events(check(await request(path, { signal }), path))) {
        wait = 1000;
        if (event.name === "state") seen(event.data);
      }
    } catch (error) {
      if (error instanceof Locked) return;
    }
    await pauseFor(wait, signal);
  }
}

/**
 * The events of a story. @param body the request. While the server is busy with others it asks again when the server says, and calls `busy`.
 * Throws Unreachable, Locked, or what an aborted fetch throws.
 */
export async function* story(body, signal, busy) {
  const path = "/api/story";
  for (;;) {
    const response = await request(path, { body, signal });
    if (response.status === 503) {
      const seconds = Number(response.headers.get("Retry-After")) || 3;
      busy();
      await pauseFor(Math.min(Math.max(seconds, 1), 30) * 1000, signal);
      continue;
    }
    try {
      yield* events(check(response, path));
      return;
    } catch (error) {
      if (signal.aborted || error instanceof Locked || error instanceof Unreachable) throw error;
      throw new Unreachable(path);
    }
  }
}

/** Tells the server that nobody listens any more. Closing the stream does so as well; whichever comes first. */
export function stopStory(id) {
  request(`/api/story/${encodeURIComponent(id)}/stop`, { body: {}, keepalive: true }).catch(() => {});
}

/** A sentence's sound by its path, or, where it has none any more, by its text. As for `sound`. */
export async function speech({ audio, text }, language, signal) {
  const found = audio ? await sound(audio, signal) : { clip: null };
  if (found.clip || found.voiceless || signal.aborted) return found;
  return sound("/v1/audio/speech", signal, { input: text, voice: language });
}

/** A sound: { clip } , { clip: null } where this one has none, { voiceless: true } where the server has no voice. */
async function sound(path, signal, body) {
  try {
    const response = await request(path, { signal, body });
    if (response.status === 503) return { clip: null, voiceless: true };
    return { clip: response.ok ? await response.blob() : null };
  } catch {
    return { clip: null };
  }
}
