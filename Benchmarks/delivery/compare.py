#!/usr/bin/env python3
"""Downloading and verifying one file, beside `curl -s URL | sha256sum`, against the same local server in the same run.

    Benchmarks/delivery/compare.py [--bytes N] [--runs N] [PROGRAM WORD…]

The default program is `.build/release/hearth pull URL --sha256 H`, with a fresh HEARTH_HOME for each run. Another one
can be given: the words {url}, {sha256} and {home} are replaced. Prints the median of each side and their ratio as JSON.
"""
import argparse
import hashlib
import http.server
import json
import os
import re
import shutil
import socketserver
import statistics
import subprocess
import sys
import tempfile
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves one file with ranges, by sendfile."""

    protocol_version = "HTTP/1.1"
    path_on_disk = ""
    tag = '"1"'

    def do_GET(self):
        size = os.path.getsize(self.path_on_disk)
        start, end, status = 0, size, 200
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if wanted and self.headers.get("If-Range", self.tag) == self.tag:
            start, status = int(wanted[1]), 206
            end = min(int(wanted[2]) + 1, size) if wanted[2] else size
        self.send_response(status)
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", self.tag)
        self.send_header("Content-Length", str(end - start))
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{size}")
        self.end_headers()
        self.wfile.flush()
        with open(self.path_on_disk, "rb") as file:
            try:
                while start < end:
                    start += os.sendfile(self.connection.fileno(), file.fileno(), start, min(end - start, 1 << 20))
            except OSError:
                self.close_connection = True

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True


def timed(command, **options):
    begin = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    seconds = time.monotonic() - begin
    if result.returncode:
        sys.exit(f"{command}: {result.stderr}")
    return seconds, result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=int, default=1 << 30)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("program", nargs="*")
    options = parser.parse_args()
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    program = options.program or [
        os.path.join(root, ".build/release/hearth"), "pull", "{url}", "--sha256", "{sha256}", "--name", "bench"]
    folder = tempfile.mkdtemp(prefix="hearth-delivery-")
    try:
        Handler.path_on_disk = os.path.join(folder, "model.gguf")
        digest = hashlib.sha256()
        with open(Handler.path_on_disk, "wb") as file:
            left = options.bytes
            while left:
                block = os.urandom(min(left, 1 << 24))
                digest.update(block)
                file.write(block)
                left -= len(block)
        sha256 = digest.hexdigest()
        server = Server(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/model.gguf"
        ours, theirs = [], []
        for _ in range(options.runs):
            seconds, output = timed(["bash", "-c", f"set -o pipefail; curl -s {url} | sha256sum"])
            assert output.split()[0] == sha256
            theirs.append(seconds)
            home = tempfile.mkdtemp(dir=folder)
            words = [word.format(url=url, sha256=sha256, home=home) for word in program]
            ours.append(timed(words, env=dict(os.environ, HEARTH_HOME=home))[0])
            shutil.rmtree(home)
        mine, peer = statistics.median(ours), statistics.median(theirs)
        print(json.dumps({
            "bytes": options.bytes, "runs": options.runs, "hearthSeconds": round(mine, 3),
            "curlSeconds": round(peer, 3), "hearthMBs": round(options.bytes / mine / 1e6),
            "curlMBs": round(options.bytes / peer / 1e6), "ratio": round(peer / mine, 3)}))
    finally:
        shutil.rmtree(folder)


main()
