#!/usr/bin/env python3
"""Type-checks a Swift package for Apple platforms on Linux. Called by typecheck.sh; README.md says how it works."""
import argparse, concurrent.futures, hashlib, json, os, re, subprocess, sys, tempfile, time, zipfile, glob, shutil

KIT = os.path.dirname(os.path.realpath(__file__))
HEADERS = "ziglang==0.13.0"  # its wheel carries Apple's open Darwin headers
PLATFORMS = {"ios": "18.0", "macos": "15.0"}  # what a package means that names no version
NICE = ["nice", "-n", "5"]
HOST = "x86_64-unknown-linux-gnu"  # whose interfaces are read


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


class Kit:
    def __init__(self, target, version, cache, verbose):
        self.triple, self.arch, self.label = "arm64-apple-%s%s" % (target, version), "arm64-apple-" + target, target + version
        self.target, self.verbose = target, verbose
        swiftc = os.path.realpath(shutil.which("swiftc") or sys.exit("swiftc is not on the path"))
        self.bin = os.path.dirname(swiftc)
        self.swift = os.path.join(os.path.dirname(self.bin), "lib", "swift")
        self.version = run(["swiftc", "--version"]).stdout
        if not os.path.exists(os.path.join(self.swift, "linux", "Swift.swiftmodule", HOST + ".swiftinterface")):
            sys.exit("this needs a Swift toolchain for Linux on x86-64 with its interfaces (%s)" % self.swift)
        self.cache = cache
        self.root = os.path.join(cache, self.label)
        self.modules = os.path.join(self.root, "modules")
        self.headers = os.path.join(cache, "headers")
        mine = sorted(glob.glob(KIT + "/Darwin/*") + glob.glob(KIT + "/include/*"))
        self.module_cache = os.path.join(self.root, "clang-" + digest(self.version, *[read(p) for p in mine])[:12])
        for old in glob.glob(os.path.join(self.root, "clang*")):
            if old != self.module_cache:
                shutil.rmtree(old)
        for d in (self.modules, self.module_cache):
            os.makedirs(d, exist_ok=True)
        self.maps = os.path.join(self.root, "maps")
        self.keys = {}
        self.problems = []

    # What every call of the compiler says.
    def flags(self, interop):
        return ["-frontend", "-target", self.triple, "-enable-objc-interop" if interop else "-disable-objc-interop",
                "-resource-dir", self.swift, "-I", self.modules, "-I", self.maps,
                "-Xcc", "-nostdlibinc", "-Xcc", "-isystem", "-Xcc", os.path.join(KIT, "include"),
                "-Xcc", "-isystem", "-Xcc", self.headers, "-module-cache-path", self.module_cache]

    def note(self, text):
        if self.verbose:
            print(text, file=sys.stderr, flush=True)

    def made(self, name, key):
        """The key of a module that is as wanted already."""
        self.keys[name] = key
        stamp = os.path.join(self.modules, name + ".key")
        return os.path.exists(stamp) and read(stamp) == key

    def stamp(self, name, key):
        with open(os.path.join(self.modules, name + ".key"), "w") as f:
            f.write(key)

    def output(self, name):
        d = os.path.join(self.modules, name + ".swiftmodule")
        os.makedirs(d, exist_ok=True)
        return os.path.join(d, self.arch + ".swiftmodule")

    def pip(self):
        """A Python that has pip: this one, or one of its own in the cache."""
        if run([sys.executable, "-m", "pip", "--version"]).returncode == 0:
            return sys.executable
        venv = os.path.join(self.cache, "venv")
        r = run([sys.executable, "-m", "venv", venv])
        return os.path.join(venv, "bin", "python") if r.returncode == 0 else sys.exit("no pip: " + r.stderr.strip()[-300:])

    # 1. Headers
    def fetch_headers(self):
        done = os.path.join(self.headers, ".done")
        if os.path.exists(done) and read(done) == HEADERS:
            return
        print("fetching %s (80 MB, once) for its Darwin headers" % HEADERS, file=sys.stderr)
        with tempfile.TemporaryDirectory() as d:
            r = run([self.pip(), "-m", "pip", "download", "--quiet", "--no-deps", "-d", d, HEADERS])
            wheels = glob.glob(d + "/*.whl")
            if not wheels:
                sys.exit("no headers: pip download %s: %s" % (HEADERS, r.stderr.strip()[-300:]))
            prefix = "ziglang/lib/libc/include/any-macos-any/"
            with zipfile.ZipFile(wheels[0]) as z:
                for name in z.namelist():
                    if name.startswith(prefix) and not name.endswith("/"):
                        path = os.path.join(self.headers, name[len(prefix):])
                        os.makedirs(os.path.dirname(path), exist_ok=True)
                        with open(path, "wb") as f:
                            f.write(z.read(name))
        with open(done, "w") as f:
            f.write(HEADERS)

    # 2. The standard library, from the toolchain's interfaces
    STANDARD = ["Swift", "SwiftOnoneSupport", "_Concurrency", "_StringProcessing", "_Builtin_float", "Synchronization", "Observation"]

    def standard(self, name):
        path = os.path.join(self.swift, "linux", name + ".swiftmodule", HOST + ".swiftinterface")
        text = read(path)
        text = text.replace("-target " + HOST, "-target " + self.triple)
        text = re.sub(r"self = _stdlib_(remainderl\(self, other\)|squareRootl\(self\))", "", text)
        text = "\n".join(l for l in text.split("\n") if "@backDeployed" not in l and not re.match(r"(@_exported )?import (Glibc|SwiftGlibc)\b", l))
        text = re.sub(r"_stdlib_[a-z]*l\((.*)\)$", "_ = 0/", text, flags=re.M) if name == "Swift" else text
        text = text.replace("_swift_stdlib_gettid()", "UInt32(0)")
        if name == "Swift":  # what only a standard library with Objective-C has, and the compiler asks for
            text += read(os.path.join(KIT, "Darwin", "Swift.swiftinterface"))
        return text

    def interface(self, name, text, extra, interop=False):
        """Compiles the text of an interface to a module."""
        key = digest(self.version, self.triple, text, extra, [self.keys.get(i) for i in imports(text)], interop)
        if self.made(name, key):
            return True
        source = os.path.join(self.root, name + ".swiftinterface")
        with open(source, "w") as f:
            f.write(text)
        start = time.time()
        r = run(["swiftc"] + self.flags(interop)[:1] + ["-compile-module-from-interface"] + self.flags(interop)[1:] + extra +
                ["-disable-availability-checking", "-module-name", name, "-o", self.output(name), source])
        return self.finish("standard module", name, key, r, start)

    def finish(self, kind, name, key, r, start):
        errors = [l for l in r.stderr.split("\n") if re.search(r": error:", l)]
        self.note("%s %s: %.1f s, %d errors" % (kind, name, time.time() - start, len(errors)))
        if r.returncode != 0:
            with open(os.path.join(self.root, name + ".log"), "w") as f:
                f.write(r.stderr)
            self.problems.append("kit: %s %s: %s" % (kind, name, (errors or [r.stderr.strip()[-300:] or "failed"])[0]))
            return False
        self.stamp(name, key)
        return True

    # 3. Own declarations
    def stub(self, name, path, deps, extra=()):
        text = read(path)
        key = digest(self.version, self.triple, text, extra, [self.keys.get(d) for d in deps])
        if self.made(name, key):
            return True
        start = time.time()
        r = run(["swiftc"] + self.flags(True) + ["-emit-module", "-parse-as-library", "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-suppress-warnings",
                 "-module-name", name] + list(extra) + ["-o", self.output(name), path])
        return self.finish("stub", name, key, r, start)

    # 4. Foundation, from the toolchain's own module
    FAMILY = ["FoundationEssentials", "FoundationInternationalization", "Foundation", "FoundationNetworking", "FoundationXML"]

    def own(self, name):
        """Not the names of Linux: `canImport(FoundationNetworking)` is false on Apple's systems."""
        return "ObjectiveC" if name == "Foundation" else "_" + name  # the compiler knows NSObject by its module's name

    def printed(self, name):
        """The interface that the compiler prints of one of the toolchain's modules."""
        path = os.path.join(self.swift, "linux", name + ".swiftmodule", HOST + ".swiftmodule")
        out = os.path.join(self.cache, "printed-%s-%s.swiftinterface" % (name, digest(self.version)[:12]))
        if not os.path.exists(out):
            with tempfile.TemporaryDirectory() as d:
                r = run(["swiftc", "-frontend", "-merge-modules", path, "-module-name", name, "-swift-version", "6", "-I", os.path.join(KIT, "missing"),
                         "-emit-module-interface-path", out, "-o", d + "/m.swiftmodule", "-module-cache-path", d + "/c"])
                if not os.path.exists(out):
                    self.problems.append("kit: printing %s: %s" % (name, r.stderr.strip()[-300:]))
                    return ""
        return read(out)

    def foundation(self, name):
        text = self.printed(name)
        lines = []
        for line in text.split("\n"):
            if re.match(r"import (_FoundationCollections|_FoundationCShims|CoreFoundation|_SwiftConcurrencyShims|CDispatch)", line):
                continue
            line = re.sub(r"^(@_exported )?import Glibc$", r"\1import Darwin", line)
            line = re.sub(r"\b(SwiftGlibc|Glibc)\.", "Darwin.", line)
            lines.append(line)
        text = "\n".join(lines)
        text = text.replace("@_exported import Dispatch", "@_exported import Dispatch\n@_exported import Darwin")
        for other in self.FAMILY:
            text = re.sub(r"\b%s\b" % other, self.own(other), text)
        sys.path.insert(0, KIT)
        import edits
        return edits.apply(name, text, self.target)

    def write_map(self):
        """The module map, with Darwin's headers as its own, so that a C module that includes one of them imports Darwin."""
        shim = os.path.join(KIT, "Darwin", "shim.h")
        own = [h for h in re.findall(r"#include <(.*)>", read(shim)) if h not in ("float.h", "limits.h")]
        lines = ['    header "%s"' % os.path.join(self.headers, h) for h in own if os.path.exists(os.path.join(self.headers, h))]
        text = read(os.path.join(KIT, "Darwin", "module.modulemap")).replace('    header "shim.h"', "\n".join(lines) + '\n    header "%s"' % shim)
        os.makedirs(self.maps, exist_ok=True)
        path = os.path.join(self.maps, "module.modulemap")
        if not os.path.exists(path) or read(path) != text:
            with open(path, "w") as f:
                f.write(text)

    # All
    def prepare(self):
        self.fetch_headers()
        self.write_map()
        for name in self.STANDARD:
            text = self.standard(name)
            extra = ["-parse-stdlib"] if "-parse-stdlib" in text else []
            self.interface(name, text, extra)
        sources = {os.path.basename(p)[:-6]: p for p in glob.glob(KIT + "/stubs/*.swift")}
        self.headers_key = digest(*[read(p) for p in sorted(glob.glob(KIT + "/Darwin/*") + glob.glob(KIT + "/include/*") + glob.glob(self.maps + "/*"))])
        self.keys["<headers>"] = self.headers_key
        self.stub("Darwin", KIT + "/Darwin/overlay.swift", ["Swift", "_Concurrency", "<headers>"])
        everywhere = set().union(*(listed(KIT + "/stubs/platforms.txt", platform) for platform in PLATFORMS))
        skipped = everywhere - listed(KIT + "/stubs/platforms.txt", self.target)
        for name in skipped:
            shutil.rmtree(os.path.join(self.modules, name + ".swiftmodule"), ignore_errors=True)
            key = os.path.join(self.modules, name + ".key")
            if os.path.exists(key):
                os.remove(key)
        done = set()

        own = [self.own(part) for part in self.FAMILY]

        def make(name):
            if name in done or name in skipped:
                return
            done.add(name)
            if name in own:
                make("Dispatch")
                for part in self.FAMILY:
                    done.add(self.own(part))
                    self.interface(self.own(part), self.foundation(part), ["-enable-experimental-feature", "Lifetimes"])
                return
            deps = imports(read(sources[name]))
            for d in deps:
                if d in own or (d in sources and d != name):
                    make(d)
            self.stub(name, sources[name], deps + ["Darwin"])

        for name in sorted(sources):
            make(name)
        return not self.problems


