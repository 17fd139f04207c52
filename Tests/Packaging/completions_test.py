"""Completions by the shells themselves: keys typed at a terminal (bash, zsh), or the shell's own question (fish)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import support

sys.path.insert(0, str(support.PACKAGING))
import helptext


class Completions:
    """What is asked of every shell."""
    # Typed, and what becomes of it after one Tab: words that have one completion only.
    SINGLE = [
        ("hearth sani", "hearth sanitize "),
        ("hearth help sani", "hearth help sanitize "),
        ("hearth --vers", "hearth --version "),
        ("hearth story sleepy-b", "hearth story sleepy-bear "),
        ("hearth story --seed 4 sleepy-b", "hearth story --seed 4 sleepy-bear "),
        ("hearth story --language zh", "hearth story --language zh-Hans "),
        ("hearth story --langu", "hearth story --language "),
        ("hearth stories the-lowest", "hearth stories the-lowest-note "),
        ("hearth generate --model hearth-n", "hearth generate --model hearth-nano "),
        ("hearth generate --model tin", "hearth generate --model tiny.gguf "),
        ("hearth startup rep", "hearth startup report "),
        ("hearth startup report --ht", "hearth startup report --html "),
        ("hearth bench vis", "hearth bench vision "),
        ("hearth evaluate mer", "hearth evaluate merge "),
        ("hearth score --text-file not", "hearth score --text-file notes.txt "),
        ("hearth classify --model hearth-nano --top 3 pict", "hearth classify --model hearth-nano --top 3 picture\\ one.png "),
        ("hearth classify notes.txt pict", "hearth classify notes.txt picture\\ one.png "),
        ("hearth compress tiny.gguf --to palette8 --o", "hearth compress tiny.gguf --to palette8 --output "),
        ("hearth compress tiny.gguf -o not", "hearth compress tiny.gguf -o notes.txt "),
        ("hearth watch --frames fol", "hearth watch --frames folder/"),
        ("hearth remove inst", "hearth remove installed-by-hand "),
    ]
    # Typed, what has to be offered, and what must not be.
    LISTS = [
        ("hearth ", ["story", "generate", "doctor", "help"], ["--json", "notes.txt"]),
        ("hearth help ", ["story", "doctor"], ["--json"]),
        ("hearth story --language ", ["en", "zh-Hans", "es"], ["notes.txt"]),
        ("hearth watch --model tiny.gguf --frames ", ["folder"], ["notes.txt"]),
        ("hearth story --kv ", ["float32", "float16", "int8"], ["notes.txt"]),
        ("hearth startup ", ["report", "prewarm"], []),
        ("hearth startup report --", ["--html", "--csv", "--json"], ["--runs"]),
        ("hearth generate --model ", ["hearth-nano", "tiny.gguf"], []),
        ("hearth wishes --", ["--language", "--json", "--help"], ["--model"]),
    ]

    shell = None

    def setUp(self):
        if not shutil.which(self.shell):
            self.skipTest(f"there is no {self.shell}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.made = pathlib.Path(folder.name, "made")
        support.generate("completions", self.made)
        self.here = pathlib.Path(folder.name, "here")
        (self.here / "folder").mkdir(parents=True)
        for name in ("notes.txt", "picture one.png", "tiny.gguf"):
            (self.here / name).touch()
        # The program under its name, and a model that was put into its folder by hand.
        programs = pathlib.Path(folder.name, "bin")
        programs.mkdir()
        (programs / "hearth").symlink_to(support.PROGRAM)
        home = pathlib.Path(folder.name, "home")
        (home / "Models").mkdir(parents=True)
        shutil.copy(support.ROOT / "Models/hearth-nano.gguf", home / "Models/installed-by-hand.gguf")
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}", "HEARTH_HOME": str(home), "HOME": str(home), "TERM": "dumb",
            "LC_ALL": "C.UTF-8", "COLUMNS": "200", "LINES": "50",
        }

    def test_single(self):
        for typed, expected in self.SINGLE:
            with self.subTest(typed):
                self.assertEqual(self.completed(typed), expected)

    def test_lists(self):
        for typed, offered, others in self.LISTS:
            with self.subTest(typed):
                words = self.offered(typed)
                for word in offered:
                    self.assertIn(word, words)
                for word in others:
                    self.assertNotIn(word, words)


class BashTests(Completions, unittest.TestCase):
    shell = "bash"

    def begin(self):
        shell = support.Shell(["bash", "--norc", "--noprofile", "-i"], self.environment, self.here)
        self.addCleanup(shell.close)
        script = self.made / "share/bash-completion/completions/hearth"
        shell.type(f"PS1=; bind 'set bell-style none'; bind 'set page-completions off'; bind 'set completion-query-items 0'; "
                   f"stty cols 200 -echoctl; show() {{ echo \"<<$READLINE_LINE>>\"; }}; bind -x '\"\\C-g\": show'; source {script}; "
                   "echo rea''dy\n")
        shell.wait("ready")
        return shell

    def completed(self, typed):
        shell = self.begin()
        shell.type(typed + "\t\x07")
        return shell.wait("<<.*>>").split("<<")[1].split(">>")[0]

    def offered(self, typed):
        shell = self.begin()
        shell.type(typed + "\t\t\x07")
        return shell.wait("<<.*>>").split("<<")[0].replace(typed, "").replace("/", " ").split()

    def test_equals(self):
        self.assertEqual(self.completed("hearth story --language=zh"), "hearth story --language=zh-Hans ")
        self.assertEqual(self.completed("hearth story --trace=not"), "hearth story --trace=notes.txt ")

    def test_nothing_is_run(self):
        """What a word contains is text."""
        self.completed("hearth story '$(touch was-run)")
        self.completed("hearth generate --model $(touch was-run)")
        self.assertFalse((self.here / "was-run").exists())


class ZshTests(Completions, unittest.TestCase):
    shell = "zsh"

    def begin(self):
        shell = support.Shell(["zsh", "-f", "-i"], self.environment, self.here)
        self.addCleanup(shell.close)
        functions = self.made / "share/zsh/site-functions"
        shell.type(f"PS1= PS2= RPS1=; stty cols 200; unsetopt zle_bracketed_paste 2>/dev/null; fpath=({functions} $fpath); autoload -U compinit; "
                   "compinit -D -u; LISTMAX=1000; setopt no_beep no_always_last_prompt; zstyle ':completion:*' list-prompt ''; "
                   "zstyle ':completion:*' verbose no; show() { print -r -- \"<<$BUFFER>>\" }; zle -N show; bindkey '^G' show; "
                   "bindkey '^I' complete-word; bindkey '^O' list-choices; print rea''dy\n")
        shell.wait("ready")
        return shell

    def completed(self, typed):
        shell = self.begin()
        shell.type(typed + "\t\x07")
        line = shell.wait("<<.*>>").split("<<")[1].split(">>")[0]
        # The sign that zsh puts behind an option goes away when a blank is typed.
        return line[:-1] + " " if line.endswith("=") else line

    def offered(self, typed):
        shell = self.begin()
        shell.type(typed + "\x0f\x07")
        return shell.wait("<<.*>>").split("<<")[0].replace(typed, "").replace("/", " ").split()

    def test_equals(self):
        self.assertEqual(self.completed("hearth story --language=zh"), "hearth story --language=zh-Hans ")


class FishTests(Completions, unittest.TestCase):
    shell = "fish"

    def offers(self, typed):
        script = self.made / "share/fish/vendor_completions.d/hearth.fish"
        text = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C $argv[1]", typed], check=True,
                              env=self.environment, cwd=self.here, capture_output=True).stdout.decode()
        return [line.split("\t")[0] for line in text.splitlines()]

    def completed(self, typed):
        last = typed.split(" ")[-1]
        offers = [offer for offer in self.offers(typed) if offer.startswith(last)]
        self.assertEqual(len(offers), 1, f"{typed}: {offers}")
        # A name is quoted by who types it.
        word = offers[0].replace(" ", "\\ ")
        return typed[:len(typed) - len(last)] + word + ("" if word.endswith("/") else " ")

    def offered(self, typed):
        return [offer.rstrip("/") for offer in self.offers(typed)]


class KindTests(unittest.TestCase):
    """Files and folders are completed wherever help speaks of one."""

    def test_files_and_folders(self):
        namespace = {"__name__": "completions", "__file__": str(support.PACKAGING / "completions")}
        source = (support.PACKAGING / "completions").read_text(encoding="utf-8")
        exec(compile(source, "completions", "exec"), namespace)
        seen = set()
        for page in helptext.read(str(support.PROGRAM)):
            for argument in [*page.options, *page.arguments]:
                if not argument.value:
                    continue
                kind = namespace["kind"](page, argument)
                seen.add(kind)
                with self.subTest(f"{page.name} {argument.name}"):
                    if argument.help.startswith("File "):
                        self.assertEqual(kind, "file")
                    if argument.help.startswith("Folder "):
                        self.assertEqual(kind, "folder")
                    if argument.choices:
                        self.assertEqual(kind, "words")
        self.assertEqual(seen, {"words", "model", "installed", "wish", "story", "file", "folder", "text"})


if __name__ == "__main__":
    unittest.main()
