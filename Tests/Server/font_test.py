"""The page's own Chinese font, in a real Chromium that finds no other one.

    Tests/Server/run font_test.py
"""

import pathlib
import tempfile
import unittest

from browser import PageCase
from playwright.sync_api import expect

# The system's fonts, without those that have 中.
HIDING = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>/usr/share/fonts</dir>
  <cachedir>{folder}</cachedir>
  <selectfont><rejectfont>
    <pattern><patelt name="charset"><charset><int>0x4e2d</int></charset></patelt></pattern>
  </rejectfont></selectfont>
</fontconfig>
"""
FONT = "/page/kai.woff2"


class FontTest(PageCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="hearth-fonts-")))
        (folder / "fonts.conf").write_text(HIDING.format(folder=folder), encoding="utf-8")
        cls.environment = {"FONTCONFIG_FILE": str(folder / "fonts.conf")}
        super().setUpClass()

    def drawn(self, page, selector):
        """Names of the fonts that the browser draws an element's text with; those of the page are marked."""
        tools = page.context.new_cdp_session(page)
        for name in ("DOM", "CSS"):
            tools.send(f"{name}.enable")
        root = tools.send("DOM.getDocument")["root"]["nodeId"]
        node = tools.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
        fonts = tools.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        tools.detach()
        return {font["familyName"] + (" (page)" if font["isCustomFont"] else "") for font in fonts}

    def wait_drawn(self, page, selector, among):
        self.server.wait(lambda: among in self.drawn(page, selector))

    def test_in_chinese_alone(self):
        page = self.open()
        self.wait_drawn(page, "label[lang=zh-Hans] span", "Hearth Kai (page)")
        # Two characters are on the page in every language, and come by themselves.
        self.assertEqual(self.paths("/page/kai"), ["/page/kai-name.woff2"])
        page.locator("input[value='zh-Hans']").check()
        self.wait_drawn(page, "#choose-title", "Hearth Kai (page)")
        self.assertEqual(self.drawn(page, "#choose-title"), {"Hearth Kai (page)"})
        self.assertEqual(self.paths(FONT), [FONT])
        self.snap(page, "chinese-choosing")
        page.locator("input[name=length][value=short]").check()
        page.locator("[data-wish=lost-star]").click()
        expect(page.locator(".sentence").first).to_be_visible()
        self.wait_drawn(page, ".sentence", "Hearth Kai (page)")
        self.snap(page, "chinese-story")
        self.assert_quiet()

    def test_without_the_server(self):
        """The worker keeps the font, also one that came before the worker did."""
        page = self.open(locale="zh-CN", workers="allow")
        self.wait_drawn(page, "#choose-title", "Hearth Kai (page)")
        self.server.wait(lambda: page.evaluate(f"caches.match('{FONT}', {{ ignoreSearch: true }}).then(Boolean)"))
        page.reload()
        expect(page.locator(".card")).to_have_count(49)
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".card")).to_have_count(49)
        self.wait_drawn(page, "#choose-title", "Hearth Kai (page)")
        # The same font under another address, as after an update that was not fetched: the earlier one stands in.
        self.assertTrue(page.evaluate(f"fetch('{FONT}?another').then(answer => answer.ok)"))


if __name__ == "__main__":
    unittest.main()
