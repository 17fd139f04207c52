"""A Prometheus server scrapes /metrics and answers queries about it; `promtool` finds nothing to say against the names.

    Tests/Server/run prometheus_test.py
"""

import contextlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

from harness import PATIENCE, free_port, serving


@unittest.skipUnless(shutil.which("prometheus") and shutil.which("promtool"), "Prometheus is not installed")
class PrometheusTest(unittest.TestCase):
    def query(self, port: int, text: str) -> list:
        """What Prometheus answers as soon as that is something: a scrape that fails hides what the last one found."""
        address = f"http://127.0.0.1:{port}/api/v1/query?" + urllib.parse.urlencode({"query": text})
        end = time.monotonic() + PATIENCE
        while True:
            with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                if result := json.load(answer)["data"]["result"]:
                    return result
            self.assertLess(time.monotonic(), end, text)
            time.sleep(0.2)

    def test_names(self):
        with serving() as server:
            check = subprocess.run(
                ["promtool", "check", "metrics"], input=server.get("/metrics"), capture_output=True, timeout=PATIENCE
            )
        self.assertEqual((check.returncode, check.stdout + check.stderr), (0, b""))

    def test_scrape(self):
        with serving() as server, tempfile.TemporaryDirectory(prefix="hearth-prometheus-") as folder:
            for _ in range(2):
                body = json.dumps({"prompt": "Once upon a time", "max_tokens": 5}).encode()
                request = urllib.request.Request(
                    server.url + "/v1/completions", body, {"Content-Type": "application/json"}
                )
                urllib.request.urlopen(request, timeout=PATIENCE).read()
            port = free_port()
            configuration = pathlib.Path(folder) / "prometheus.yml"
            configuration.write_text(
                "global: {scrape_interval: 1s}\nscrape_configs:\n- job_name: hearth\n  static_configs:\n"
                f"  - targets: ['127.0.0.1:{server.port}']\n"
            )
            prometheus = subprocess.Popen(
                [
                    "prometheus",
                    f"--config.file={configuration}",
                    f"--storage.tsdb.path={folder}/data",
                    f"--web.listen-address=127.0.0.1:{port}",
                ],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                result = self.query(port, 'hearth_model_state{state="ready"} == 1')
                self.assertEqual(result[0]["metric"]["model"], "hearth-nano")
                self.assertEqual(result[0]["metric"]["job"], "hearth")
                tokens = self.query(port, "hearth_generated_tokens_total")
                self.assertEqual(float(tokens[0]["value"][1]), 10)
                started = self.query(port, 'hearth_startup_seconds{quantile="0.5"}')
                self.assertGreater(float(started[0]["value"][1]), 0)
                self.assertIn(started[0]["metric"]["kind"], ("cold-compile", "cold-disk", "warm"))
                requests = self.query(port, 'sum by (code) (hearth_http_requests_total{endpoint="/v1/completions"})')
                self.assertEqual((requests[0]["metric"]["code"], float(requests[0]["value"][1])), ("200", 2))
            finally:
                prometheus.terminate()
                prometheus.wait(PATIENCE)


if __name__ == "__main__":
    unittest.main()