def imports(text):
    found = []
    for m in re.finditer(r"^\s*(?:@\w+(?:\([^)]*\))? )*(?:public |internal |package |private |fileprivate )?import (?:struct |class |enum |protocol |func |var |typealias )?(\w+)", text, re.M):
        if m.group(1) not in found:
            found.append(m.group(1))
    return found


# The project

def package(project, what):
    d = os.path.join(tempfile.gettempdir(), "hearth-apple-%s" % digest(os.path.realpath(project))[:12])
    os.makedirs(d, exist_ok=True)
    r = run(["swift", "package", "--package-path", project, "--scratch-path", d] + what)
    if r.returncode != 0:
        sys.exit("swift package %s: %s" % (" ".join(what), r.stderr.strip()[-500:]))
    return json.loads(r.stdout[r.stdout.index("{"):])


def listed(path, platform):
    """Names that a file lists for a platform, a line each: `NAME PLATFORM…  # why`."""
    lines = [line.split("#")[0].split() for line in read(path).split("\n")]
    return {words[0] for words in lines if platform in words[1:]}


class Project:
    def __init__(self, kit, path, described, only, with_tests):
        self.kit, self.path = kit, os.path.realpath(path)
        dumped = package(path, ["dump-package"])
        self.identity = os.path.basename(self.path).lower()
        self.targets = {t["name"]: t for t in described["targets"]}
        self.manifest = {t["name"]: t for t in dumped["targets"]}
        self.c_standard = dumped.get("cLanguageStandard")
        modes = dumped.get("swiftLanguageVersions") or ["6"]
        self.mode = modes[-1].split(".")[0]
        self.only, self.with_tests = only, with_tests
        self.out = os.path.join(kit.root, "project", digest(self.path)[:12])
        os.makedirs(self.out, exist_ok=True)
        self.errors, self.checked, self.failed, self.skipped = [], [], [], []
        self.warnings = set()

    def dependencies(self, name):
        """Of this platform: `.when(platforms:)` counts."""
        elsewhere = set()
        for dependency in self.manifest.get(name, {}).get("dependencies", []):
            for kind in ("byName", "target"):
                words = dependency.get(kind) or []
                names = ((words[1] if len(words) > 1 else None) or {}).get("platformNames") or []
                if names and self.kit.target not in names:
                    elsewhere.add(words[0])
        return [d for d in self.targets[name].get("target_dependencies", []) if d not in elsewhere]

    def order(self):
        done = []
        def visit(name):
            if name in done or name not in self.targets:
                return
            for d in self.dependencies(name):
                visit(d)
            done.append(name)
        for name in sorted(self.only or self.targets):
            if name not in self.targets:
                sys.exit("no target %s in the package" % name)
            t = self.targets[name]
            if not self.only and t["type"] == "test":
                continue
            if not self.only and not self.with_tests and t["path"].startswith("Tests/"):
                continue
            visit(name)
        return done

    def all_dependencies(self, name, seen=None):
        seen = seen if seen is not None else []
        for d in self.dependencies(name):
            if d in self.targets and d not in seen:
                seen.append(d)
                self.all_dependencies(d, seen)
        return seen

    def c_flags(self, name):
        flags = ["-target", self.kit.triple, "-nostdlibinc", "-isystem", os.path.join(KIT, "include"), "-isystem", self.kit.headers]
        if self.c_standard:
            flags += ["-std=" + self.c_standard]
        for n in [name] + self.all_dependencies(name):
            inc = os.path.join(self.path, self.targets[n]["path"], "include")
            if os.path.isdir(inc):
                flags += ["-I", inc]
        flags += ["-I", os.path.join(self.path, self.targets[name]["path"])]
        for s in self.settings(name, "c"):
            kind, value = s
            if kind == "define":
                flags.append("-D" + value)
            elif kind == "headerSearchPath":
                flags += ["-I", os.path.join(self.path, self.targets[name]["path"], value)]
            elif kind == "unsafeFlags":
                flags += value
        return flags

    def settings(self, name, tool):
        found = []
        for s in self.manifest.get(name, {}).get("settings", []):
            if s["tool"] != tool:
                continue
            names = (s.get("condition") or {}).get("platformNames") or []
            if names and self.kit.target not in names:
                continue
            for kind, value in s["kind"].items():
                found.append((kind, value.get("_0") if isinstance(value, dict) else value))
        return found

    def c_target(self, t):
        bad = []
        for s in t["sources"]:
            path = os.path.join(self.path, t["path"], s)
            if not path.endswith((".c", ".cc", ".cpp", ".m", ".S")):
                continue
            if path.endswith(".S"):
                continue
            r = run([os.path.join(self.kit.bin, "clang"), "-fsyntax-only", "-fblocks", "-Wall"] + self.c_flags(t["name"]) + [path])
            self.warnings.update(l for l in r.stderr.split("\n") if re.search(r"^/.*:\d+:\d+: warning:", l))
            if r.returncode != 0:
                bad += [l for l in r.stderr.split("\n") if re.search(r": (fatal )?error:", l)] or [path + ":0:0: error: " + r.stderr.strip()[-200:]]
        return bad

    def module_maps(self, name):
        """What makes the C modules of the package importable: include folders with a module map, or one of our own over the header."""
        flags = []
        for n in self.all_dependencies(name):
            t = self.targets[n]
            base = os.path.join(self.path, t["path"])
            if t["module_type"] == "SystemLibraryTarget":
                flags += ["-Xcc", "-fmodule-map-file=" + os.path.join(base, "module.modulemap")]
            elif t["module_type"] == "ClangTarget":
                inc = os.path.join(base, "include")
                own = os.path.join(inc, "module.modulemap")
                flags += ["-Xcc", "-I" + inc]
                if os.path.exists(own):
                    flags += ["-Xcc", "-fmodule-map-file=" + own]
                else:
                    made = os.path.join(self.out, n + ".modulemap")
                    umbrella = os.path.join(inc, n + ".h")
                    text = "module %s {\n    umbrella %s\n    export *\n}\n" % (t["c99name"], 'header "%s"' % umbrella if os.path.exists(umbrella) else '"%s"' % inc)
                    if not os.path.exists(made) or read(made) != text:
                        with open(made, "w") as f:
                            f.write(text)
                    flags += ["-Xcc", "-fmodule-map-file=" + made]
        return flags

    def generated(self, t):
        """Sources that SwiftPM would write: embedded resources, the bundle of a module."""
        found, embedded, bundled = [], [], False
        for r in t.get("resources", []):
            if "embed_in_code" in r["rule"]:
                embedded.append(r["path"])
            else:
                bundled = True
        d = os.path.join(self.out, "generated", t["name"])
        os.makedirs(d, exist_ok=True)
        if embedded:
            path = os.path.join(d, "embedded_resources.swift")
            with open(path, "w") as f:
                f.write("struct PackageResources {\n")
                for p in embedded:
                    f.write("static let %s: [UInt8] = []\n" % re.sub(r"[^A-Za-z0-9_]", "_", os.path.basename(p)))
                f.write("}\n")
            found.append(path)
        if bundled:
            path = os.path.join(d, "resource_bundle_accessor.swift")
            with open(path, "w") as f:
                f.write("import Foundation\nextension Foundation.Bundle { static let module = Bundle.main }\n")
            found.append(path)
        return found

    def swift_flags(self, name):
        flags = []
        mode = self.mode
        for kind, value in self.settings(name, "swift"):
            if kind == "enableUpcomingFeature":
                flags += ["-enable-upcoming-feature", value]
            elif kind == "enableExperimentalFeature":
                flags += ["-enable-experimental-feature", value]
            elif kind == "define":
                flags += ["-D", value]
            elif kind == "swiftLanguageMode":
                mode = str(value).split(".")[0]
            elif kind == "defaultIsolation":
                flags += ["-default-isolation", "MainActor" if value and "Main" in str(value) else "nonisolated"]
        return ["-swift-version", mode] + flags

    def swift_target(self, t):
        sources = [os.path.join(self.path, t["path"], s) for s in t["sources"] if s.endswith(".swift")] + self.generated(t)
        out = os.path.join(self.out, t["c99name"] + ".swiftmodule")
        flags = ["-emit-module", "-module-name", t["c99name"], "-package-name", self.identity, "-I", self.out, "-enable-testing", "-Onone"]
        if t["type"] != "executable" or not any(os.path.basename(s) == "main.swift" for s in sources):
            flags += ["-parse-as-library"]
        plugins = os.path.join(self.kit.swift, "host", "plugins")
        if os.path.isdir(plugins):
            flags += ["-plugin-path", plugins]
        files = os.path.join(self.out, t["name"] + ".files")
        with open(files, "w") as f:
            f.write("\n".join(sources) + "\n")
        r = run(["swiftc"] + self.kit.flags(True) + flags + self.swift_flags(t["name"]) + self.module_maps(t["name"]) + ["-o", out, "@" + files])
        with open(os.path.join(self.out, t["name"] + ".log"), "w") as f:
            f.write(r.stderr)
        bad = []
        for l in r.stderr.split("\n"):
            if re.search(r":\d+:\d+: error:|^<unknown>:0: error:|: fatal error:", l) and l not in bad:
                bad.append(l)
            elif re.search(r"^/.*:\d+:\d+: warning:", l):
                self.warnings.add(l)
        if r.returncode != 0 and not bad:
            # A crash says what it was doing, the innermost last.
            doing = re.findall(r"^\d+\.\t(While .*)", r.stderr, re.M)
            bad = ["%s: error: the compiler failed: %s" % (t["name"], doing[-1] if doing else r.stderr.strip()[-300:])]
        if r.returncode != 0 and not os.path.exists(out) or bad:
            # What imports it is still looked at: the module is written in spite of errors.
            run(["swiftc"] + self.kit.flags(True) + flags + ["-experimental-allow-module-with-compiler-errors", "-suppress-warnings"] + self.swift_flags(t["name"])
                + self.module_maps(t["name"]) + ["-o", out, "@" + files])
        return bad

    def check(self):
        skip = listed(os.path.join(KIT, "skipped.txt"), self.kit.target)
        order = self.order()
        stopped = set()
        for name in order:
            t = self.targets[name]
            if t["module_type"] == "SystemLibraryTarget":
                continue
            if not self.only and (name in skip or any(d in skip or d in stopped for d in self.all_dependencies(name) if self.targets[d]["module_type"] != "SystemLibraryTarget")):
                stopped.add(name)
                self.skipped.append(name)
                continue
            start = time.time()
            bad = self.c_target(t) if t["module_type"] == "ClangTarget" else self.swift_target(t)
            bad = [l.replace(self.path + "/", "") for l in bad]
            self.kit.note("%s: %.1f s, %d errors" % (name, time.time() - start, len(bad)))
            for l in bad:
                if l not in self.errors:
                    self.errors.append(l)
            (self.failed if bad else self.checked).append(name)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--target", choices=sorted(PLATFORMS), default="ios")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hearth-apple-sdk"))
    p.add_argument("--tests", action="store_true", help="library targets below Tests/ too")
    p.add_argument("--strict", action="store_true", help="the compiler's warnings are errors")
    p.add_argument("--only-prepare", action="store_true")
    p.add_argument("--file", action="append", default=[], help="check a file by itself against the stubs and the project's modules")
    p.add_argument("--document", action="append", default=[], help="check each block of Swift in a document by itself")
    p.add_argument("-v", "--verbose", action="store_true")
    p.add_argument("project")
    p.add_argument("module", nargs="*")
    a = p.parse_args()
    described = package(a.project, ["describe", "--type", "json"])
    versions = {p["name"]: p["version"] for p in described.get("platforms", [])}
    kit = Kit(a.target, versions.get(a.target, PLATFORMS[a.target]), os.path.realpath(a.cache), a.verbose)
    ready = kit.prepare()
    for line in kit.problems:
        print(line)
    if a.only_prepare:
        print("the kit is %s for %s" % ("ready" if ready else "NOT ready", kit.label))
        return 0 if ready else 1
    project = Project(kit, a.project, described, a.module, a.tests)
    project.check()
    for document in a.document if a.target == "ios" else []:
        text = read(document)
        for number, match in enumerate(re.finditer(r"^```swift\n(.*?)^```", text, re.M | re.S)):
            path = os.path.join(project.out, "%s-%d.swift" % (os.path.basename(document), number))
            with open(path, "w") as f:
                f.write('#sourceLocation(file: "%s", line: %d)\n' % (document, text[:match.start()].count("\n") + 2) + match[1])
            a.file.append(path)
    maps = sum((project.module_maps(n) for n in project.checked + project.failed if project.targets[n]["module_type"] == "SwiftTarget"), [])
    maps = [m for i, m in enumerate(maps) if m != "-Xcc" and m not in maps[:i]]
    for path in a.file:
        out = os.path.join(project.out, "file.swiftmodule")
        r = run(["swiftc"] + kit.flags(True) + ["-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "File", "-I", project.out, "-plugin-path", os.path.join(kit.swift, "host", "plugins")] +
                sum((["-Xcc", m] for m in maps), []) + ["-o", out, path])
        bad = [l for l in r.stderr.split("\n") if ": error:" in l]
        project.errors += bad
        (project.failed if r.returncode else project.checked).append(os.path.basename(path))
    for l in project.errors:
        print(l)
    warnings = sorted(l.replace(project.path + "/", "") for l in project.warnings) if a.strict else []
    for l in warnings:
        print(l)
    if project.failed:
        print("with errors: " + ", ".join(project.failed))
    if project.skipped:
        print("skipped on %s: %s" % (kit.label, ", ".join(project.skipped)))
    count = len(project.errors) + len(kit.problems) + len(warnings)
    if not project.checked:
        count += 1
        print("nothing was checked")
    print("%d modules type-check for %s, %d errors" % (len(project.checked), kit.label, count))
    return 1 if count or project.failed else 0


if __name__ == "__main__":
    sys.exit(main())
