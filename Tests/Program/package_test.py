"""Core ML packages by the shipped program, from archives that other programs wrote, and models from a hub of this machine."""

import gzip
import hashlib
import http.server
import io
import json
import struct
import subprocess
import tarfile
import threading
import unittest
import zipfile

from program import FIXTURES, ProgramTest, floats

DIGITS = FIXTURES / "coreml" / "digits"
PACKAGE = DIGITS / "fp16.mlpackage"
PICTURE = DIGITS / "images" / "0000.png"
TEXT = FIXTURES / "gemma" / "gemma3-q8_0.gguf"


def files(package=PACKAGE):
    return {str(path.relative_to(package)): path for path in sorted(package.rglob("*")) if path.is_file()}


def zipped(root="Digits.mlpackage/", method=zipfile.ZIP_DEFLATED, package=PACKAGE, streamed=False, more=()):
    """A zip file; `streamed` as to a pipe, with sizes behind the bytes."""

    class Pipe(io.RawIOBase):
        def __init__(self):
            self.data = bytearray()

        def writable(self):
            return True

        def write(self, data):
            self.data += data
            return len(data)

    pipe = Pipe() if streamed else io.BytesIO()
    with zipfile.ZipFile(pipe, "w", method) as archive:
        for name, path in files(package).items():
            archive.write(path, root + name)
        for name, data in more:
            archive.writestr(name, data)
    return bytes(pipe.data) if streamed else pipe.getvalue()


def tarred(mode="w", form=tarfile.PAX_FORMAT, root="Digits.mlpackage/", zeros=0):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode, format=form) as archive:
        archive.add(PACKAGE, root.rstrip("/") or ".")
        if zeros:
            entry = tarfile.TarInfo(root + "zeros")
            entry.size = zeros
            archive.addfile(entry, io.BytesIO(bytes(zeros)))
    return data.getvalue()


