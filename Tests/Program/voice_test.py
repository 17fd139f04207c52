"""Reading stories aloud with Piper voices: finding them, their errors, and, where piper is installed, the sound."""

import io
import json
import os
import re
import shutil
import subprocess
import unittest
import urllib.error
import urllib.request
import wave
from pathlib import Path

from program import FIXTURES, PATIENCE, PROGRAM, ProgramTest

VOICE = FIXTURES / "voice" / "tone.onnx"
# Where the usual programs lie, espeak-ng among them.
USUAL = "/usr/bin:/bin"


def is_speaking(path):
    """Whether this is the Piper that speaks, not the program of the same name that sets up mice."""
    out = subprocess.run([path, "--help"], capture_output=True, text=True, timeout=PATIENCE)
    return "model" in (out.stdout + out.stderr).lower()


PIPER = shutil.which("piper")
PIPER = PIPER if PIPER and is_speaking(PIPER) else None
SPEAKING = f"{Path(PIPER).parent}:{USUAL}" if PIPER else USUAL


class Voices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.home = self.folder / "home"
        self.wav = self.folder / "story.wav"
        self.environment |= {"HOME": str(self.folder), "XDG_DATA_HOME": "", "PIPER_VOICES": "", "PATH": USUAL}

    def program(self, script):
        """A PATH with a program piper that does something wrong."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / "piper").write_text(f"#!/bin/sh\n{script}\n")
        (folder / "piper").chmod(0o755)
        return f"{folder}:{USUAL}"

    def tell(self, voice, *more, path=USUAL, status=0):
        return self.hearth(
            "story", "sleepy-bear", "--seed", "3", "--source", "library", "--audio", self.wav, "--voice", voice, *more,
            environment={"PATH": str(path)}, status=status)

    def copy(self, folder):
        folder.mkdir(parents=True)
        shutil.copy(VOICE, folder)
        shutil.copy(f"{VOICE}.json", folder)
        return folder / VOICE.name

    def test_voices_lists_what_is_in_the_folders(self):
        self.copy(self.home / "voices" / "en" / "medium")
        listed = self.hearth("voices", "--json").json
        self.assertEqual({v["language"] for v in listed["voices"] if v["name"] == "espeak"}, {"en", "es", "zh-Hans"})
        tone = [v for v in listed["voices"] if v["name"] == "tone"][0]
        self.assertEqual((tone["language"], tone["sampleRate"], tone["program"]), ("en-US", 22050, "piper"))
        self.assertEqual(tone["path"], str(self.home / "voices/en/medium/tone.onnx"))
        (self.home / "voices" / "en" / "medium" / "tone.onnx.json").unlink()
        listed = self.hearth("voices", "--json").json
        self.assertNotIn("tone", [v["name"] for v in listed["voices"]])
        self.assertIn("tone.onnx.json", listed["unusable"][0]["error"])

    def test_folders_of_the_environment(self):
        self.copy(self.folder / "mine")
        folders = {"PIPER_VOICES": f"/nowhere:{self.folder}/mine"}
        self.assertIn(b"tone", self.hearth("voices", environment=folders).output)

    def test_usage(self):
        self.assertIn("--speak", self.hearth("story", "--voice", VOICE, status=2).error)

    def test_bad_voices_name_the_file(self):
        path = self.program("exit 9")
        self.assertIn("nowhere.onnx", self.tell("/nowhere.onnx", path=path, status=3).error)
        voice = self.copy(self.folder / "bad")
        self.assertIn("espeak", self.tell("someone", path=path, status=3).error)
        Path(f"{voice}.json").write_text('{"audio": {"sample_rate": "fast"}}')
        error = self.tell(voice, path=path, status=3).error
        self.assertIn("audio.sample_rate", error)
        self.assertIn("tone.onnx.json", error)
        Path(f"{voice}.json").unlink()
        self.assertIn("tone.onnx.json", self.tell(voice, path=path, status=3).error)
        self.assertFalse(self.wav.exists())

    def test_without_the_program(self):
        empty = self.folder / "empty"
        empty.mkdir()
        error = self.tell(VOICE, path=empty, status=1).error
        self.assertIn("pipx install piper-tts", error)
        self.assertFalse(self.wav.exists())

    def test_a_program_that_fails(self):
        error = self.tell(VOICE, path=self.program("echo Traceback >&2; echo 'OSError: broken' >&2; exit 1"), status=1)
        self.assertIn("OSError: broken", error.error)
        self.assertIn("tone.onnx", error.error)
        error = self.tell(VOICE, path=self.program("cat >/dev/null; printf abc"), status=1).error
        self.assertIn("16-bit", error)

    def serve(self, path):
        """The address of a server with the voice."""
        process = subprocess.Popen(
            [PROGRAM, "serve", "--port", "0", "--voice", VOICE], stderr=subprocess.PIPE,
            env={**os.environ, **self.environment, "PATH": path})
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.terminate)
        said = ""
        while not (found := re.search(r"listening on (http://\S+)", said)):
            line = process.stderr.readline().decode()
            said += line
            self.assertNotEqual(line, "", said)
        return found[1]

    def speech(self, server, **fields):
        body = json.dumps({"model": "voice", "input": "Good night, little bear.", **fields}).encode()
        request = urllib.request.Request(f"{server}/v1/audio/speech", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def test_a_server_says_that_the_voice_failed(self):
        server = self.serve(self.program("exit 1"))
        with self.assertRaises(urllib.error.HTTPError) as failed:
            self.speech(server, voice="en")
        self.assertEqual(failed.exception.code, 500)
        self.assertIn("hearth doctor", failed.exception.read().decode())
        failed.exception.close()

    def test_a_server_does_not_start_without_its_voice(self):
        refused = self.hearth("serve", "--port", "0", "--voice", "/nowhere.onnx", status=3)
        self.assertIn("nowhere.onnx", refused.error)

    @unittest.skipUnless(PIPER, "piper is not installed")
    def test_a_server_speaks_with_the_voice_at_the_speed_asked_for(self):
        server = self.serve(SPEAKING)
        lengths = []
        for speed in (1, 2):
            with wave.open(io.BytesIO(self.speech(server, voice="en", speed=speed))) as file:
                self.assertEqual(file.getframerate(), 22050)
                # Without the pause of 0.4 s at the end.
                lengths.append(file.getnframes() - 8820)
        self.assertAlmostEqual(lengths[0] / lengths[1], 2, delta=0.02)

    @unittest.skipUnless(PIPER, "piper is not installed")
    def test_a_damaged_network(self):
        voice = self.copy(self.folder / "damaged")
        voice.write_bytes(voice.read_bytes()[:300])
        error = self.tell(voice, path=SPEAKING, status=3).error
        self.assertIn("damaged", error)

    @unittest.skipUnless(PIPER, "piper is not installed")
    def test_the_voice_is_heard(self):
        told = self.tell(VOICE, "--json", path=SPEAKING).json
        with wave.open(str(self.wav)) as file:
            self.assertEqual((file.getframerate(), file.getnchannels(), file.getsampwidth()), (22050, 1, 2))
            sound = memoryview(file.readframes(file.getnframes())).cast("h")
        peak = max(abs(sample) for sample in sound)
        self.assertLess(peak, 32768 * 10 ** (-1 / 20) + 2)
        # The fixture says everything as a tone of 440 Hz, with silence between the pieces.
        middle = sound[1000:1000 + 2205].tolist()
        crossings = sum(a < 0 <= b for a, b in zip(middle, middle[1:]))
        self.assertIn(crossings, (43, 44, 45))
        self.assertFalse(any(sound[-4000:]))
        # Half a second of sound at least for a sentence.
        self.assertGreater(len(sound) / 22050, 0.5 * len(told["sentences"]))
        self.assertGreater(told["firstAudioMS"], 0)

    @unittest.skipUnless(PIPER, "piper is not installed")
    def test_another_language_is_a_notice(self):
        told = self.tell(VOICE, "--language", "es", path=SPEAKING)
        self.assertIn("speaks en-US", told.error)
        self.assertTrue(self.wav.exists())


if __name__ == "__main__":
    unittest.main()
