"""`hearth units` and `--compute auto`: what was measured decides which processor runs a model."""

import hashlib
import json
import unittest

from program import FIXTURES, ProgramTest, run

MODEL = FIXTURES / "gemma/gemma3-q8_0.gguf"
DIGITS = FIXTURES / "coreml/digits/fp16.mlpackage"
NO_DEVICE = {"VK_ICD_FILENAMES": "/nonexistent", "VK_DRIVER_FILES": "/nonexistent"}
TITLE = b"hearth processors 1\n"


def software():
    """The number of a device in software, such as lavapipe; None without one."""
    checks = run("doctor", "--json").json["checks"]
    devices = [c for c in checks if c["name"].split()[0] == "gpu" and c["status"] == "ok"]
    for check in devices:
        if ": software," in check["detail"]:
            return check["name"].split()[1] if len(devices) > 1 else "0"
    return None


NUMBER = software()


class WithoutAGPU(ProgramTest):
    def test_the_cpu_is_measured_and_nothing_is_stored(self):
        found = self.hearth("units", "--model", MODEL, "--json", environment=NO_DEVICE).json
        self.assertEqual([row["processor"] for row in found["processors"]], ["cpu"])
        self.assertEqual((found["chosen"], found["chosenReason"]), ("cpu", "there is no GPU to choose"))
        for field in ("firstTokenMS", "promptPerSecond", "decodePerSecond"):
            self.assertGreater(found["processors"][0][field], 0)
        self.assertEqual(list(self.folder.rglob("*.processors")), [])

    def test_a_gpu_that_is_asked_for_and_missing_is_unavailable(self):
        outcome = self.hearth("units", "--model", MODEL, "--compute", "gpu", status=4, environment=NO_DEVICE)
        self.assertIn("there is no GPU", outcome.error)


@unittest.skipIf(NUMBER is None, "no Vulkan device in software")
class OnADeviceInSoftware(ProgramTest):
    def units(self, model):
        found = self.hearth(
            "units", "--model", model, "--seconds", "0.05", "--json", environment={"HEARTH_GPU": NUMBER}).json
        (file,) = self.folder.rglob("*.processors")
        return found, file

    def generate(self, *words, environment=None):
        """What was chosen for a text, why, and the text."""
        trace = self.folder / "trace.json"
        trace.unlink(missing_ok=True)
        outcome = self.hearth(
            "generate", "--model", MODEL, "--prompt", "a", "--max-tokens", "4", "--greedy", "--json", "--trace", trace,
            *words, environment=environment or {"HEARTH_GPU": NUMBER})
        events = json.loads(trace.read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        chosen = [e["args"] for e in events if e["name"] == "compute: auto"]
        on_gpu = any(e["name"] == "gpu: weights" for e in events)
        self.assertLessEqual(len(chosen), 1)
        return (chosen[0] if chosen else None), on_gpu, outcome.json["tokens"]

    @staticmethod
    def forge(file, change):
        """Changes what was measured, with a digest that fits."""
        found = json.loads(file.read_bytes()[len(TITLE) + 65 :])
        for measurement in found:
            change(measurement)
        payload = json.dumps(found).encode()
        file.write_bytes(TITLE + hashlib.sha256(payload).hexdigest().encode() + b"\n" + payload)

    def test_what_was_measured_decides(self):
        chosen, on_gpu, tokens = self.generate()
        self.assertEqual((chosen["chosen"], chosen["reason"], on_gpu), ("cpu", "not measured", False))

        found, file = self.units(MODEL)
        self.assertEqual([row["processor"] for row in found["processors"]], ["cpu", "gpu"])
        for row in found["processors"]:
            for field in ("firstTokenMS", "promptPerSecond", "decodePerSecond"):
                self.assertGreater(row[field], 0)
        # A processor that plays a GPU is slower than the processor, unless something else kept that busy for the moment.
        self.assertIn("times as fast as the CPU", found["chosenReason"])
        self.assertEqual(found["chosen"] == "cpu", "less than 1.20" in found["chosenReason"])
        self.assertTrue(file.read_bytes().startswith(TITLE))

        def speed(measurement, factor):
            for device in measurement["devices"]:
                device["figures"]["promptPerSecond"] = factor * measurement["cpu"]["promptPerSecond"]
                device["figures"]["decodePerSecond"] = factor * measurement["cpu"]["decodePerSecond"]

        self.forge(file, lambda measurement: speed(measurement, 1.1))
        chosen, on_gpu, _ = self.generate()
        self.assertEqual((chosen["chosen"], on_gpu), ("cpu", False))
        self.assertIn("1.10 times as fast as the CPU, less than 1.20", chosen["reason"])
        self.forge(file, lambda measurement: speed(measurement, 1000))
        chosen, on_gpu, same = self.generate()
        self.assertTrue(chosen["chosen"].startswith("gpu: ") and on_gpu, chosen)
        self.assertIn("1000.00 times", chosen["reason"])
        self.assertEqual(same, tokens)
        # Other threads, and a file that was changed.
        threads = json.loads(file.read_bytes()[len(TITLE) + 65 :])[0]["threads"]
        self.assertIn("the number of threads changed", self.generate("--threads", str(threads + 1))[0]["reason"])
        self.assertEqual(self.generate("--compute", "cpu")[:2], (None, False))
        whole = file.read_bytes()
        self.forge(file, lambda m: m["devices"][0].update(identity="0-0-0"))
        self.assertIn("the driver changed", self.generate()[0]["reason"])
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        chosen, on_gpu, _ = self.generate()
        self.assertEqual((chosen["chosen"], on_gpu), ("cpu", False))
        self.assertIn("it is damaged", chosen["reason"])
        self.assertEqual(chosen["file"], str(file))
        # It is measured anew.
        self.units(MODEL)
        self.assertIn("times as fast as the CPU", self.generate()[0]["reason"])

    def test_a_device_in_software_is_never_chosen_by_accident(self):
        found, file = self.units(MODEL)
        name = found["processors"][1]["name"]

        def faster(measurement):
            for device in measurement["devices"]:
                device["figures"]["decodePerSecond"] = device["figures"]["promptPerSecond"] = 1e6

        self.forge(file, faster)
        self.assertTrue(self.generate()[1])
        unnamed = {"HEARTH_GPU": ""}
        chosen, on_gpu, _ = self.generate(environment=unnamed)
        self.assertEqual((chosen["chosen"], on_gpu), ("cpu", False))
        # Nor is it measured.
        found = self.hearth("units", "--model", MODEL, "--json", environment=unnamed).json
        self.assertNotIn(name, [row["name"] for row in found["processors"]])

    def test_a_network(self):
        found, _ = self.units(DIGITS)
        self.assertEqual([row["processor"] for row in found["processors"]], ["cpu", "gpu"])
        for row in found["processors"]:
            self.assertGreater(row["inferenceMS"], 0)
        self.assertEqual(len(found["choices"]), len({c["units"] for c in found["choices"]}))
        self.assertIn(found["recommended"], [c["units"] for c in found["choices"]])


if __name__ == "__main__":
    unittest.main()
