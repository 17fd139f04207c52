"""Modules for an Apple platform, made of a Linux toolchain, open headers and declarations of our own."""
import glob, os, re, shutil, sys, tempfile, time, zipfile

from common import KIT, PLATFORMS, digest, imports, listed, read, run

HEADERS = "ziglang==0.13.0"  # its wheel carries Apple's open Darwin headers
HOST = "x86_64-unknown-linux-gnu"  # whose interfaces are read


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
            version = re.search(r"^// module version (\S+)$", read(sources[name]), re.M)
            self.stub(name, sources[name], deps + ["Darwin"], ["-user-module-version", version[1]] if version else [])

        for name in sorted(sources):
            make(name)
        return not self.problems
