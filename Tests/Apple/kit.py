#!/usr/bin/env python3
"""Type-checks a Swift package for Apple platforms on Linux. Called by typecheck.sh; README.md says how it works."""
import argparse, os, re, sys

from common import PLATFORMS, read, run
from project import Project, app_sources, package
from sdk import Kit


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--target", choices=sorted(PLATFORMS), default="ios")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hearth-apple-sdk"))
    p.add_argument("--tests", action="store_true", help="library targets below Tests/ too")
    p.add_argument("--strict", action="store_true", help="the compiler's warnings are errors")
    p.add_argument("--only-prepare", action="store_true")
    p.add_argument("--only", action="append", default=[], metavar="MODULE", help="check this module alone, against what the last run made of the others")
    p.add_argument("--app", action="append", default=[], metavar="FOLDER", help="check an app's package, all its sources as one module, against the project's modules")
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
    project = Project(kit, a.project, described, a.only or a.module, a.tests, reuse=bool(a.only))
    project.check()
    for document in a.document if a.target == "ios" else []:
        text = read(document)
        for number, match in enumerate(re.finditer(r"^```swift\n(.*?)^```", text, re.M | re.S)):
            path = os.path.join(project.out, "%s-%d.swift" % (os.path.basename(document), number))
            with open(path, "w") as f:
                f.write('#sourceLocation(file: "%s", line: %d)\n' % (document, text[:match.start()].count("\n") + 2) + match[1])
            a.file.append(path)
    maps = sum((project.module_maps(n) for n in project.order() if project.targets[n]["module_type"] == "SwiftTarget"), [])
    maps = [m for i, m in enumerate(maps) if m != "-Xcc" and m not in maps[:i]]
    apps = [(folder, app_sources(folder, project.out)) for folder in a.app]
    for name, paths in [(path, [path]) for path in a.file] + apps:
        out = os.path.join(project.out, "file.swiftmodule")
        r = run(["swiftc"] + kit.flags(True) + ["-emit-module", "-parse-as-library", "-swift-version", "6", "-module-name", "File", "-I", project.out, "-plugin-path", os.path.join(kit.swift, "host", "plugins")] +
                sum((["-Xcc", m] for m in maps), []) + ["-o", out] + paths)
        bad = [l for l in r.stderr.split("\n") if ": error:" in l]
        project.errors += bad
        project.warnings.update(l for l in r.stderr.split("\n") if re.search(r"^/?\S+:\d+:\d+: warning:", l))
        (project.failed if r.returncode else project.checked).append(os.path.basename(name))
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
