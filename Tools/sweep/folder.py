"""The folder of a sweep: its plan, the variants, and the parts that are done. Everything is written by rename, so what is there is whole.

    sweep.json                          what is swept; a folder takes no other sweep
    variants/NAME-FORM.mlpackage
    parts/part-3-of-12.jsonl            results of `hearth evaluate`; .partial until every image is in them
    making/                             variants that are being made
"""
import fcntl
import hashlib
import json
import os
import shutil

NAMES = {
    "version": "version of the plan", "hearth": "program", "models": "models", "forms": "forms (--to)",
    "calibrate": "calibration images (--calibrate)", "images": "folder of images (--images)", "labels": "labels (--labels)",
    "evaluate": "options of the evaluation",
}


class Refusal(Exception):
    """Why nothing can be done; `status` is the one to leave with."""

    def __init__(self, message, status=3):
        super().__init__(message)
        self.status = status


def sha256(path):
    """Digest of a file, or of a folder's files and their names."""
    digest = hashlib.sha256()
    names = sorted(os.path.join(place, name) for place, _, found in os.walk(path) for name in found) or [path]
    for name in names:
        digest.update(os.path.relpath(name, path).encode("utf-8", "surrogateescape") + b"\0")
        with open(name, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


class Folder:
    """The folder, locked for this process."""

    def __init__(self, path):
        self.path = os.path.abspath(path)
        self.plan = None
        self.plan_path = os.path.join(self.path, "sweep.json")
        self.variants, self.parts, self.making = (os.path.join(self.path, name) for name in ("variants", "parts", "making"))
        try:
            os.makedirs(self.path, exist_ok=True)
            if not os.path.exists(self.plan_path) and set(os.listdir(self.path)) - {"sweep.lock"}:
                raise Refusal(f"the folder holds other files (--output {path}). Choose a new folder.")
            self.lock = open(os.path.join(self.path, "sweep.lock"), "w")
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Refusal(f"another sweep uses this folder (--output {path}). Wait for it, or choose another.", 4) from None
        except OSError as error:
            raise Refusal(f"cannot use the folder: {error.strerror} (--output {path}). Check the path.") from None

    def check(self, plan, parts):
        """Refuses a folder that is for another sweep."""
        try:
            with open(self.plan_path, "rb") as file:
                earlier = json.load(file)
        except FileNotFoundError:
            self.plan = None
            return
        except ValueError:
            earlier = None
        if not isinstance(earlier, dict) or not isinstance(earlier.get("parts"), int):
            raise Refusal(f"the plan of the sweep is damaged ({self.plan_path}). Choose a new folder.")
        for key, name in NAMES.items():
            if earlier.get(key) != plan[key]:
                raise Refusal(f"the folder is for another sweep: other {name} ({self.path}). Choose a new folder.")
        if parts not in (None, earlier["parts"]):
            raise Refusal(f"the folder is for {earlier['parts']} parts, not {parts} ({self.path}). Choose a new folder.")
        self.plan = earlier

    def begin(self, plan, parts):
        """Stores the plan if there is none. Returns the number of parts, and the plan's digest."""
        if self.plan is None:
            self.plan = {**plan, "parts": parts}
            with open(self.plan_path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.plan, file, ensure_ascii=False, indent=1)
            os.rename(self.plan_path + ".new", self.plan_path)
        shutil.rmtree(self.making, ignore_errors=True)
        for place in (self.variants, self.parts, self.making):
            os.makedirs(place, exist_ok=True)
        with open(self.plan_path, "rb") as file:
            return self.plan["parts"], hashlib.sha256(file.read()).hexdigest()

    def part(self, index, count):
        """Paths of a part: while it is evaluated, and when it is done."""
        path = os.path.join(self.parts, f"part-{index}-of-{count}")
        return path + ".partial.jsonl", path + ".jsonl"
