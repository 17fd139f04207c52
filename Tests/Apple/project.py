"""The targets of a package, checked one after the other."""
import glob, json, os, re, sys, tempfile, time

from common import KIT, digest, listed, read, run


def package(project, what):
    d = os.path.join(tempfile.gettempdir(), "hearth-apple-%s" % digest(os.path.realpath(project))[:12])
    os.makedirs(d, exist_ok=True)
    r = run(["swift", "package", "--package-path", project, "--scratch-path", d] + what)
    if r.returncode != 0:
        sys.exit("swift package %s: %s" % (" ".join(what), r.stderr.strip()[-500:]))
    return json.loads(r.stdout[r.stdout.index("{"):])


class Project:
    def __init__(self, kit, path, described, only, with_tests, reuse=False):
        self.kit, self.path = kit, os.path.realpath(path)
        dumped = package(path, ["dump-package"])
        self.identity = os.path.basename(self.path).lower()
        self.targets = {t["name"]: t for t in described["targets"]}
        self.manifest = {t["name"]: t for t in dumped["targets"]}
        self.c_standard = dumped.get("cLanguageStandard")
        modes = dumped.get("swiftLanguageVersions") or ["6"]
        self.mode = modes[-1].split(".")[0]
        self.only, self.with_tests, self.reuse = only, with_tests, reuse  # reuse: what the named modules import is as the last run left it
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
            if self.reuse and name not in self.only and (t["module_type"] == "ClangTarget" or os.path.exists(os.path.join(self.out, t["c99name"] + ".swiftmodule"))):
                continue
            start = time.time()
            bad = self.c_target(t) if t["module_type"] == "ClangTarget" else self.swift_target(t)
            bad = [l.replace(self.path + "/", "") for l in bad]
            self.kit.note("%s: %.1f s, %d errors" % (name, time.time() - start, len(bad)))
            for l in bad:
                if l not in self.errors:
                    self.errors.append(l)
            (self.failed if bad else self.checked).append(name)


def app_sources(folder, out):
    """The Swift files of an app's package, and the accessor that SwiftPM writes for its resources."""
    paths = sorted(glob.glob(os.path.join(folder, "Sources", "**", "*.swift"), recursive=True)) or sys.exit("no sources in " + folder)
    if "resources:" in read(os.path.join(folder, "Package.swift")):
        accessor = os.path.join(out, "app_bundle.swift")
        with open(accessor, "w") as f:
            f.write("import Foundation\nextension Foundation.Bundle { static let module = Bundle.main }\n")
        paths.append(accessor)
    return paths
