"""The page in a Firefox as a distribution ships it, by real clicks. HEARTH_FIREFOX names one that is not in the path."""

import os
import time
import unittest

from browser import SCREENSHOTS
from harness import PATIENCE, serving
from marionette import firefox, program


class FirefoxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not program():
            raise RuntimeError("there is no Firefox. Install it, or name one by HEARTH_FIREFOX.")
        cls.server = cls.enterClassContext(serving())
        cls.browser = cls.enterClassContext(firefox())

    def setUp(self):
        self.browser.size(450, 900)
        self.browser.go(self.server.url + "/")
        self.browser.run("""localStorage.clear(); sessionStorage.clear();
            localStorage["hearth.preferences"] = JSON.stringify({ language: "en", speed: 1.3, readAloud: false })""")
        self.browser.go(self.server.url + "/")
        self.browser.wait("document.querySelectorAll('.card').length === 49")

    def snap(self, name):
        if SCREENSHOTS:
            self.browser.snap(os.path.join(SCREENSHOTS, f"firefox-{name}.png"))

    def answer(self):
        self.browser.click("#open-settings")
        product = self.browser.run("const [a, b] = document.querySelector('#question').textContent.split(' × '); return a * parseInt(b)")
        self.browser.click(f"#answers button[value='{product}']")

    def go_back(self):
        """Presses Back until a sentence before the one that was told is told: in the silence before a paragraph that is the one that
        is seen, and a sentence may be over before anybody looks."""
        def now():
            return self.browser.run("return [...document.querySelectorAll('.sentence')].findIndex((one) => one.classList.contains('now'))")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            before = now()
            self.browser.click("#back")
            for _ in range(20):
                if 0 <= now() < before:
                    return
                time.sleep(0.05)
        self.fail("no sentence was told again")

    def test_a_tale_with_a_name(self):
        page = self.browser
        self.answer()
        page.type("#child-name", "Mina")
        page.click("#child-pronoun")
        self.snap("settings")
        page.click("[data-close]")
        page.click("input[name=length][value=short]")
        page.click("[data-wish=friendly-dragon]")
        page.wait("document.querySelectorAll('.sentence').length > 2")
        self.snap("telling")
        self.go_back()
        page.click("#next")
        page.wait("document.querySelector('#leave').open && document.body.dataset.stage === 'paused'")
        page.click("#leave-no")
        page.wait("document.body.dataset.stage === 'telling'")
        page.wait("!document.querySelector('#ending').hidden", 5 * PATIENCE)
        self.assertIn("Mina", page.run("return document.querySelector('#story-text').textContent"))
        self.assertLessEqual(page.run("return document.documentElement.scrollWidth - innerWidth"), 0)
        page.click("#ending-tomorrow")
        page.click("#ending-other")
        page.click("#go-on")
        page.wait("document.body.dataset.stage === 'telling' && document.querySelectorAll('.sentence').length > 1")
        self.snap("second-evening")
        page.click("#stop")
        page.wait("document.body.dataset.stage === 'ended'")

    def test_bookshelf_in_spanish(self):
        page = self.browser
        page.click("input[name=language][value=es]")
        page.wait("document.documentElement.lang === 'es'")
        page.wait("fetch('/api/stories?language=es').then(() => true)")
        page.click("#open-shelf")
        page.wait("document.querySelectorAll('.book').length >= 88")
        page.click("#books li:nth-child(3) button")
        page.wait("document.querySelectorAll('.sentence').length > 1")
        self.assertEqual(page.run("return document.querySelector('#story-text').lang"), "es")
        page.click("#pause")
        page.wait("document.body.dataset.stage === 'paused'")
        self.snap("spanish-paused")

    def test_widths(self):
        for width in (500, 768, 1280, 1920):
            self.browser.size(width, 900)
            self.assertLessEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0, width)
            self.snap(f"choosing-{width}")


if __name__ == "__main__":
    unittest.main()
