"""What the page does around a story, in a real Chromium: names, lengths, the bookshelf, evenings, sounds, sleep.

    Tests/Server/run story_page_test.py
"""

import json
import pathlib
import re
import unittest

import axe_playwright_python
from browser import ORDER, PHONE, WENT_BACK, PageCase
from harness import ROOT
from playwright.sync_api import expect

AXE = pathlib.Path(axe_playwright_python.__file__).with_name("axe.min.js")
FILES = ROOT / "Sources/CHearthPage/Files"
# A voice of this device that is good, and tells where each word begins.
GOOD_VOICE = """
    const good = { name: "Ava (Premium)", lang: "en-US", localService: true };
    speechSynthesis.getVoices().push(good);
    speechSynthesis.speak = (said) => {
        spoken.push([said.voice.name, said.text]);
        const words = [...said.text.matchAll(/\\S+/g)];
        words.forEach((word, i) => setTimeout(
            () => said.onboundary?.({ name: "word", charIndex: word.index, charLength: word[0].length }), 30 * i));
        const end = () => (window.isHeld ? setTimeout(end, 30) : said.onend());
        setTimeout(end, 30 * words.length + 30);
    };
"""
# What the device is asked for.
DEVICE = """
    window.locks = [];
    Object.defineProperty(navigator, "wakeLock", { value: { request: async (kind) => {
        const lock = new EventTarget();
        locks.push(lock);
        lock.kind = kind;
        lock.release = async () => { lock.isReleased = true; lock.dispatchEvent(new Event("release")); };
        return lock;
    } } });
    window.mediaKeys = {};
    const set = MediaSession.prototype.setActionHandler;
    MediaSession.prototype.setActionHandler = function (name, action) { mediaKeys[name] = action; return set.call(this, name, action); };
    window.contexts = [];
    const Context = AudioContext;
    window.AudioContext = class extends Context { constructor(...all) { super(...all); contexts.push(this); } };
"""


