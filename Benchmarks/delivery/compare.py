#!/usr/bin/env python3
"""Downloading, verifying and installing one model, beside `curl -s URL | sha256sum`, against the same local server in the
same run.

    Benchmarks/delivery/compare.py [--bytes N] [--runs N] [PROGRAM WORD…]

N may end in K, M or G (1024s). The file is a GGUF file of one tensor of random bytes, of an architecture that nobody runs:
it is installed and not compiled, so that both sides do the same work on its bytes. The default program is `.build/release/hearth pull URL --sha256 H`, with a fresh HEARTH_HOME for each run. Another one
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
import struct
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


def size(text):
    """A number of bytes: 300000, 64K, 256M, 1G."""
    match = re.fullmatch(r"(\d+)([KMG]?)", text.upper())
    if not match:
        raise argparse.ArgumentTypeError("a number of bytes, such as 256M or 1G")
    return int(match[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[match[2]]


def header(total):
    """What stands before the data of a GGUF file (version 3) of about `total` bytes, and the bytes of its one tensor."""

    def string(text):
        return struct.pack("<Q", len(text)) + text.encode()

    data = max(total - 4096, 4096) // 4096 * 4096
    bytes_before = b"GGUF" + struct.pack("<IQQ", 3, 1, 2)
    bytes_before += string("general.architecture") + struct.pack("<I", 8) + string("benchmark")
    bytes_before += string("general.alignment") + struct.pack("<II", 4, 4096)
    # One dimension of float32 (type 0), at offset 0 of the data.
    bytes_before += string("tensor") + struct.pack("<IQIQ", 1, data // 4, 0, 0)
    return bytes_before.ljust(4096, b"\0"), data


def timed(command, **options):
    begin = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    seconds = time.monotonic() - begin
    if result.returncode:
        sys.exit(f"{command}: {result.stderr}")
    return seconds, result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bytes", type=size, default=1 << 30)
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
        start, left = header(options.bytes)
        total = len(start) + left
        with open(Handler.path_on_disk, "wb") as file:
            block = start
            while True:
                digest.update(block)
                file.write(block)
                if not left:
                    break
                block = os.urandom(min(left, 1 << 24))
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
            "bytes": total, "runs": options.runs, "hearthSeconds": round(mine, 3),
            "curlSeconds": round(peer, 3), "hearthMBs": round(total / mine / 1e6),
            "curlMBs": round(total / peer / 1e6), "ratio": round(peer / mine, 3)}))
    finally:
        shutil.rmtree(folder)


main()
