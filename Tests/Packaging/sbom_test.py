"""The bill of materials: complete for this program, and strict about what it does not know."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import support


class BillTests(unittest.TestCase):
    def setUp(self):
        if not shutil.which("readelf"):
            self.skipTest("there is no readelf")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = pathlib.Path(folder.name)
        (self.tree / "bin").mkdir()
        shutil.copy(support.PROGRAM, self.tree / "bin/hearth")
        shutil.copytree(support.ROOT / "Models", self.tree / "share/hearth/Models")

    def make(self, *options):
        environment = dict(os.environ, SOURCE_DATE_EPOCH="1767225600")
        return subprocess.run(
            [support.PACKAGING / "sbom", support.PROGRAM, self.tree, "--version", "1.2.3", "--commit", "8c1f", *options],
            env=environment, capture_output=True, text=True, check=False)

    def test_bill(self):
        result = self.make()
        self.assertEqual(result.returncode, 0, result.stderr)
        documentation = self.tree / "share/doc/hearth"
        bill = json.loads((documentation / "hearth.spdx.json").read_text(encoding="utf-8"))
        self.assertEqual(bill["spdxVersion"], "SPDX-2.3")
        self.assertEqual(bill["creationInfo"]["created"], "2026-01-01T00:00:00Z")
        packages = {package["name"]: package for package in bill["packages"]}
        for name in ("hearth", "swift-runtime", "libsqlite3", "libcrypto", "libcurl", "libjpeg-turbo", "libpng", "hearth-kai"):
            self.assertIn(name, packages)
        for path in (support.ROOT / "Models").iterdir():
            self.assertIn(path.name, packages)
        ids = {package["SPDXID"] for package in bill["packages"]} | {"SPDXRef-DOCUMENT"}
        self.assertEqual(len(ids), len(bill["packages"]) + 1)
        for relationship in bill["relationships"]:
            self.assertLessEqual({relationship["spdxElementId"], relationship["relatedSpdxElement"]}, ids)
        own = {info["licenseId"] for info in bill["hasExtractedLicensingInfos"]}
        for package in bill["packages"]:
            words = set(package["licenseDeclared"].replace("(", " ").replace(")", " ").split())
            self.assertLessEqual({word for word in words if word.startswith("LicenseRef-")}, own)
        texts = {path.name: path.read_text(encoding="utf-8") for path in (documentation / "licences").iterdir()}
        self.assertIn("Swift-exception.txt", texts)
        self.assertIn("SIL OPEN FONT LICENSE", texts["OFL-1.1.txt"])
        self.assertIn("Apache License", texts["Apache-2.0.txt"])
        self.assertIn("| libcurl |", (documentation / "LICENCES.md").read_text(encoding="utf-8"))

    def test_valid(self):
        """By SPDX's own validator, where it is installed (pip install spdx-tools)."""
        if not shutil.which("pyspdxtools"):
            self.skipTest("there is no pyspdxtools")
        self.assertEqual(self.make().returncode, 0)
        subprocess.run(["pyspdxtools", "-i", self.tree / "share/doc/hearth/hearth.spdx.json"], check=True, capture_output=True)

    def test_the_same_again(self):
        self.make()
        first = (self.tree / "share/doc/hearth/hearth.spdx.json").read_bytes()
        self.make()
        self.assertEqual((self.tree / "share/doc/hearth/hearth.spdx.json").read_bytes(), first)

    def test_an_archive_that_nobody_knows(self):
        link_map = self.tree / "map"
        link_map.write_text("  1 2 3 4 /toolchain/lib/libswiftCore.a(Array.o):(.text)\n  1 2 3 4 /usr/lib/libmystery.a(secret.o):(.text)\n",
                            encoding="utf-8")
        result = self.make("--map", link_map)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("libmystery", result.stderr)


if __name__ == "__main__":
    unittest.main()