class Quiet(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, data=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Store(Quiet):
    """Serves what it is given, by path, with ranges."""

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        data = self.server.files.get(self.path.split("?")[0])
        if data is None:
            return self.answer(404)
        begin = 0
        if asked := self.headers.get("Range"):
            begin = int(asked.removeprefix("bytes=").split("-")[0])
        tag = '"' + hashlib.sha256(data).hexdigest() + '"'
        if begin:
            return self.answer(206, data[begin:], ETag=tag, Content_Range=f"bytes {begin}-{len(data) - 1}/{len(data)}")
        self.answer(200, data, ETag=tag, Accept_Ranges="bytes")


class HubServer(Quiet):
    """Answers as huggingface.co does: lists with sizes and digests of large files, redirects to another origin."""

    COMMIT = "0123456789abcdef0123456789abcdef01234567"

    def do_GET(self):
        self.server.seen.append((self.path, dict(self.headers)))
        path, _, query = self.path.partition("?")
        status = self.server.status
        if status and (not self.server.files_only or "/resolve/" in path):
            headers = {"Retry_After": "60"} if status == 429 else {}
            return self.answer(status, b'{"error":"no"}', X_Error_Code="GatedRepo", **headers)
        repository = "/org/models"
        if path == f"/api/models{repository}/revision/main" and query == "blobs=true" and not self.server.tree_only:
            siblings = [
                {"rfilename": name, "size": len(data), "blobId": "0" * 40,
                 **({"lfs": {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}}
                    if len(data) > 2000 else {})}
                for name, data in self.server.repository.items()]
            body = {"id": "org/models", "sha": self.COMMIT, "gated": False, "siblings": siblings}
            return self.answer(200, json.dumps(body).encode(), Content_Type="application/json; charset=utf-8")
        if path == f"/api/models{repository}/tree/main" and query == "recursive=true":
            entries = [
                {"type": "file", "oid": "0" * 40, "size": len(data), "path": name,
                 **({"lfs": {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 134}}
                    if len(data) > 2000 else {})}
                for name, data in self.server.repository.items()]
            return self.answer(200, json.dumps(entries).encode(), Content_Type="application/json; charset=utf-8")
        for revision in (self.COMMIT, "main"):
            prefix = f"{repository}/resolve/{revision}/"
            data = self.server.repository.get(path.removeprefix(prefix)) if path.startswith(prefix) else None
            if data is not None and len(data) > 2000:
                digest = hashlib.sha256(data).hexdigest()
                location = f"http://127.0.0.1:{self.server.store.server_port}/{digest}?X-Amz-Signature=abc"
                return self.answer(
                    302, Location=location, X_Repo_Commit=self.COMMIT, X_Linked_Size=str(len(data)),
                    X_Linked_ETag=f'"{digest}"')
            if data is not None:
                return self.answer(200, data, ETag='"small"', X_Repo_Commit=self.COMMIT)
        self.answer(404, b'{"error":"Repository not found"}', X_Error_Code="RepoNotFound")


class PackageTest(ProgramTest):
    def serve(self, handler, **attributes):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.seen = []
        for name, value in attributes.items():
            setattr(server, name, value)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def listed(self):
        return {model["name"]: model for model in self.hearth("models", "--json").json["models"] if model["current"]}

    def label(self, model, **options):
        return self.hearth("classify", "--model", model, PICTURE, "--json", **options).lines[0]["results"][0]["label"]


class Archives(PackageTest):
    def setUp(self):
        super().setUp()
        self.store = self.serve(Store, files={})
        self.expected = self.label(PACKAGE)

    def url(self, name, data):
        self.store.files["/" + name] = data
        return f"http://127.0.0.1:{self.store.server_port}/{name}"

    def test_every_command_takes_the_installed_name(self):
        data = zipped()
        digest = hashlib.sha256(data).hexdigest()
        pulled = self.hearth(
            "pull", self.url("Digits.mlpackage.zip", data), "--name", "digits", "--sha256", digest, "--json").json
        self.assertEqual((pulled["sha256"], pulled["bytes"], pulled["engine"]), (digest, len(data), "coreml"))
        model = self.listed()["digits"]
        # A profile names the model's file: one of this installation, one of the same bytes where `setUp` ran them.
        self.assertEqual(len(model["artifacts"]), 2)
        # Every file lies as it was in the archive, under its own name and, once more by name only, under its digest.
        home = self.folder / "home"
        for name, path in files().items():
            place = home / "Models" / "packages" / model["path"].split("/")[-1] / name
            self.assertEqual(place.read_bytes(), path.read_bytes())
            blob = home / "Models" / "blobs" / hashlib.sha256(path.read_bytes()).hexdigest()
            self.assertEqual(place.stat().st_ino, blob.stat().st_ino)
        self.assertEqual(self.label("digits"), self.expected)
        compiled = self.hearth("compile", "--model", "digits", "--json").json
        self.assertTrue(compiled["reused"])
        # By its name, and not by the digest that its package is called by.
        self.assertEqual(compiled["profile"]["model"], "digits")
        self.assertTrue(self.hearth("compile", "--model", "digits", "--verify", "--json").json["reused"])
        self.assertTrue(self.hearth("inspect", "digits", "--json").json["runnable"])
        self.assertIn("msMedian", self.hearth("bench", "vision", "--model", "digits", "--runs", "3", "--json").json)
        watched = self.hearth("watch", "--model", "digits", "--frames", DIGITS / "images", "--json")
        self.assertTrue(any(line["decision"] == "run" for line in watched.lines))
        evaluated = self.hearth(
            "evaluate", "--images", DIGITS / "images", "--labels", DIGITS / "labels.csv", "digits", PACKAGE, "--json").json
        self.assertEqual(*(variant["top1"] for variant in evaluated["variants"]))
        self.assertEqual(self.hearth("detect", "--model", "digits", PICTURE, status=None).status, 3)
        # A text command names what it was given, and ends in order.
        self.assertEqual(self.hearth("generate", "--model", "digits", "--prompt", "x", status=None).status, 3)
        # Pulled again by its digest, or under another name: nothing is fetched.
        asked = len(self.store.seen)
        self.hearth("pull", self.url("Digits.mlpackage.zip", data), "--name", "again", "--sha256", digest)
        self.assertEqual(len(self.store.seen), asked)
        self.assertEqual(self.listed()["again"]["path"], model["path"])
        self.hearth("remove", "digits")
        self.assertEqual(self.label("again"), self.expected)
        self.hearth("remove", "again")
        self.hearth("prune")
        left = [path for path in home.rglob("*") if path.is_file() and path.stat().st_size > 10_000]
        self.assertEqual([path.name for path in left], ["startup.sqlite"])

    def test_starts_of_packages_are_measured(self):
        self.hearth("pull", self.url("Digits.mlpackage.zip", zipped()), "--name", "digits")
        for model, name in ((PACKAGE, PACKAGE.name), ("digits", "digits")):
            result = self.hearth("startup", "--model", model, "--runs", "2", "--json").json
            self.assertEqual(result["profile"]["model"], name)
            kinds = [sample["kind"] for sample in result["samples"]]
            # The system may keep pages of the model; then this run has no start from the disk.
            self.assertRegex(" ".join(kinds), "^cold-compile (cold-disk )?warm cold-compile (cold-disk )?warm$")
            for sample in result["samples"]:
                self.assertEqual(
                    set(sample), {"kind", "compileMS", "loadMS", "firstInferenceMS", "steadyMS", "peakResidentBytes",
                                  "dirtyBytes"})
                for figure in set(sample) - {"kind"}:
                    self.assertGreater(sample[figure], 0, figure)
        refused = self.hearth("startup", "--model", PACKAGE, "--context", "64", status=None)
        self.assertEqual(refused.status, 2)
        self.assertIn("--context", refused.error)
        rows = self.hearth("startup", "report", "--json").json["rows"]
        self.assertEqual({row["model"] for row in rows}, {PACKAGE.name, "digits"})

    def test_archives_of_other_programs(self):
        subprocess.run(["cp", "-r", PACKAGE, self.folder / "Digits.mlpackage"], check=True)
        shipped = {
            "zip": lambda: subprocess.run(
                ["zip", "-q", "-r", "-", "Digits.mlpackage"], cwd=self.folder, check=True, capture_output=True).stdout,
            "gnu tar": lambda: subprocess.run(
                ["tar", "-c", "Digits.mlpackage"], cwd=self.folder, check=True, capture_output=True).stdout,
            "gnu tar, packed": lambda: subprocess.run(
                ["tar", "-cz", "--format=posix", "./Digits.mlpackage"], cwd=self.folder, check=True,
                capture_output=True).stdout,
        }
        made = {
            "stored": zipped(method=zipfile.ZIP_STORED), "streamed": zipped(streamed=True), "no folder": zipped(root=""),
            "with a README": zipped(more=[("README.md", "x"), ("__MACOSX/._x", "y")]), "pax": tarred(),
            "ustar": tarred(form=tarfile.USTAR_FORMAT), "gnu": tarred(form=tarfile.GNU_FORMAT, root=""),
            "tar.gz": tarred("w:gz"),
        }
        for name, make in shipped.items():
            try:
                made[name] = make()
            except FileNotFoundError:
                continue
        contents = set()
        for name, data in made.items():
            with self.subTest(name):
                self.hearth("pull", self.url("Digits", data), "--name", "digits")
                contents.add(self.listed()["digits"]["sha256"])
        self.assertEqual(len(contents), 1)
        self.assertEqual(self.label("digits"), self.expected)

    def test_packages_and_bare_models_of_this_disk(self):
        for number, path in enumerate([PACKAGE, DIGITS / "neuralnetwork_fp32.mlmodel"]):
            self.hearth("pull", path, "--name", f"digits{number}")
            self.assertEqual(self.label(f"digits{number}"), self.expected)
        place = self.folder / "home" / "Models" / "hand.mlpackage"
        subprocess.run(["cp", "-r", PACKAGE, place], check=True)
        self.assertEqual(self.label("hand"), self.expected)
        self.assertIn("hand", self.listed())

    def test_versions(self):
        for name in ("fp16", "pal4"):
            data = zipped(package=DIGITS / f"{name}.mlpackage")
            self.hearth("pull", self.url("d.zip", data), "--name", "digits")
        newest = self.listed()["digits"]["sha256"]
        self.hearth("rollback", "digits")
        self.assertNotEqual(self.listed()["digits"]["sha256"], newest)
        self.assertEqual(self.label("digits"), self.expected)

    def test_a_manifest_of_several_files(self):
        listed = [
            {"path": "Digits.mlpackage/" + name, "bytes": path.stat().st_size, "urls": [self.url(f"f{index}", path.read_bytes())],
             "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
            for index, (name, path) in enumerate(files().items())]
        manifest = {"schema": 1, "name": "digits", "version": "1.0", "engine": "coreml", "files": listed}
        url = self.url("digits.json", json.dumps(manifest).encode())
        self.assertEqual(self.hearth("pull", url, "--json").json["version"], "1.0")
        self.assertEqual(self.label("digits"), self.expected)
        manifest["version"], manifest["files"] = "1.1", listed[1:]
        outcome = self.hearth("pull", self.url("digits.json", json.dumps(manifest).encode()), status=3)
        self.assertIn("is missing", outcome.error)
        manifest["engine"] = "horses"
        outcome = self.hearth("pull", self.url("digits.json", json.dumps(manifest).encode()), status=3)
        self.assertIn("engine", outcome.error)

    def test_hostile_archives(self):
        link = io.BytesIO()
        with tarfile.open(fileobj=link, mode="w") as archive:
            archive.add(PACKAGE, "D.mlpackage")
            entry = tarfile.TarInfo("D.mlpackage/Data/link")
            entry.type, entry.linkname = tarfile.SYMTYPE, "/etc/passwd"
            archive.addfile(entry)
        symbolic = zipfile.ZipInfo("D.mlpackage/l")
        symbolic.create_system, symbolic.external_attr = 3, 0o120777 << 16
        bomb = zipped(more=[("Digits.mlpackage/zeros", bytes(300 << 20))])
        encrypted = bytearray(zipped())
        central = encrypted.rindex(b"PK\x01\x02")
        encrypted[central + 8] |= 1
        local = struct.unpack_from("<I", encrypted, central + 42)[0]
        encrypted[local + 6] |= 1
        hostile = {
            "up": (zipped(more=[("../../evil", "x")]), "../../evil"),
            "absolute": (zipped(more=[("/tmp/evil", "x")]), "/tmp/evil"),
            "link": (link.getvalue(), "D.mlpackage/Data/link"),
            "zip link": (zipped(more=[(symbolic, "/etc/passwd")]), "D.mlpackage/l"),
            "twins": (zipped(more=[("digits.mlpackage/manifest.JSON", "x")]), "manifest.JSON"),
            "bomb": (bomb, "zeros"),
            "tar bomb": (gzip.compress(tarred(zeros=400 << 20), 9), "it has more"),
            "encrypted": (bytes(encrypted), "encrypted"),
            "cut": (zipped()[:-100], "cut off"),
            "cut tar": (tarred()[:50_000], "too early"),
            "no model": (zipped(root="x/", package=DIGITS / "images"), "no .mlpackage"),
            "damaged": (zipped(package=FIXTURES / "coreml/bad/model_truncated.mlpackage"), "not a model"),
        }
        for name, (data, word) in hostile.items():
            with self.subTest(name):
                outcome = self.hearth("pull", self.url(f"{name}.zip".replace(" ", "-"), data), "--name", "x", status=3)
                self.assertIn(word, outcome.error)
                self.assertIn(".zip", outcome.error)
        self.assertEqual(self.listed(), {})
        self.hearth("prune")
        left = [path for path in (self.folder / "home" / "Models").rglob("*") if path.is_file()]
        self.assertEqual([path for path in left if path.stat().st_size > 0 and "library.lock" not in path.name], [])


class Hub(PackageTest):
    TOKEN = "hf_abcdefghijklmnop"

    def setUp(self):
        super().setUp()
        self.store = self.serve(Store, files={})
        self.hub = self.serve(HubServer, store=self.store, repository={}, status=None, files_only=False, tree_only=False)
        self.environment |= {"HF_ENDPOINT": f"http://127.0.0.1:{self.hub.server_port}/", "HF_TOKEN": self.TOKEN}
        text = TEXT.read_bytes()
        self.put("README.md", b"# models")
        for name in ("tiny-Q8_0.gguf", "tiny-F16.gguf", "big-Q6_K-00001-of-00002.gguf", "big-Q6_K-00002-of-00002.gguf"):
            self.put(name, text)
        for name, path in files().items():
            self.put("coreml/Digits.mlpackage/" + name, path.read_bytes())

    def put(self, name, data):
        self.hub.repository[name] = data
        self.store.files["/" + hashlib.sha256(data).hexdigest()] = data

    def test_a_quantization_and_a_package(self):
        pulled = self.hearth("pull", "org/models:q8_0", "--json").json
        self.assertEqual((pulled["name"], pulled["bytes"]), ("tiny-Q8_0", TEXT.stat().st_size))
        self.assertEqual(pulled["sha256"], hashlib.sha256(TEXT.read_bytes()).hexdigest())
        answer = self.hearth("generate", "--model", "tiny-Q8_0", "--prompt", "cat", "--max-tokens", "2", "--greedy", "--json")
        self.assertEqual(len(answer.json["tokens"]), 2)
        self.hearth("pull", "hf://org/models@main:Digits", "--name", "digits")
        self.assertEqual(self.label("digits"), self.label(PACKAGE))
        # The token reached the hub and nobody else, and is nowhere on the disk.
        self.assertTrue(self.hub.seen and all(seen[1].get("Authorization") == f"Bearer {self.TOKEN}" for seen in self.hub.seen))
        self.assertTrue(self.store.seen and all("Authorization" not in headers for _, headers in self.store.seen))
        for path in (self.folder / "home").rglob("*"):
            if path.is_file():
                self.assertNotIn(self.TOKEN.encode(), path.read_bytes(), path)
                self.assertNotIn(b"X-Amz-Signature", path.read_bytes(), path)

    def test_a_mirror_with_the_tree_alone(self):
        self.hub.tree_only = True
        self.hearth("pull", "org/models:F16", "--name", "f")
        self.assertIn("f", self.listed())

    def test_what_there_is_is_listed(self):
        for choice in ("", ":Q4_0", ":big-Q6_K-00001-of-00002.gguf"):
            outcome = self.hearth("pull", "org/models" + choice, status=3)
            for word in ("Q8_0", "F16", "coreml/Digits.mlpackage", "org/models"):
                self.assertIn(word, outcome.error)
        self.assertIn("2 parts", outcome.error)

    def test_refusals(self):
        for status, word in ((401, "HF_TOKEN"), (403, "gated"), (404, "no such repository"), (429, "60 s")):
            for files_only in (False, True):
                with self.subTest(status=status, files_only=files_only):
                    self.hub.status, self.hub.files_only = status, files_only
                    outcome = self.hearth("pull", "org/models:Q8_0", status=1)
                    self.assertIn(word, outcome.error)
                    self.assertNotIn(self.TOKEN, outcome.error)
        self.hub.status = None
        self.hub.repository["tiny-Q8_0.gguf"] = TEXT.read_bytes()[:-1] + b"!"
        digest = hashlib.sha256(self.hub.repository["tiny-Q8_0.gguf"]).hexdigest()
        self.store.files["/" + digest] = TEXT.read_bytes()
        outcome = self.hearth("pull", "org/models:Q8_0", status=1)
        self.assertIn("SHA-256", outcome.error)
        self.assertEqual(self.listed(), {})

    def test_a_path_is_never_asked_of_the_hub(self):
        for word in ("./org/models", "org/models.gguf", "/org/models", "org/models.mlpackage", "a/b/c"):
            with self.subTest(word):
                self.assertIn("no such file", self.hearth("pull", word, status=3).error)
        self.assertEqual(self.hub.seen, [])
        for endpoint in ("http://example.org", "gopher://x"):
            self.hearth("pull", "org/models", status=2, environment={"HF_ENDPOINT": endpoint})


if __name__ == "__main__":
    unittest.main()
