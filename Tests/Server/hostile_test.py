"""Pages of other origins in a real browser, open while the server runs: none of them gets an answer, and none makes the model
write a single token.

    Tests/Server/run hostile_test.py
"""

import http.server
import shutil
import threading
import unittest

from harness import PATIENCE, serving

try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

# Everything that a page can try against an address of this machine without asking anybody.
ATTACK = """
async (target) => {
  const body = JSON.stringify({prompt: "a", max_tokens: 5});
  const results = {};
  async function attempt(name, work) {
    try { results[name] = "read: " + (await work()); } catch (error) { results[name] = "blocked"; }
  }
  const read = async (path, options) => {
    const answer = await fetch(target + path, options);
    if (answer.type === "opaque") throw new Error("opaque");
    return answer.status + " " + (await answer.text()).slice(0, 80);
  };
  await attempt("get", () => read("/health"));
  await attempt("models", () => read("/v1/models", {credentials: "include"}));
  await attempt("json", () => read("/v1/completions", {method: "POST", body, headers: {"Content-Type": "application/json"}}));
  await attempt("plain", () => read("/v1/completions", {method: "POST", body, headers: {"Content-Type": "text/plain"}}));
  await attempt("opaque", () => read("/v1/completions", {method: "POST", body, mode: "no-cors"}));
  await attempt("blob", () => read("/v1/completions", {method: "POST", mode: "no-cors", body: new Blob([body], {type: "application/json"})}));
  await attempt("beacon", async () => {
    if (navigator.sendBeacon(target + "/v1/completions", body)) throw new Error("sent, and nobody sees an answer");
    return "refused";
  });
  await attempt("events", () => new Promise((resolve, reject) => {
    const source = new EventSource(target + "/api/state/events");
    source.onmessage = source.onopen = () => { source.close(); resolve("open"); };
    source.onerror = () => { source.close(); reject(new Error("closed")); };
  }));
  await attempt("script", () => new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.onload = () => resolve("loaded"); script.onerror = () => reject(new Error("refused"));
    script.src = target + "/page/app.js"; document.head.append(script);
  }));
  await attempt("image", () => new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve("loaded"); image.onerror = () => reject(new Error("refused"));
    image.src = target + "/page/icon.svg";
  }));
  await attempt("websocket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket(target.replace("http", "ws") + "/health");
    socket.onopen = () => resolve("open"); socket.onerror = () => reject(new Error("refused"));
  }));
  const form = document.createElement("form");
  form.method = "POST"; form.enctype = "text/plain"; form.target = "frame"; form.action = target + "/v1/completions";
  const field = document.createElement("input");
  field.name = '{"prompt":"a","max_tokens":5,"x":"'; field.value = '"}';
  const frame = document.createElement("iframe"); frame.name = "frame";
  form.append(field); document.body.append(form, frame);
  await new Promise(resolve => { frame.onload = resolve; form.submit(); setTimeout(resolve, 30_000); });
  return results;
}
"""


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A site that is not the server."""

    def do_GET(self):
        body = b"<!doctype html><title>elsewhere</title><body>"
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@unittest.skipUnless(sync_playwright and CHROMIUM, "Chromium or Playwright is not installed")
class HostileTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
        threading.Thread(target=cls.site.serve_forever, daemon=True).start()
        cls.context = serving()
        cls.server = cls.context.__enter__()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--host-resolver-rules=MAP *.example 127.0.0.1"],
        )

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.context.__exit__(None, None, None)
        cls.site.shutdown()

    def page(self):
        page = self.browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        return page

    def attack(self, origin: str, target: str):
        page = self.page()
        page.goto(origin)
        results = page.evaluate(ATTACK, target)
        framed = [frame.name for frame in page.frames if frame.name == "frame" and "completion_tokens" in frame.content()]
        page.close()
        self.assertEqual({name: "blocked" for name in results}, results)
        self.assertEqual(framed, [])
        self.assertEqual(self.server.figure("hearth_generated_tokens_total"), 0)
        self.assertEqual(self.server.figure("hearth_prompt_tokens_total"), 0)

    def test_another_port_of_this_machine(self):
        for name in ("127.0.0.1", "localhost"):
            self.attack(f"http://{name}:{self.site.server_port}/", f"http://{name}:{self.server.port}")

    def test_another_site(self):
        self.attack(f"http://evil.example:{self.site.server_port}/", self.server.url)

    def test_no_origin_at_all(self):
        page = self.page()
        page.goto(f"http://evil.example:{self.site.server_port}/")
        # A frame without an origin sends `Origin: null`.
        result = page.evaluate(
            """async (target) => {
              const frame = document.createElement("iframe");
              frame.sandbox = "allow-scripts";
              frame.srcdoc = `<script>fetch("${target}/v1/completions", {method: "POST", mode: "no-cors", body: "{}"})
                .then(a => parent.postMessage(a.type, "*"), e => parent.postMessage("blocked", "*"))<\\/script>`;
              const answer = new Promise(resolve => addEventListener("message", event => resolve(event.data)));
              document.body.append(frame);
              return await answer;
            }""",
            self.server.url,
        )
        page.close()
        self.assertIn(result, ("opaque", "blocked"))
        self.assertEqual(self.server.figure("hearth_generated_tokens_total"), 0)

    def test_a_name_that_was_rebound(self):
        # The browser believes that the server is evil.example: same origin, no preflight, everything readable.
        page = self.page()
        answer = page.goto(f"http://evil.example:{self.server.port}/")
        self.assertEqual(answer.status, 403)
        result = page.evaluate(
            """async () => {
              const answer = await fetch("/v1/completions", {method: "POST", headers: {"Content-Type": "application/json"},
                body: JSON.stringify({prompt: "a", max_tokens: 5})});
              return answer.status;
            }"""
        )
        page.close()
        self.assertEqual(result, 403)
        self.assertEqual(self.server.figure("hearth_generated_tokens_total"), 0)

    def test_not_in_a_frame(self):
        page = self.page()
        page.goto(f"http://evil.example:{self.site.server_port}/")
        page.evaluate(
            """(target) => new Promise(resolve => {
              const frame = document.createElement("iframe"); frame.onload = resolve; frame.src = target + "/";
              document.body.append(frame); setTimeout(resolve, 30_000);
            })""",
            self.server.url,
        )
        texts = [frame.content() for frame in page.frames[1:]]
        page.close()
        self.assertTrue(all("app.js" not in text for text in texts))

    def test_the_page_itself(self):
        page = self.page()
        requests = []
        page.on("request", lambda request: requests.append(request.url))
        problems = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(self.server.url + "/")
        page.wait_for_load_state("load")
        page.wait_for_timeout(500)
        # What is refused to others is there for the page.
        self.assertEqual(page.evaluate("fetch('/health').then(answer => answer.status)"), 200)
        page.close()
        self.assertEqual(problems, [])
        self.assertTrue(requests)
        self.assertTrue(all(url.startswith((self.server.url, "data:", "blob:")) for url in requests), requests)


if __name__ == "__main__":
    unittest.main()
