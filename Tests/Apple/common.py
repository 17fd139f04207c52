"""What both halves of the kit use."""
import hashlib, os, re, subprocess

KIT = os.path.dirname(os.path.realpath(__file__))
PLATFORMS = {"ios": "18.0", "macos": "15.0"}  # what a package means that names no version
NICE = ["nice", "-n", "5"]


def run(command, **options):
    return subprocess.run(NICE + command, capture_output=True, text=True, **options)


def digest(*parts):
    h = hashlib.sha256()
    for part in parts:
        h.update(part if isinstance(part, bytes) else str(part).encode())
        h.update(b"\0")
    return h.hexdigest()


def read(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def imports(text):
    found = []
    for m in re.finditer(r"^\s*(?:@\w+(?:\([^)]*\))? )*(?:public |internal |package |private |fileprivate )?import (?:struct |class |enum |protocol |func |var |typealias )?(\w+)", text, re.M):
        if m.group(1) not in found:
            found.append(m.group(1))
    return found


def listed(path, platform):
    """Names that a file lists for a platform, a line each: `NAME PLATFORM…  # why`."""
    lines = [line.split("#")[0].split() for line in read(path).split("\n")]
    return {words[0] for words in lines if platform in words[1:]}