class StoryPageTest(PageCase):
    def choose(self, page, wish="friendly-dragon", length="short"):
        """Begins a story; returns what the server was asked."""
        if length:
            page.locator(f"input[name=length][value={length}]").check()
        with page.expect_request("**/api/story") as asked:
            page.locator(f"[data-wish={wish}]").click()
        expect(page.locator(".sentence").first).to_be_visible()
        return json.loads(asked.value.post_data)

    def press(self, page, name):
        """Presses a button that begins a story; returns what the server was asked."""
        with page.expect_request("**/api/story") as asked:
            page.get_by_role("button", name=name).click()
        expect(page.locator(".sentence").first).to_be_visible()
        return json.loads(asked.value.post_data)

    def until(self, page, condition):
        self.server.wait(lambda: page.evaluate(condition))

    def kept(self, page):
        """The sentences of the story that was told last, as the page keeps them."""
        return page.evaluate("JSON.parse(localStorage['hearth.stories'])[0].sentences.map(([text]) => text)")

    def to_the_end(self, page):
        """The story without waiting for a voice: what is read in silence ends by itself."""
        expect(page.locator("#ending")).to_be_visible(timeout=600_000)
        return page.locator(".sentence").all_text_contents()

    def test_name_and_length(self):
        page = self.open()
        page.locator("#open-settings").click()
        # Who cannot multiply stays outside.
        a, _, b, *_ = page.locator("#question").inner_text().split()
        page.locator(f"#answers button:not([value='{int(a) * int(b)}'])").first.click()
        expect(page.locator("#gate-wrong")).to_be_visible()
        expect(page.locator("#settings")).to_be_hidden()
        self.snap(page, "gate")
        page.keyboard.press("Escape")
        self.settings(page)
        self.snap(page, "settings")
        page.locator("#child-name").fill("Mina")
        page.locator("#child-pronoun").select_option("she")
        page.get_by_role("button", name="Close").click()
        asked = self.choose(page)
        self.assertEqual(
            asked, {"wish": "friendly-dragon", "language": "en", "length": "short", "name": "Mina", "pronoun": "she"})
        self.assertIn("Mina", " ".join(self.to_the_end(page)))
        page.reload()
        self.settings(page)
        expect(page.locator("#child-name")).to_have_value("Mina")
        expect(page.locator("input[name=length][value=short]")).to_be_checked()
        self.assert_quiet()

    def test_again_another_and_tomorrow(self):
        page = self.open()
        self.choose(page)
        title = page.locator("#story-title").text_content()
        first = self.to_the_end(page)
        self.snap(page, "ended-tale")
        page.get_by_role("button", name="Keep as a favourite").click()
        expect(page.get_by_role("button", name="A favourite")).to_have_attribute("aria-pressed", "true")

        # The same again needs no server: the words are kept here.
        page.get_by_role("button", name="The same again").click()
        expect(page.locator("body")).to_have_attribute("data-stage", "telling")
        self.assertEqual(self.to_the_end(page), first)
        self.assertEqual(self.kept(page), first)
        self.assertEqual(self.paths("/api/story").count("/api/story"), 1)

        page.get_by_role("button", name="Go on tomorrow").click()
        expect(page.locator("#ending-title")).to_contain_text("second evening")
        page.get_by_role("button", name="Choose something else").click()
        page.reload()
        asked = self.press(page, f"Go on with {title}")
        self.assertEqual((asked["evening"], "wish" in asked), (2, False))
        self.assertNotEqual(self.kept(page), first)
        # It is the next evening's turn by itself.
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Choose something else").click()
        self.assertEqual(self.press(page, "Go on with")["evening"], 3)
        page.get_by_role("button", name="Stop").click()

        asked = self.press(page, "Another story like this")
        self.assertIn("like", asked)
        page.get_by_role("button", name="Stop").click()
        page.get_by_role("button", name="Choose something else").click()

        page.get_by_role("button", name="Bookshelf").click()
        expect(page.get_by_role("heading", level=2)).to_have_text(["Favourites", "Told lately", "On the shelf"])
        books = page.locator("#books ul").nth(2).locator("button")
        expect(books).to_have_count(88)
        self.assert_fits(page)
        self.snap(page, "shelf")
        books.nth(4).click()
        expect(page.locator(".sentence").first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#ending")).to_be_visible()
        expect(page.get_by_role("button", name="Go on tomorrow")).to_be_hidden()
        self.assert_quiet()

    def test_a_tale_that_the_model_told_goes_on_tomorrow(self):
        page = self.open()
        asked = self.choose(page, length=None)
        self.assertEqual(asked, {"wish": "friendly-dragon", "language": "en"})
        self.to_the_end(page)
        self.assertEqual(page.evaluate("JSON.parse(localStorage['hearth.stories'])[0].kind"), "model")
        page.get_by_role("button", name="Go on tomorrow").click()
        page.get_by_role("button", name="Choose something else").click()
        asked = self.press(page, "Go on with")
        self.assertEqual((asked["evening"], "after" in asked, "wish" in asked), (2, True, False))
        page.get_by_role("button", name="Stop").click()
        self.assert_quiet()

    def test_next_asks_and_back_repeats(self):
        page = self.open()
        self.choose(page)
        expect(page.locator(".sentence").nth(2)).to_be_visible()
        page.evaluate(ORDER)

        def go_back():
            # In the silence before a paragraph it repeats the sentence that is seen.
            page.get_by_role("button", name="Back").click()
            page.wait_for_timeout(2000)
            return page.evaluate(WENT_BACK)
        self.server.wait(go_back)
        self.assertGreaterEqual(page.locator(".sentence").count(), 3)
        page.get_by_role("button", name="Next").click()
        self.snap(page, "leaving")
        expect(page.locator("#leave-no")).to_be_focused()
        count = page.locator(".sentence").count()
        page.wait_for_timeout(2500)
        self.assertEqual(page.locator(".sentence").count(), count)
        page.keyboard.press("Escape")
        expect(page.locator("body")).to_have_attribute("data-stage", "telling")
        expect(page.locator(".sentence").nth(count)).to_be_visible()
        page.get_by_role("button", name="Next").click()
        self.assertIn("like", self.press(page, "Begin another one"))
        self.assert_quiet()

    def test_good_voice_and_words(self):
        page = self.open(aloud=True, script="window.isHeld = true;" + GOOD_VOICE)
        self.choose(page)
        self.until(page, "CSS.highlights.has('word')")
        marked = page.evaluate("[...CSS.highlights.get('word') ?? []].map(range => range.toString())")
        self.snap(page, "word")
        self.assertLessEqual(set(marked), set(" ".join(self.kept(page)).split()))
        self.assertEqual({voice for voice, _ in page.evaluate("spoken")}, {"Ava (Premium)"})
        # The server is not asked for sounds that nobody will hear.
        self.assertEqual([path for path in self.paths("/api/story/") if "/audio/" in path], [])
        self.assert_quiet()

    def test_device(self):
        page = self.open(aloud=True, script=DEVICE, preferences={"bed": "rain"})
        self.choose(page)
        self.until(page, "locks.length === 1 && locks[0].kind === 'screen' && !locks[0].isReleased")
        self.until(page, "contexts.length === 1 && contexts[0].state === 'running'")
        self.until(page, "navigator.mediaSession.metadata?.title && navigator.mediaSession.playbackState === 'playing'")
        self.assertEqual(page.evaluate("navigator.mediaSession.metadata.title"), page.locator("#story-title").text_content())
        page.evaluate("mediaKeys.pause()")
        expect(page.locator("body")).to_have_attribute("data-stage", "paused")
        self.until(page, "locks[0].isReleased && navigator.mediaSession.playbackState === 'paused'")
        page.evaluate("mediaKeys.play()")
        expect(page.locator("body")).to_have_attribute("data-stage", "telling")
        self.until(page, "locks.length === 2 && !locks[1].isReleased")
        page.evaluate("mediaKeys.stop()")
        expect(page.locator("#ending")).to_be_visible()
        self.until(page, "navigator.mediaSession.playbackState === 'none'")
        self.assert_quiet()

    def test_sleep_timer(self):
        page = self.open(aloud=True, preferences={"sleep": 0.12, "bed": "sea"})
        self.choose(page, length="long")
        self.until(page, "[...players].some(p => p.volume < 0.6)")
        expect(page.locator("#ending-title")).to_have_text("We stop here for tonight. Sleep well.")
        self.assertLess(page.locator(".sentence").count(), 20)
        # The next story is heard again.
        self.press(page, "Another story like this")
        self.until(page, "[...players].every(p => p.volume === 1)")
        self.assert_quiet()

    def test_noise(self):
        """The sound under a story: neither silent nor cut off, and without a click where it begins again."""
        page = self.open()
        for is_brown in (False, True):
            found = page.evaluate("""async (isBrown) => {
                const { noise } = await import("/page/bed.js");
                const samples = noise(8000, isBrown);
                const steps = samples.map((x, i) => Math.abs(x - samples[(i || samples.length) - 1]));
                const square = samples.reduce((sum, x) => sum + x * x, 0) / samples.length;
                return { seam: steps[0], step: Math.max(...steps.slice(1)), loud: Math.sqrt(square), peak: Math.max(...samples) };
            }""", is_brown)
            self.assertLessEqual(found["seam"], found["step"])
            self.assertTrue(0.05 < found["loud"] < 0.5 and found["peak"] <= 1, found)

    def test_scene(self):
        page = self.open()
        self.choose(page, wish="first-snow")
        self.assertGreater(page.evaluate("document.querySelector('.scene').getAnimations({ subtree: true }).length"), 40)
        drawn = page.evaluate("""async () => {
            const { scene } = await import("/page/scene.js");
            const text = (...all) => scene(...all).innerHTML.replaceAll(/scene-fade-\\d+/g, "");
            return [text("lost-star", 1), text("lost-star", 1), text("lost-star", 2), text("little-fox", 1)];
        }""")
        self.assertEqual(drawn[0], drawn[1])
        self.assertEqual(len(set(drawn)), 3)
        still = self.open(reduced_motion="reduce")
        self.choose(still, wish="first-snow")
        self.assertEqual(still.evaluate("document.querySelector('.scene').getAnimations({ subtree: true }).length"), 0)

    def test_without_the_server(self):
        """Installed once, the page opens without its server and tells from the bookshelf."""
        listed = set(re.findall(r'"/page/([^"]+)"', (FILES / "worker.js").read_text()))
        present = {path.name for path in FILES.iterdir() if path.is_file()}  # the folder is another page's
        present |= {path.name for path in (FILES.parent / "Fonts").glob("*.woff2")}
        self.assertEqual(listed, present - {"index.html", "worker.js"})
        page = self.open(workers="allow")
        manifest = json.loads(self.server.get("/page/manifest.webmanifest"))
        self.assertEqual((manifest["display"], manifest["start_url"]), ("standalone", "/"))
        self.until(page, "navigator.serviceWorker.controller !== null")
        page.reload()
        expect(page.locator(".card")).to_have_count(49)
        self.until(page, "caches.match('/api/stories?language=en').then(Boolean)")
        page.context.set_offline(True)
        page.reload()
        expect(page.locator(".card")).to_have_count(49)
        page.locator("[data-wish=little-fox]").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The storyteller has dozed off.")
        page.get_by_role("button", name="A story from the bookshelf").click()
        expect(page.locator(".sentence").nth(1)).to_be_visible()
        self.snap(page, "offline")

    def test_rules_of_axe(self):
        """axe-core finds nothing against WCAG 2.2 AA, from a small phone to a wide screen."""
        for width, height in ((320, 568), (768, 1024), (1280, 800), (1920, 1080)):
            page = self.open(view={"width": width, "height": height}, preferences={"length": "short"}, reduced_motion="reduce")
            self.check_axe(page, f"choosing at {width}")
            self.settings(page)
            self.check_axe(page, f"settings at {width}")
            self.snap(page, f"settings-{width}")
            page.keyboard.press("Escape")
            page.get_by_role("button", name="Bookshelf").click()
            self.check_axe(page, f"shelf at {width}")
            page.get_by_role("button", name="Back to the pictures").click()
            self.choose(page, length=None)
            expect(page.locator(".sentence").nth(2)).to_be_visible()
            self.check_axe(page, f"telling at {width}")
            self.assert_fits(page)
            self.snap(page, f"telling-{width}")
            page.get_by_role("button", name="Next").click()
            self.check_axe(page, f"leaving at {width}")
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            self.check_axe(page, f"ended at {width}")
            self.assert_fits(page)

    def check_axe(self, page, where):
        page.evaluate(AXE.read_text())
        found = page.evaluate("""async () => (await axe.run({ runOnly: [
            "wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })).violations
            .map(({ id, nodes }) => [id, nodes.slice(0, 3).map(node => node.html.slice(0, 120))])""")
        self.assertEqual(found, [], where)

    def test_notice_once(self):
        page = self.open()
        event = 'event: {}\ndata: {}\n\n'.format
        told = event("start", '{"story":"","title":"T","kind":"finished","id":"x","seed":1}') \
            + event("notice", '{"text":"It is warm.","reason":"heat"}') \
            + event("sentence", '{"index":0,"text":"One.","startsParagraph":true,"audio":null}') + event("end", '{"stop":"end"}')
        page.route("**/api/story", lambda route: route.fulfill(content_type="text/event-stream", body=told))
        self.choose(page)
        expect(page.locator(".notice")).to_have_text("It is warm.")
        self.to_the_end(page)
        self.press(page, "Another story like this")
        self.to_the_end(page)
        expect(page.locator(".notice")).to_have_count(0)


if __name__ == "__main__":
    unittest.main()
