"""The built program as a process: descriptors, signals, limits and folders as they should not be. Always an exit status of the
contract and one line that says what to do; never a signal, never a hang. HEARTH_PROGRAM names another program."""

import contextlib
import json
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from program import ENDLESS, NANO, PATIENCE, PROGRAM, ROOT

STATUSES = (0, 1, 2, 3, 4, 130)
LINE = b'{"id":"1","lang":"en","text":"The bear sleeps."}\n'


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hearth-process-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.environment = dict(os.environ, HEARTH_HOME=str(self.folder / "home"), HEARTH_BACKGROUND="0")

    def shell(self, command, environment=None):
        """Runs a shell's command, in which $H is the program."""
        done = subprocess.run(
            ["bash", "-c", command], env=dict(environment or self.environment, H=PROGRAM), stdin=subprocess.DEVNULL,
            capture_output=True, timeout=PATIENCE, cwd=self.folder)
        if b"while loading shared libraries" not in done.stderr:  # else the system's loader gave up before the program
            self.assertIn(done.returncode, STATUSES, f"{command}: {done.stderr[-1000:]}")
        return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")

    def start(self, *words, **options):
        options = dict(dict(stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE), **options)
        process = subprocess.Popen([PROGRAM, *map(str, words)], env=self.environment, **options)
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()

    def assertError(self, result, status, *words):
        self.assertEqual(result[0], status, result)
        self.assertEqual(result[2].count("hearth: error:"), 1, result)
        for word in words:
            self.assertIn(word, result[2])


class DescriptorTest(Case):
    """Standard descriptors that are closed, full, gone, or not what they should be."""

    def test_closed_input(self):
        for command in ("filter", "sanitize", "chunk"):
            self.assertError(self.shell(f'"$H" {command} <&-'), 3, "standard input")
        for words in ("generate --tokens-file -", "score --tokens-file -", "score --text-file -"):
            self.assertError(self.shell(f'"$H" {words} --model "{NANO}" <&-'), 3, "Bad file descriptor")

    def test_folder_as_input(self):
        for command in ("filter", "sanitize", "chunk"):
            self.assertError(self.shell(f'"$H" {command} < /'), 3, "Is a directory")
        self.assertError(self.shell(f'"$H" tokenize --model "{NANO}" --lines < /'), 3, "Is a directory")
        self.assertError(self.shell(f'"$H" generate --model "{NANO}" --tokens-file - < /'), 3, "Is a directory")

    def test_closed_output_is_an_error(self):
        for words in ("wishes", "models", "doctor", "story sleepy-bear --max-tokens 20", "help"):
            self.assertError(self.shell(f'"$H" {words} >&-'), 1, "standard output")

    def test_full_output_is_an_error(self):
        for words in ("wishes", "models", "story sleepy-bear --max-tokens 20", "story sleepy-bear --max-tokens 20 --json",
                      f'generate --model "{NANO}" --prompt a --max-tokens 5'):
            self.assertError(self.shell(f'"$H" {words} >/dev/full'), 1, "No space left")

    def test_closed_errors_lose_only_themselves(self):
        status, out, _ = self.shell('"$H" wishes --json 2>&-')
        self.assertEqual((status, "wishes" in json.loads(out)), (0, True))
        self.assertEqual(self.shell('"$H" nonsense 2>&-')[0], 2)

    def test_all_closed(self):
        for words, statuses in (("story sleepy-bear --max-tokens 20", (1,)), ("filter", (1, 3)), ("doctor", (1,)),
                                (f'compile --model "{NANO}"', (1,)), ("prune", (1,))):
            self.assertIn(self.shell(f'"$H" {words} <&- >&- 2>&-')[0], statuses, words)

    def test_no_file_takes_the_place_of_a_closed_descriptor(self):
        with open(self.folder / "tokens.json", "w") as file:
            json.dump([2, 5, 6, 7, 8], file)
        logits = self.folder / "out.f32"
        self.shell(f'"$H" score --model "{NANO}" --tokens-file tokens.json --logits "{logits}" <&- >&- 2>&-')
        size = os.path.getsize(logits) if logits.exists() else 0
        # Rows of float32, and no result of a command among them.
        self.assertEqual(size % (5 * 4), 0)

    def test_reader_that_goes_away(self):
        for words in ("stories", "wishes", "help", "doctor", "models --json", "story sleepy-bear --max-tokens 60",
                      f'generate --model "{NANO}" --prompt a --max-tokens 400', f'inspect "{NANO}"'):
            status, _, err = self.shell(f'set -o pipefail; "$H" {words} | head -c 1 >/dev/null; exit ${{PIPESTATUS[0]}}')
            self.assertEqual((status, err.count("error")), (0, 0), words)

    def test_a_reader_that_goes_leaves_no_unfinished_file(self):
        status, _, err = self.shell(
            'set -o pipefail; "$H" story sleepy-bear --source library --audio out.wav | head -c 1 >/dev/null; '
            'exit ${PIPESTATUS[0]}')
        if "espeak-ng" in err:
            self.skipTest("no speech program")
        self.assertEqual(status, 0, err)
        self.assertEqual(sorted(path.name for path in self.folder.glob("out.wav?*")), [])

    def test_filters_answer_until_the_reader_goes(self):
        process = self.start("filter", stdin=subprocess.PIPE)
        process.stdin.write(LINE)
        process.stdin.flush()
        self.assertIn(b'"action"', process.stdout.readline())
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            for _ in range(50):
                process.stdin.write(LINE)
                process.stdin.flush()
        self.assertEqual(process.wait(PATIENCE), 0)


