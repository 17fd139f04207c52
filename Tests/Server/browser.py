"""What tests of the page in Chromium have in common: the real program, and a browser without a past.

Chromium is the system's: `chromium` in the path, or what HEARTH_CHROMIUM names.
"""

import json
import os
import pathlib
import shutil
import unittest
from urllib.parse import urlsplit

from harness import PATIENCE, serving
from playwright.sync_api import expect, sync_playwright

PHONE = {"width": 320, "height": 568}
# Notes what is played; and voices, one of them on the device, because headless Chromium has none.
NOTES = """
    window.players = new Set();
    const play = HTMLMediaElement.prototype.play;
    HTMLMediaElement.prototype.play = function () { players.add(this); return play.call(this); };
    window.spoken = [];
    const voices = [{ name: "far", lang: "en-US", localService: false }, { name: "near", lang: "en-GB", localService: true }];
    Object.defineProperty(window, "speechSynthesis", { value: {
        getVoices: () => voices, cancel() {}, pause() {}, resume() {},
        speak(said) { spoken.push([said.voice.name, said.text]); setTimeout(() => said.onend(), 300); } } });
    window.SpeechSynthesisUtterance = class { constructor(text) { this.text = text; } };
"""
# Notes each sentence that is told, by its number.
ORDER = """
    window.order = [];
    new MutationObserver(() => {
        const now = [...document.querySelectorAll(".sentence")].findIndex((one) => one.classList.contains("now"));
        if (now >= 0 && now !== order.at(-1)) order.push(now);
    }).observe(document.querySelector("#story-text"), { subtree: true, childList: true, attributes: true });
"""
WENT_BACK = "order.some((now, place) => now === order[place - 1] - 1)"
SCREENSHOTS = os.environ.get("HEARTH_SCREENSHOTS")


class PageCase(unittest.TestCase):
    # What the browser's environment has besides.
    environment = {}

    @classmethod
    def setUpClass(cls):
        program = os.environ.get("HEARTH_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            raise RuntimeError("there is no chromium. Install it, or name one by HEARTH_CHROMIUM.")
        expect.set_options(timeout=1000 * PATIENCE)
        cls.server = cls.enterClassContext(serving())
        cls.playwright = cls.enterClassContext(sync_playwright())
        cls.browser = cls.playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--autoplay-policy=user-gesture-required"],
            env={**os.environ, **cls.environment})
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.requests = []
        self.complaints = []

    def open(self, server=None, locale="en-GB", aloud=False, view=None, key="", preferences=None, script="", workers="block", **more):
        """A browser without a past shows the page; what it asks for and complains about is kept."""
        server = server or self.server
        context = self.browser.new_context(
            viewport=view or {"width": 390, "height": 844}, locale=locale, service_workers=workers, **more)
        self.addCleanup(context.close)
        context.set_default_timeout(1000 * PATIENCE)
        context.add_init_script(NOTES)
        context.add_init_script(script)
        chosen = json.dumps({"speed": 1.3, "readAloud": aloud, **(preferences or {})})
        context.add_init_script(
            f"if (!localStorage['hearth.preferences']) localStorage['hearth.preferences'] = JSON.stringify({chosen})")
        page = context.new_page()
        page.on("request", lambda request: self.requests.append((request.method, request.url)))
        page.on("console", lambda line: line.type == "error" and self.complaints.append(line.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.answer = page.goto(server.url + "/" + key)
        expect(page.locator(".card")).to_have_count(49)
        return page

    def paths(self, start):
        return [urlsplit(url).path for _, url in self.requests if urlsplit(url).path.startswith(start)]

    def snap(self, page, name):
        if SCREENSHOTS:
            pathlib.Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
            page.screenshot(path=f"{SCREENSHOTS}/{name}.png")

    def assert_fits(self, page):
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth - innerWidth"), 0)

    def assert_quiet(self, server=None):
        """Nothing was asked of anybody else, and nothing was refused or went wrong."""
        origin = (server or self.server).url
        for _, url in self.requests:
            self.assertTrue(url.startswith(origin + "/") or url.startswith(f"blob:{origin}/"), url)
        self.assertEqual(self.complaints, [])

    def settings(self, page):
        """Opens the settings as a grown-up does."""
        page.locator("#open-settings").click()
        if page.locator("#gate").is_visible():
            a, _, b, *_ = page.locator("#question").inner_text().split()
            page.locator(f"#answers button[value='{int(a) * int(b)}']").click()
        expect(page.locator("#settings")).to_be_visible()
