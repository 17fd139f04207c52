"""Delivery by the shipped program from a server of Python's: download, resume, verify, install, remove."""

import hashlib
import http.server
import json
import os
import threading
import unittest

from program import FIXTURES, PATIENCE, ProgramTest

MODEL = FIXTURES / "gemma" / "gemma3-q8_0.gguf"


class Files(http.server.BaseHTTPRequestHandler):
    """Serves one file with ranges; the first answers end early where the server says so."""

    def do_GET(self):
        data = self.server.data
        begin = 0
        if (asked := self.headers.get("Range")) and self.headers.get("If-Range", self.server.etag) == self.server.etag:
            begin = int(asked.removeprefix("bytes=").split("-")[0])
        self.server.begins.append(begin)
        self.send_response(206 if begin else 200)
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.send_header("Content-Length", str(len(data) - begin))
        self.send_header("ETag", self.server.etag)
        self.end_headers()
        end = min(len(data), begin + self.server.cut) if self.server.cuts > 0 else len(data)
        self.server.cuts -= 1
        self.wfile.write(data[begin:end])
        self.close_connection = True

    def log_message(self, *_):
        pass


class Absurd(http.server.BaseHTTPRequestHandler):
    """Answers every question with the status and the fields of the server."""

    def do_GET(self):
        self.send_response(self.server.status)
        for name, value in self.server.fields.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Delivery(ProgramTest):
    def setUp(self):
        super().setUp()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files)
        self.server.data, self.server.etag = MODEL.read_bytes(), '"one"'
        self.server.begins, self.server.cut, self.server.cuts = [], 100_000, 0
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.url = f"http://127.0.0.1:{self.server.server_port}/model.gguf"
        self.digest = hashlib.sha256(self.server.data).hexdigest()

    def test_pull_compile_use_remove(self):
        pulled = self.hearth("pull", self.url, "--name", "tiny", "--sha256", self.digest, "--json").json
        self.assertEqual((pulled["bytes"], pulled["sha256"]), (len(self.server.data), self.digest))
        self.assertEqual([model["name"] for model in self.hearth("models", "--json").json["models"]], ["tiny"])
        answer = self.hearth("generate", "--model", "tiny", "--prompt", "cat", "--max-tokens", "4", "--greedy", "--json")
        self.assertEqual(len(answer.json["tokens"]), 4)
        self.assertTrue(self.hearth("compile", "--model", "tiny", "--json").json["reused"])
        self.hearth("remove", "tiny")
        self.assertEqual(self.hearth("models", "--json").json["models"], [])
        left = [file for file in (self.folder / "home").rglob("*") if file.is_file() and file.stat().st_size > 100_000]
        self.assertEqual(left, [])

    def test_a_pinned_version_stays_and_the_notice_says_how_to_unpin_it(self):
        first = self.hearth("pull", self.url, "--name", "tiny", "--pin", "--json").json
        self.server.data, self.server.etag = (MODEL.parent / "gemma2-q8_0.gguf").read_bytes(), '"two"'
        outcome = self.hearth("pull", self.url, "--name", "tiny", "--json")
        notice = f"tiny stays at {first['version']}, which is pinned; 'hearth models --unpin tiny' ends that"
        self.assertEqual(outcome.json["notice"], notice)
        self.assertIn(notice, outcome.error)
        self.assertFalse(outcome.json["current"])

    def test_a_cut_connection_is_resumed(self):
        self.server.cuts = 2
        self.hearth("pull", self.url, "--name", "tiny", "--sha256", self.digest, "--json")
        self.assertGreaterEqual(len(self.server.begins), 3)
        self.assertGreater(self.server.begins[1], 0)

    def test_prune_keeps_to_its_limit_with_what_was_compiled_from_models_elsewhere(self):
        self.hearth("pull", self.url, "--name", "tiny")
        digest = self.hearth("compile", "--model", FIXTURES / "coreml/digits/fp16.mlpackage", "--json").json["digest"]
        before = self.hearth("prune", "--json").json
        self.assertEqual((before["removed"], before["artifacts"]), ([], []))
        # What can be compiled again goes before what must be downloaded again.
        limit = before["remainingBytes"] - 1
        outcome = self.hearth("prune", "--to", limit, "--json")
        self.assertEqual((outcome.json["removed"], outcome.json["artifacts"], outcome.error), ([], [digest], ""))
        self.assertLessEqual(outcome.json["remainingBytes"], limit)
        self.hearth("compile", "--model", FIXTURES / "coreml/digits/fp16.mlpackage")
        outcome = self.hearth("prune", "--to", 0, "--json")
        self.assertEqual(([one["name"] for one in outcome.json["removed"]], outcome.error), (["tiny"], ""))
        self.assertEqual(outcome.json["remainingBytes"], 0)

    def test_a_wrong_digest_installs_nothing(self):
        outcome = self.hearth("pull", self.url, "--name", "tiny", "--sha256", "0" * 64, status=None)
        self.assertIn(outcome.status, (1, 3), str(outcome))
        self.assertEqual(self.hearth("models", "--json").json["models"], [])

    def test_prune_removes_what_was_compiled_and_damaged(self):
        self.hearth("pull", self.url, "--name", "tiny")
        artifacts = self.folder / "home" / "Artifacts"
        for file in artifacts.glob("*/tokens.bin"):
            file.chmod(0o644)
            file.write_bytes(b"damaged")
        self.assertFalse(self.hearth("compile", "--model", "tiny", "--verify", "--json").json["reused"])
        self.assertEqual(len(list(artifacts.iterdir())), 2)
        self.hearth("prune")
        self.assertEqual(len(list(artifacts.iterdir())), 1)
        self.assertEqual(self.hearth("prune", "--to", "0").error, "")
        self.assertEqual(list(artifacts.iterdir()), [])

    def test_numbers_that_no_server_means_are_errors(self):
        self.server.RequestHandlerClass = Absurd
        largest = str(2**63 - 1)
        self.server.status, self.server.fields = 200, {"Content-Length": largest}
        self.assertIn("the disk is too full", self.hearth("pull", self.url, status=4).error)
        self.server.status, self.server.fields = 503, {"Content-Length": "0", "Retry-After": largest}
        self.assertIn("the server cannot answer now", self.hearth("pull", self.url, status=1).error)

    def test_what_is_no_file_of_this_machine_is_refused_at_once(self):
        pipe, link, none = (self.folder / name for name in ("pipe.gguf", "link.gguf", "none.gguf"))
        os.mkfifo(pipe)
        link.symlink_to("model.gguf")

        def manifest(file):
            (self.folder / "manifest.json").write_text(json.dumps({
                "schema": 1, "name": "tiny", "version": "1", "engine": "text",
                "files": [{"path": "a.gguf", "bytes": 5, "sha256": "0" * 64, "urls": [file.as_uri()]}],
            }))
            return self.folder / "manifest.json"

        package = self.folder / "Pipe.mlpackage"
        package.mkdir()
        os.mkfifo(package / "Manifest.json")
        (self.folder / "model.gguf").write_bytes(self.server.data)
        for source in (pipe, pipe.as_uri(), manifest(pipe), package):
            self.assertIn("not a regular file", self.hearth("pull", source, status=3, timeout=PATIENCE).error)
        self.assertIn("not a regular file", self.hearth("pull", manifest(link), status=3).error)
        self.assertIn("no such file", self.hearth("pull", manifest(none), status=3).error)
        elsewhere = (self.folder / "model.gguf").as_uri().replace("file://", "file://models.example")
        self.assertIn("no host", self.hearth("pull", elsewhere, status=2).error)


if __name__ == "__main__":
    unittest.main()
