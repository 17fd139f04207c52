"""The page of `hearth watch --page` in a real browser: the picture with its boxes, results, decisions and heat.

    Tests/Server/run watch_page_test.py
    HEARTH_PROGRAM=… HEARTH_SCREENSHOTS=FOLDER Tests/Server/run watch_page_test.py
"""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request

from harness import PATIENCE, PROGRAM, ROOT
from playwright.sync_api import Error, expect, sync_playwright

RECTANGLES = ROOT / "Tests/Fixtures/coreml/rectangles"
SCREENSHOTS = os.environ.get("HEARTH_SCREENSHOTS")
NOTE = "hearth: the feed is shown at "


class WatchPageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        program = os.environ.get("HEARTH_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            raise RuntimeError("there is no chromium. Install it, or name one by HEARTH_CHROMIUM.")
        expect.set_options(timeout=1000 * PATIENCE)
        cls.playwright = cls.enterClassContext(sync_playwright())
        cls.browser = cls.playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        cls.addClassCleanup(cls.browser.close)

    def watch(self, frames, *options):
        """Starts the program on so many frames; its process and the page's address."""
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for number in range(frames):
            (folder / f"{number:04}.png").symlink_to(RECTANGLES / "street.png")
        # A file takes every line at once; a pipe that nobody reads would hold up the feed.
        self.output = self.enterContext(tempfile.TemporaryFile("w+"))
        process = subprocess.Popen(
            [PROGRAM, "watch", "--model", RECTANGLES / "boxes.mlpackage", "--frames", folder, "--page", *options],
            stdin=subprocess.DEVNULL, stdout=self.output, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "HEARTH_HOME": self.enterContext(tempfile.TemporaryDirectory())})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        line = process.stderr.readline()
        self.assertTrue(line.startswith(NOTE), line)
        return process, line.removeprefix(NOTE).strip()

    def test_a_feed(self):
        # Ten minutes, so that it goes on as long as this test.
        process, address = self.watch(24_000, "--fps", "40", "--json", "--simulate", "thermal=serious@2s")
        page = self.browser.new_context(viewport={"width": 1100, "height": 800}).new_page()
        page.set_default_timeout(1000 * PATIENCE)
        complaints = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.goto(address)
        expect(page.get_by_role("heading", name="boxes")).to_be_visible()
        expect(page).to_have_title("boxes: live feed")
        # Three rectangles, each with its label and confidence.
        expect(page.locator("#results li")).to_have_count(3)
        for label in ("red", "green", "blue"):
            expect(page.locator("#results")).to_contain_text(label)
        expect(page.locator("#caption")).to_contain_text(".png")
        # The heat of the script, what follows from it, and the decisions under it.
        expect(page.locator("#heat")).to_have_text("hot")
        expect(page.locator("#heat")).to_have_class("alarm")
        expect(page.locator("#memory")).to_have_text("normal")
        expect(page.locator("#budget")).to_have_text("reduced")
        expect(page.locator(".reuse b")).not_to_have_text("0")
        expect(page.locator("#speed")).to_contain_text("ms in the median")
        # The picture is drawn, enlarged threefold, with boxes in the colors of their labels.
        while page.evaluate("[picture.width, picture.height]") != [480, 360]:
            self.assertIsNone(process.poll())
            page.wait_for_timeout(50)
        colors = page.evaluate("""() => {
            const data = picture.getContext("2d").getImageData(0, 0, picture.width, picture.height).data;
            const seen = new Map();
            for (let at = 0; at < data.length; at += 4) {
                const color = data.slice(at, at + 3).join(" ");
                seen.set(color, (seen.get(color) || 0) + 1);
            }
            return [...seen].filter(([, count]) => count > 200).map(([color]) => color);
        }""")
        wanted = page.evaluate("""async () => {
            const text = await (await fetch("/page/watch.js")).text();
            return [...text.match(/palette = \\[(.*)\\]/)[1].matchAll(/#(..)(..)(..)/g)].map((parts) =>
                parts.slice(1).map((part) => parseInt(part, 16)).join(" "));
        }""")
        self.assertGreaterEqual(len(set(colors) & set(wanted)), 2, colors)
        self.assertGreater(
            page.evaluate("""() => {
            const canvas = document.getElementById("frames");
            return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.filter((v) => v).length;
        }"""), 100)
        for name, size, scheme in [
            ("watch", (1100, 800), "light"), ("watch-dark", (1100, 800), "dark"), ("watch-phone", (360, 800), "light")]:
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.emulate_media(color_scheme=scheme)
            # Nothing is wider than the window.
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), size[0])
            if SCREENSHOTS:
                page.screenshot(path=pathlib.Path(SCREENSHOTS) / f"{name}.png")
        # Nothing of the other server is here, and nobody else is answered.
        for path, headers, status in [
            ("/page/app.js", {}, 404), ("/v1/models", {}, 404), ("/feed/events", {"Origin": "https://evil.example"}, 403),
            ("/", {"Host": "evil.example"}, 403)]:
            with self.subTest(path=path), self.assertRaises(urllib.error.HTTPError) as raised:
                urllib.request.urlopen(urllib.request.Request(address + path, headers=headers), timeout=PATIENCE)
            self.assertEqual(raised.exception.code, status)
        self.assertEqual(complaints, [])
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(PATIENCE), 130)

    def test_the_end(self):
        """A page that is open is told of every frame, and of the end; without a terminal the program ends then."""
        # A feed of three seconds may be over before the page is open: then one that takes longer.
        for rate in (20, 4, 1, 0.2):
            process, address = self.watch(60, "--fps", str(rate), "--json")
            page = self.browser.new_context().new_page()
            page.set_default_timeout(1000 * PATIENCE)
            try:
                page.goto(address)
                expect(page.locator("#caption")).not_to_be_empty(timeout=10_000 if rate >= 1 else 1000 * PATIENCE)
                break
            except (Error, AssertionError):
                if rate < 1:
                    raise
        expect(page.locator("#status")).to_contain_text("The feed has ended.")
        expect(page.locator("#status")).to_contain_text("Frame 59")
        counts = page.locator("#counts b").all_text_contents()
        self.assertEqual(sum(map(int, counts)), 60)
        process.communicate(timeout=PATIENCE)
        self.output.seek(0)
        self.assertEqual((process.returncode, len(self.output.readlines())), (0, 60))

    def test_options(self):
        for words in (["--port", "70000", "--page"], ["--port", "8080"]):
            done = subprocess.run(
                [PROGRAM, "watch", "--model", "x", "--frames", "y", *words], capture_output=True, text=True, timeout=PATIENCE)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--port", done.stderr)


if __name__ == "__main__":
    unittest.main()