class SignalTest(Case):
    def wait_until_handled(self, process, number):
        """Before that a signal ends any program as signals do."""
        end = time.monotonic() + PATIENCE
        while process.poll() is None:
            for line in pathlib.Path(f"/proc/{process.pid}/status").read_text().splitlines():
                if line.startswith("SigCgt:") and int(line.split()[1], 16) >> (number - 1) & 1:
                    return
            self.assertLess(time.monotonic(), end, "the signal is not handled")
            time.sleep(0.002)

    def interrupted(self, process, number):
        """Input stays open: its end would end a filter too."""
        process.send_signal(number)
        self.assertEqual(process.wait(PATIENCE), 130)

    def test_each_signal_ends_a_text_in_order(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            stops = []
            # An interrupted program leaves after 150 ms to 5 s, whatever it has printed by then: a busy machine may need more.
            while stops[-1:] != ["cancelled"]:
                self.assertLess(len(stops), 30, stops)
                stops.append(self.interrupted_text(number))

    def interrupted_text(self, number):
        """Why the program says that a text ended that has no end; None where it had no time to say so."""
        # A file takes everything at once; a pipe would wait for its reader.
        with open(self.folder / "out", "w+b") as out:
            process = self.start("generate", "--model", NANO, *ENDLESS, "--json", "--simulate", "thermal=fair@0s", stdout=out)
            self.wait_until_handled(process, number)
            time.sleep(0.05)
            process.send_signal(number)
            _, err = process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 130, err)
            out.seek(0)
            said = out.read()
        if not said.endswith(b"}\n"):
            return None
        self.assertEqual(json.loads(said)["stop"], "cancelled")
        return "cancelled"

    def test_each_signal_ends_a_filter_that_waits(self):
        for command in ("filter", "sanitize"):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                process = self.start(command, stdin=subprocess.PIPE)
                process.stdin.write(LINE)
                process.stdin.flush()
                process.stdout.readline()
                self.interrupted(process, number)

    def test_each_signal_ends_a_server(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            process = self.start("serve", "--port", 0)
            while b"listening on" not in process.stderr.readline():
                self.assertIsNone(process.poll())
            # A server lets its texts end where the system asks for it, and that is no interruption.
            process.send_signal(number)
            self.assertEqual(process.wait(PATIENCE), 130 if number == signal.SIGINT else 0)

    def test_a_hang_up_that_is_ignored_stays_ignored(self):
        process = self.start(
            "filter", stdin=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stdin.write(LINE)
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        process.stdin.write(LINE)
        process.stdin.flush()
        self.assertIn(b'"action"', process.stdout.readline())
        process.stdin.close()
        self.assertEqual(process.wait(PATIENCE), 0)

    def test_a_signal_leaves_no_unfinished_file(self):
        for number in (signal.SIGTERM, signal.SIGHUP):
            process = self.start("compress", NANO, "--to", "q4_0", "-o", self.folder / "small.gguf")
            self.wait_until_handled(process, number)
            time.sleep(0.05)
            process.send_signal(number)
            process.communicate(timeout=PATIENCE)
            self.assertIn(process.returncode, (0, 130))
            self.assertEqual([path.name for path in self.folder.glob("*.tmp")], [])
            (self.folder / "small.gguf").unlink(missing_ok=True)


class LimitTest(Case):
    COMMANDS = ("models", "wishes", "filter", "story sleepy-bear --max-tokens 10", "doctor",
                f'generate --model "{NANO}" --prompt a --max-tokens 3')

    def test_few_descriptors(self):
        for limit in (3, 4, 5, 6, 8, 12, 16, 24, 32, 40):
            for words in self.COMMANDS:
                status, _, err = self.shell(f'ulimit -n {limit}; exec "$H" {words}')
                if "while loading shared libraries" in err:
                    continue  # the system's loader found no descriptor: nothing of the program has run
                self.assertIn(status, (0, 1, 4), f"{limit} descriptors: {words}: {err}")
                self.assertNotIn("Signal", err)
                if status:
                    self.assertEqual(err.count("hearth: error:"), 1, f"{limit} descriptors: {words}: {err}")

    def test_a_soft_limit_is_raised(self):
        self.assertEqual(self.shell('ulimit -Sn 8; exec "$H" models')[0], 0)

    def test_server_with_few_descriptors(self):
        for limit in (16, 32, 40):
            process = self.start(
                "serve", "--port", 0, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
            line = process.stderr.readline()
            while line and b"listening" not in line and b"error" not in line:
                line = process.stderr.readline()
            if b"listening" in line:
                process.terminate()
            process.communicate(timeout=PATIENCE)
            self.assertIn(process.returncode, (0, 1, 4), line)

    def test_little_address_space(self):
        for kilobytes in (120_000, 200_000, 300_000, 400_000, 600_000, 1_000_000):
            for words in self.COMMANDS:
                status, _, err = self.shell(f'ulimit -v {kilobytes}; exec "$H" {words}')
                self.assertIn(status, (0, 1, 4), f"{kilobytes} kB: {words}: {err}")
                self.assertNotIn("Signal", err)
                if status:
                    self.assertEqual(err.count("hearth: error:"), 1, f"{kilobytes} kB: {words}: {err}")

    def test_small_files_only(self):
        result = self.shell(f'ulimit -f 100; "$H" compress "{NANO}" --to q4_0 -o small.gguf')
        self.assertError(result, 1, "small.gguf")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.name != "home"), [])


    def test_a_full_disk_leaves_no_unfinished_file(self):
        tokens = self.folder / "ids.json"
        tokens.write_text(json.dumps(list(range(2, 40))))
        model = ROOT / "Tests/Fixtures/gemma/gemma1-q8_0.gguf"
        words = f'score --model "{model}" --tokens-file ids.json --logits out.f32'
        self.assertError(self.shell(f'ulimit -f 8; "$H" {words}'), 1, "out.f32")
        self.assertEqual(sorted(path.name for path in self.folder.glob("out.f32*")), [])


class FolderTest(Case):
    """Hearth's folder missing, a file, read-only or not to be read."""

    WORKS = ("wishes", "story sleepy-bear --max-tokens 10", f'generate --model "{NANO}" --prompt a --max-tokens 3')

    def with_home(self, home):
        environment = dict(self.environment)
        if home is None:
            del environment["HEARTH_HOME"]
            environment.pop("HOME", None)
            for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
                environment.pop(name, None)
        else:
            environment["HEARTH_HOME"] = str(home)
        return environment

    def test_no_home(self):
        environment = self.with_home(None)
        for words in self.WORKS:
            self.assertEqual(self.shell(f'"$H" {words}', environment)[0], 0, words)
        for words in ("models", "prune", "remove nothing"):
            self.assertError(self.shell(f'"$H" {words}', environment), 4, "HEARTH_HOME")
        status, out, _ = self.shell('"$H" doctor', environment)
        self.assertIn("neither a home", out)

    def test_home_is_a_file(self):
        file = self.folder / "file"
        file.write_text("x")
        for home in (file, file / "below"):
            environment = self.with_home(home)
            for words in self.WORKS:
                self.assertEqual(self.shell(f'"$H" {words}', environment)[0], 0, words)
            for words in ("models", "prune", "remove nothing"):
                self.assertError(self.shell(f'"$H" {words}', environment), 3, str(file))
            self.assertError(self.shell(f'"$H" compile --model "{NANO}"', environment), 3, str(file))

    def unprivileged(self, command, environment):
        """Root may read and write everything."""
        if os.geteuid() == 0:
            command = "setpriv --reuid 65534 --regid 65534 --clear-groups bash -c " + shell_quoted(command)
        return self.shell(command, environment)

    def test_home_that_may_not_be_written(self):
        home = self.folder / "locked"
        home.mkdir()
        os.chmod(home, 0o555)
        os.chmod(self.folder, 0o755)
        environment = self.with_home(home)
        self.assertEqual(self.unprivileged('"$H" models', environment)[0], 0)
        for words in self.WORKS:
            self.assertEqual(self.unprivileged(f'"$H" {words}', environment)[0], 0, words)
        self.assertError(self.unprivileged(f'"$H" compile --model "{NANO}"', environment), 1, str(home))

    def test_images_need_no_place_for_artifacts(self):
        locked = self.folder / "locked"
        locked.mkdir()
        os.chmod(locked, 0o555)
        os.chmod(self.folder, 0o755)
        digits = ROOT / "Tests/Fixtures/coreml/digits"
        words = f'classify --model "{digits}/fp32.mlpackage" "{digits}/images/0000.png" --json'
        for home in (locked / "home", pathlib.Path(NANO)):
            environment = self.with_home(home)
            result = self.unprivileged(f'"$H" {words}', environment)
            self.assertEqual(result[0], 0, result)
            self.assertEqual(json.loads(result[1])["results"][0]["label"], "zero")

    def test_home_that_may_not_be_read(self):
        home = self.folder / "locked"
        home.mkdir()
        os.chmod(home, 0o000)
        os.chmod(self.folder, 0o755)
        environment = self.with_home(home)
        for words in self.WORKS:
            self.assertEqual(self.unprivileged(f'"$H" {words}', environment)[0], 0, words)
        for words in ("models", "prune"):
            self.assertError(self.unprivileged(f'"$H" {words}', environment), 3, str(home))

    def test_no_folder_for_temporary_files(self):
        environment = dict(self.environment, TMPDIR=str(self.folder / "none"))
        for words in self.WORKS + (f'compress "{NANO}" --to q4_0 -o small.gguf', "doctor"):
            self.assertEqual(self.shell(f'"$H" {words}', environment)[0], 0, words)
        status, _, err = self.shell(f'"$H" startup --model "{NANO}" --runs 1', environment)
        self.assertIn(status, (0, 1), err)
        if status:
            self.assertIn("hearth: error:", err)

    def test_leftovers_of_former_versions_go(self):
        home = self.folder / "home"
        home.mkdir()
        (home / "Models").mkdir()
        old, new, other = home / ".dat.nosync1f2e.AbCdEf", home / ".dat.nosync1f2e.GhIjKl", home / "notes.txt"
        cut = home / "usage.json.abc123.tmp"
        for path in (old, new, other, cut):
            path.write_text("x")
        for path in (old, other, cut):
            os.utime(path, (time.time() - 600, time.time() - 600))
        self.assertEqual(self.shell('"$H" prune')[0], 0)
        # What is new may be somebody's who is still writing.
        self.assertEqual([path.exists() for path in (old, new, other, cut)], [False, True, True, False])

    def test_a_text_leaves_no_files_of_foundations(self):
        self.shell(f'"$H" generate --model "{NANO}" --prompt a --max-tokens 3')
        left = [path.name for path in (self.folder / "home").rglob("*") if ".nosync" in path.name]
        self.assertEqual(left, [])


class OutputTest(Case):
    """Files that are no files: nothing is put in their place, and that is said before any work is done."""

    def setUp(self):
        super().setUp()
        (self.folder / "ids.json").write_text("[2, 5, 6]")
        os.mkfifo(self.folder / "pipe")

    def commands(self, path):
        return (f'score --model "{NANO}" --tokens-file ids.json --logits "{path}"',
                f'story sleepy-bear --max-tokens 20 --audio "{path}"', f'compress "{NANO}" --to q4_0 -o "{path}" --force')

    def test_a_pipe_or_device_is_never_replaced(self):
        *written, compressed = self.commands("pipe")
        for words in written:
            self.assertError(self.shell(f'"$H" {words}'), 1, "pipe", "not a regular file")
        self.assertError(self.shell(f'"$H" {compressed}'), 2, "pipe", "--force replaces nothing else")
        self.assertTrue((self.folder / "pipe").is_fifo())
        self.assertEqual([path.name for path in self.folder.glob("pipe?*")], [])

    def test_a_folder_is_refused_at_once(self):
        trace = f'generate --model "{NANO}" --prompt a --max-tokens 3 --trace'
        for words in (*self.commands(".")[:2], f"{trace} ."):
            result = self.shell(f'"$H" {words}')
            self.assertError(result, 1, "Is a directory")
            self.assertEqual(result[1], "", words)
        for words in (*self.commands("")[:2], f'{trace} ""'):
            result = self.shell(f'"$H" {words}')
            self.assertError(result, 1, "No such file or directory")
            self.assertEqual(result[1], "", words)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir() if path.name != "home"), ["ids.json", "pipe"])

    def test_words_that_are_no_utf8(self):
        """A name in Latin-1 is refused as such; as repaired text it would name another file."""
        image = os.fsencode(self.folder) + b"/caf\xe9.png"
        digits = ROOT / "Tests/Fixtures/coreml/digits"
        shutil.copy(digits / "images/0000.png", image)
        model = os.fsencode(digits / "fp32.mlpackage")

        def run(*words, home=os.fsencode(self.environment["HEARTH_HOME"])):
            environment = {os.fsencode(key): os.fsencode(value) for key, value in self.environment.items()}
            environment[b"HEARTH_HOME"] = home
            return subprocess.run([PROGRAM, *words], capture_output=True, timeout=PATIENCE, env=environment)

        for words, number in ([b"classify", b"--model", model, image], 4), ([b"filter", b"--text", b"caf\xe9.png"], 3):
            ended = run(*words)
            self.assertEqual((ended.returncode, ended.stdout), (2, b""), ended)
            self.assertIn(f"argument {number} is not valid UTF-8: '".encode(), ended.stderr)
            self.assertIn(b"caf\\xE9.png'", ended.stderr)
        good = os.fsencode(self.folder) + "/café.png".encode()
        shutil.copy(image, good)
        ended = run(b"classify", b"--model", model, good)
        self.assertEqual(ended.returncode, 0, ended)
        ended = run(b"models", home=os.fsencode(self.folder) + b"/h\xe9")
        self.assertEqual((ended.returncode, ended.stdout), (2, b""), ended)
        self.assertIn(b"HEARTH_HOME is not valid UTF-8", ended.stderr)

    def test_a_pipe_as_input_is_named_as_what_it_is(self):
        self.assertError(self.shell(f'"$H" chat --model "{NANO}" --session pipe'), 3, "pipe", "not a regular file")


