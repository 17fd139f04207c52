"""Drives Firefox as it comes from a distribution, by Marionette, its own remote protocol: no driver beside it is needed.

A message is its length in decimal digits, a colon, and JSON: `[0, id, command, parameters]` there, `[1, id, error, result]` back.
"""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from harness import PATIENCE

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
PREFERENCES = {
    "marionette.port": 0,
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.disable_beforeunload": True,
    "media.autoplay.default": 5,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "browser.safebrowsing.update.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "services.settings.server": "http://127.0.0.1:1/",
    "intl.accept_languages": "en-GB",
}


def program() -> str | None:
    return os.environ.get("HEARTH_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


class Failure(Exception):
    pass


class Firefox:
    def __init__(self, port: int):
        # A browser that starts for the first time on a busy machine takes minutes.
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5 * PATIENCE)
        self.last = 0
        self.receive()
        self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {}}})

    def receive(self):
        def read(count: int) -> bytes:
            data = b""
            while len(data) < count:
                piece = self.socket.recv(count - len(data))
                if not piece:
                    raise Failure("Firefox is gone")
                data += piece
            return data

        digits = b""
        while not digits.endswith(b":"):
            digits += read(1)
        return json.loads(read(int(digits[:-1])))

    def send(self, command: str, parameters: dict | None = None):
        self.last += 1
        message = json.dumps([0, self.last, command, parameters or {}]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, _, error, result = self.receive()
        if error:
            raise Failure(f"{command}: {error['message']}")
        return result

    def go(self, url: str):
        self.send("WebDriver:Navigate", {"url": url})

    def run(self, script: str, *arguments):
        return self.send("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})["value"]

    def wait(self, script: str, seconds: float = PATIENCE):
        """Until the script, an expression, is true; returns its value."""
        end = time.monotonic() + seconds
        while not (value := self.run(f"return {script}")):
            if time.monotonic() > end:
                raise TimeoutError(f"never true: {script}")
            time.sleep(0.05)
        return value

    def click(self, selector: str):
        """As a person would: the element has to be seen, and nothing may be in front of it."""
        found = self.send("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        self.send("WebDriver:ElementClick", {"id": found[ELEMENT]})

    def type(self, selector: str, text: str):
        found = self.send("WebDriver:FindElement", {"using": "css selector", "value": selector})["value"]
        self.send("WebDriver:ElementSendKeys", {"id": found[ELEMENT], "text": text})

    def size(self, width: int, height: int):
        self.send("WebDriver:SetWindowRect", {"width": width, "height": height})

    def snap(self, path: str):
        picture = self.send("WebDriver:TakeScreenshot", {"full": False})["value"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))


@contextlib.contextmanager
def firefox():
    """A Firefox without a window and without a past."""
    with tempfile.TemporaryDirectory(prefix="hearth-firefox-", ignore_cleanup_errors=True) as profile:
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        pathlib.Path(profile, "user.js").write_text("\n".join(lines))
        process = subprocess.Popen(
            [program(), "--headless", "--no-remote", "--marionette", "--profile", profile],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "HOME": profile})
        try:
            port = pathlib.Path(profile, "MarionetteActivePort")
            end = time.monotonic() + 5 * PATIENCE
            while not port.exists() or not port.read_text():
                if process.poll() is not None or time.monotonic() > end:
                    raise Failure("Firefox did not start")
                time.sleep(0.05)
            yield Firefox(int(port.read_text()))
        finally:
            process.terminate()
            process.wait(PATIENCE)
