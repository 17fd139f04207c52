"""The page in a real browser, told stories by the real program with its bundled model.

    Tests/Server/run page_test.py
    HEARTH_PROGRAM=… HEARTH_SCREENSHOTS=FOLDER Tests/Server/run page_test.py
"""

import re
import unittest

from browser import PHONE, PageCase
from harness import PATIENCE, serving, source
from playwright.sync_api import expect

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "font-src 'self'",
    "connect-src 'self'", "media-src 'self' blob:", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
    "frame-ancestors 'none'",
}
HEADINGS = {
    "en": "What shall tonight’s story be about?",
    "es": "¿De qué tratará el cuento de esta noche?",
    "zh-Hans": "今晚想听什么故事？",
}


class PageTest(PageCase):
    def test_as_it_comes(self):
        """What holds before anything is touched."""
        page = self.open()
        self.check_closed(page)
        self.check_words(page)
        self.check_moon(page)
        self.assert_quiet()

    def check_closed(self, page):
        policy = {part.strip() for part in self.answer.headers["content-security-policy"].split(";") if part.strip()}
        self.assertEqual(policy, POLICY)
        # Nothing that the policy would have to forbid, and nothing to type into but the child's name, behind the grown-ups' door.
        self.assertEqual(page.locator("[style], style, script:not([src]), [onclick], [onload], form, iframe").count(), 0)
        typing = "textarea, [contenteditable], input:not([type=radio]):not([type=checkbox]):not([type=range])"
        self.assertEqual(page.eval_on_selector_all(typing, "all => all.map(e => e.id)"), ["child-name"])
        expect(page.locator("#child-name")).to_be_hidden()

    def check_words(self, page):
        """Each language has each word, and the page asks for no others."""
        tables = page.evaluate("""async () => {
            const { languages, wordsOf } = await import("/page/strings.js");
            const all = (words, path = "") => Object.entries(words).flatMap(([name, text]) =>
                typeof text === "string" || Array.isArray(text) ? [[path + name, text.length > 0]] : all(text, `${path}${name}.`));
            return languages.map(({ tag }) => all(wordsOf(tag)));
        }""")
        names = [name for name, _ in tables[0]]
        for table in tables:
            self.assertEqual(table, [[name, True] for name in names])
        asked = page.eval_on_selector_all(
            "[data-word], [data-label]", "all => all.flatMap(e => [e.dataset.word, e.dataset.label]).filter(Boolean)")
        self.assertLess(set(asked), set(names))
        self.assertEqual(page.evaluate("document.querySelectorAll('[data-word]:empty').length"), 0)

    def check_moon(self, page):
        """As much of the disc is lit as there is progress, counted in points of a grid."""
        lit = page.evaluate("""async () => {
            const { litPath } = await import("/page/moon.js");
            const canvas = document.createElement("canvas").getContext("2d");
            return [0, 0.1, 0.25, 0.5, 0.75, 0.9, 1].map((k) => {
                const path = new Path2D(litPath(k, 44));
                let [inside, disc, right] = [0, 0, 0];
                for (let x = -44; x <= 44; x++) for (let y = -44; y <= 44; y++) {
                    if (Math.hypot(x + 0.01, y + 0.01) > 44) continue;
                    const isLit = canvas.isPointInPath(path, x + 0.01, y + 0.01);
                    disc++;
                    inside += isLit;
                    right += isLit && x > 0;
                }
                return { k, part: inside / disc, right: inside ? right / inside : 1 };
            });
        }""")
        for moon in lit:
            self.assertAlmostEqual(moon["part"], moon["k"], delta=0.015)
            # It waxes as it does north of the equator: the light comes from the right.
            self.assertGreater(moon["right"], 0.48 if moon["k"] > 0.5 else 0.97)

    def test_cards_and_languages(self):
        page = self.open(view=PHONE, locale="es-MX")
        expect(page.get_by_role("heading", level=1)).to_have_text(HEADINGS["es"])
        for language, heading in HEADINGS.items():
            page.locator(f"input[value='{language}']").check()
            expect(page.get_by_role("heading", level=1)).to_have_text(heading)
            wishes = self.server.json(f"/api/wishes?language={language}")["wishes"]
            group = page.get_by_role("group", name=heading)
            for wish in (wishes[0], wishes[27], wishes[47]):
                expect(group.get_by_role("button", name=wish["title"], exact=True)).to_have_count(1)
            self.assertEqual(page.locator("html").get_attribute("lang"), language)
            self.assert_fits(page)
            self.snap(page, f"choosing-{language}")
        shown = page.eval_on_selector_all(".card", "all => all.map(c => [c.dataset.wish, c.querySelector('use').href.baseVal])")
        self.assertEqual([f"#card-{wish}" for wish, _ in shown], [picture for _, picture in shown])
        drawn = page.evaluate("[...document.querySelectorAll('.sprite symbol')].map(s => s.children.length > 3 && s.id)")
        self.assertEqual({f"#{name}" for name in drawn}, {picture for _, picture in shown})
        small = page.eval_on_selector_all(
            "button, label:has(input), input, select",
            "all => all.map(e => [e.textContent, e.getBoundingClientRect()])"
            ".filter(([, r]) => r.width && (r.width < 44 || r.height < 44)).map(([name]) => name)")
        self.assertEqual(small, [])
        # The language that was chosen last is remembered, and the story is told in it.
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text(HEADINGS["zh-Hans"])
        expect(page.get_by_role("radio", name="中文")).to_be_checked()
        page.locator("[data-wish=lost-star]").click()
        expect(page.locator(".sentence").first).to_contain_text(re.compile("[\u4e00-\u9fff]"))
        self.assertEqual(page.locator("#story-text").get_attribute("lang"), "zh-Hans")
        self.assert_quiet()

    def test_story_by_keyboard(self):
        page = self.open(aloud=True, view=PHONE)
        for _ in range(10):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.classList.contains('card')"):
                break
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
        columns = page.evaluate("getComputedStyle(document.querySelector('.cards')).gridTemplateColumns.split(' ').length")
        wish = page.evaluate("document.activeElement.dataset.wish")
        at = page.eval_on_selector_all(".card", "(all) => all.indexOf(document.activeElement)")
        self.assertEqual(at, 47 - columns)
        page.keyboard.press("Enter")

        sentences = page.locator("#story-text .sentence")
        expect(sentences.nth(1)).to_be_visible()
        self.assertEqual(page.locator("#story-text").get_attribute("aria-live"), "polite")
        self.assertNotEqual(page.locator("#story-title").text_content(), "")
        expect(page.locator(".sentence.now")).to_have_count(1)
        self.assert_fits(page)
        self.snap(page, "telling")

        page.keyboard.press("Space")
        expect(page.locator("body")).to_have_attribute("data-stage", "paused")
        expect(page.get_by_role("button", name="Continue")).to_be_visible()
        # A sound that was on its way may still be put into the player; nothing is played.
        self.server.wait(lambda: self.is_still(page))
        [[is_paused, place]] = page.evaluate("[...players].map(p => [p.paused, p.currentTime])")
        self.assertTrue(is_paused)
        count = sentences.count()
        self.snap(page, "paused")
        page.keyboard.press("Space")
        self.server.wait(lambda: page.evaluate("[...players].map(p => p.currentTime)") != [place])
        # The sound of the next sentence is asked for while this one is heard.
        self.server.wait(
            lambda: page.evaluate("true") and len([path for path in self.paths("/api/story/") if "/audio/" in path]) > count)

        page.get_by_role("button", name="Next").click()
        with page.expect_response(lambda answer: answer.url.endswith("/api/story")):
            page.get_by_role("button", name="Begin another one").click()
        expect(sentences.first).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator("#ending-title")).to_be_focused()
        self.snap(page, "ended")
        page.keyboard.press("Escape")
        expect(page.locator(f"[data-wish={wish}]")).to_be_focused()

        # Sounds came one after the other, from the first on, with the next one ahead; those of the second story as well.
        stories = {}
        for path in self.paths("/api/story/"):
            if found := re.fullmatch(r"/api/story/(\w+)/audio/(\d+)", path):
                stories.setdefault(found[1], []).append(int(found[2]))
        self.assertEqual(len(stories), 2)
        for order in stories.values():
            self.assertEqual(order, list(range(len(order))))
        self.assertGreater(len(next(iter(stories.values()))), count)
        self.assertEqual(self.paths("/api/story").count("/api/story"), 2)
        self.assert_quiet()

    def is_still(self, page):
        """Whether nothing moves for a second."""
        def seen():
            return page.locator(".sentence").count(), page.evaluate("[...players].map(p => p.currentTime)")
        before = seen()
        page.wait_for_timeout(1000)
        return seen() == before

    def test_warming(self):
        page = self.open()
        # The bundled model is ready before anybody could look; a large one takes its time.
        event = 'event: state\ndata: {"state":"warming","progress":0.5,"notice":null}\n\n'
        page.route("**/api/state/events*", lambda route: route.fulfill(content_type="text/event-stream", body=event))
        page.reload()
        moon = page.get_by_role("progressbar", name="How awake the storyteller is")
        expect(moon).to_have_attribute("aria-valuenow", "50")
        expect(moon).to_have_attribute("aria-valuetext", "half moon")
        page.locator("[data-wish=lost-star]").click()
        expect(page.locator("#wait-moon")).to_be_visible()
        self.snap(page, "warming")
        page.get_by_role("button", name="A story right now").click()
        expect(page.locator(".sentence").first).to_be_visible()
        self.assert_quiet()

    def test_model_on_its_way(self):
        """The moon fills with what arrives; stories are told meanwhile, and by the model when it is there."""
        with source() as origin, serving("--model", origin.url, ready=False) as server:
            page = self.open(server, view=PHONE)
            moon = page.get_by_role("progressbar", name="How far the storyteller has come")
            expect(moon).to_have_attribute("aria-valuenow", "40")
            expect(moon).to_have_attribute("aria-valuetext", "half moon")
            expect(page.locator("#choose-status")).to_have_text(
                "The storyteller is on the way. Until then, stories come from the bookshelf.")
            expect(page.locator("#choose-trouble")).to_be_hidden()
            self.assert_fits(page)
            self.snap(page, "arriving")
            self.settings(page)
            expect(page.locator("#arrival")).to_have_text(re.compile(r"4\.\d of 8\.9 MB downloaded"))
            self.snap(page, "arriving-grown-ups")
            page.keyboard.press("Escape")
            page.locator("[data-wish=lost-star]").click()
            expect(page.locator(".sentence").first).to_be_visible()
            expect(page.locator("#story-text .notice")).to_have_text(re.compile("not here yet"))
            server.wait(lambda: server.figure('hearth_stories_total{source="library"}') == 1)
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            origin.go.set()
            expect(moon).to_be_hidden()
            expect(page.locator("#choose-model")).to_be_hidden()
            page.locator("[data-wish=lost-star]").click()
            expect(page.locator(".sentence").first).to_be_visible()
            server.wait(lambda: server.figure('hearth_stories_total{source="model"}') == 1)
            self.assert_quiet(server)

    def test_model_that_does_not_come(self):
        with source() as origin:
            origin.refuses = True
            with serving("--model", origin.url, ready=False) as server:
                page = self.open(server)
                expect(page.locator("#choose-trouble")).to_have_text(re.compile("the server refused"))
                self.snap(page, "not-coming")
                page.locator("[data-wish=lost-star]").click()
                expect(page.locator(".sentence").first).to_be_visible()
                self.assertEqual(server.log.read_text().count("status 404"), 1)
                self.assert_quiet(server)

    def test_without_the_servers_voice(self):
        page = self.open(aloud=True)
        page.route("**/audio/*", lambda route: route.fulfill(status=503))
        page.locator("[data-wish=little-fox]").click()
        expect(page.locator(".sentence").nth(3)).to_be_visible()
        told = page.locator(".sentence").all_text_contents()
        spoken = page.evaluate("spoken")
        self.assertGreaterEqual(len(spoken), 3)
        for (voice, text), sentence in zip(spoken, told):
            # Of the browser's voices only those that keep the text on the device.
            self.assertEqual((voice, text), ("near", sentence))
        self.assertEqual(len([path for path in self.paths("/api/story/") if "/audio/" in path]), 1)

    def test_closing_the_page_stops_the_story(self):
        # The bundled model may tell a whole story while a page is being closed: then another page is tried. That a text in the
        # making stops within a token is tested with a slow model in LocalServerTests.
        with serving("--threads", "1", environment={"HEARTH_KERNELS": "portable"}) as server:
            cancelled, finished = (f'hearth_generations_total{{outcome="{outcome}"}}' for outcome in ("cancelled", "finished"))

            def over():
                return server.figure(cancelled) + server.figure(finished)
            for attempt in range(1, 101):
                page = self.open(server)
                page.locator("[data-wish=sleepy-bear]").click()
                # A page that is closed earlier may not have asked.
                server.wait(lambda: server.figure("hearth_generations_running") or over() == attempt)
                page.close()
                server.wait(lambda: over() == attempt)
                if server.figure(cancelled) == 1:
                    break
            self.assertEqual(server.figure(cancelled), 1)
            self.assertEqual(server.figure("hearth_generations_running"), 0)
            self.assert_quiet(server)

    def test_warm_device_behind_a_token(self):
        token = "a-token-of-this-test-alone-0123456789"
        simulated = ("--simulate", "thermal=serious@0s")
        with serving(*simulated, ready=False, environment={"HEARTH_TOKEN": token}) as server:
            page = self.open(server, key=f"#token={token}")
            self.assertNotIn("token", page.url)
            page.locator("[data-wish=cloud-castle]").click()
            expect(page.locator(".sentence").first).to_be_visible()
            expect(page.locator("#story-text > :first-child")).to_have_class("notice warm")
            self.assertEqual(page.locator("body").get_attribute("data-view"), "tell")
            self.snap(page, "warm")
            self.assert_quiet(server)
            stranger = page.context.browser.new_context(locale="en-GB").new_page()
            self.addCleanup(stranger.context.close)
            stranger.set_default_timeout(1000 * PATIENCE)
            stranger.goto(server.url)
            expect(stranger.get_by_role("heading", level=1)).to_have_text("The door is closed.")

    def test_trouble_is_kind(self):
        page = self.open()
        page.context.set_offline(True)
        page.locator("[data-wish=tiny-island]").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("The storyteller has dozed off.")
        expect(page.get_by_role("button", name="Choose something else")).to_be_visible()
        self.snap(page, "trouble")
        page.context.set_offline(False)
        # As a server answers that has too much to do, until that was seen; then it is asked itself.
        page.route("**/api/story", lambda route: route.fulfill(status=503, headers={"Retry-After": "1"}))
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("#wait-status")).to_have_text(re.compile("It will be your turn soon"))
        page.unroute("**/api/story")
        expect(page.locator(".sentence").first).to_be_visible()


if __name__ == "__main__":
    unittest.main()