class PruneTest(Case):
    """Two programs that remove what the other looks at."""

    def test_prune_beside_remove(self):
        source = self.folder / "source.gguf"
        shutil.copyfile(NANO, source)
        failures, stop = [], threading.Event()

        def prune():
            while not stop.is_set():
                status, _, err = self.shell('"$H" prune --to 1')
                if status:
                    failures.append((status, err))

        pruner = threading.Thread(target=prune)
        pruner.start()
        try:
            for round in range(12):
                status, _, err = self.shell(f'"$H" pull "file://{source}" --name m{round % 3}')
                if "file" in err and status == 2:
                    self.skipTest("files cannot be pulled here")
                status, _, err = self.shell(f'"$H" remove m{round % 3}')
                if status not in (0, 3, 4) or status == 3 and "not installed" not in err and "installed" not in err:
                    failures.append((status, err))
        finally:
            stop.set()
            pruner.join()
        self.assertEqual(failures, [])


class DoctorTest(Case):
    def test_libraries_that_are_here_are_found(self):
        out = json.loads(self.shell('"$H" doctor --json')[1])
        checks = {check["name"]: check for check in out["checks"]}
        for name in ("libcurl", "libturbojpeg", "libpng", "libcrypto", "sqlite3"):
            self.assertEqual(checks[name]["status"], "ok", checks[name])


def shell_quoted(command):
    return "'" + command.replace("'", "'\\''") + "'"


if __name__ == "__main__":
    sys.exit(unittest.main())
