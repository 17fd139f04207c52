"""What Dask's workers run: the installed `hearth`, one process for each task.

The functions are sent to the workers as code, so that a machine needs Dask and `hearth`, but none of these files. A task returns an
outcome, also of a failure: {"status", "error", "worker", "seconds"}; the status is that of `hearth`, 0 if all is done.
"""
import hashlib
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

# Runs a command, and ends it as soon as standard input ends: the other end of that pipe is the worker's, and closes with the worker
# even if that is killed. Without it, the program would go on alone and keep its results file locked.
GUARD = """
import subprocess, sys, threading, os
child = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
def watch():
    os.read(0, 1)
    child.terminate()
    try:
        child.wait(3)
    except subprocess.TimeoutExpired:
        child.kill()
threading.Thread(target=watch, daemon=True).start()
status = child.wait()
sys.exit(status if status >= 0 else 128 - status)
"""
INVALID_INPUT, UNAVAILABLE, INTERRUPTED = 3, 4, 130
# Seconds between tries if the program says "not available now": another process has the memory, or still holds the results file.
PAUSES = (1, 2, 4, 8, 15)


class Stopped(Exception):
    """The task is no longer wanted."""


def is_stopped():
    """Whether the sweep was interrupted or its client has gone: the scheduler has then withdrawn the running task."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    return task is None or task.state not in ("executing", "long-running") or worker.status.name in ("closing", "closed")


def version(program):
    """What `hearth --version` says, and the problem if it cannot be run."""
    path = shutil.which(program)
    if path is None:
        return None, f"there is no program '{program}'" + ("" if os.path.dirname(program) else " in its PATH")
    try:
        found = subprocess.run([path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, f"cannot run {path}: {error}"
    if found.returncode != 0:
        return None, f"{path} --version: status {found.returncode}"
    return found.stdout.decode("utf-8", "replace").strip(), None


def problem(setup):
    """Why a worker cannot take part; None if it can."""
    try:
        with open(setup["plan"], "rb") as file:
            is_seen = hashlib.sha256(file.read()).hexdigest() == setup["planSHA256"]
    except OSError:
        is_seen = False
    if not is_seen:
        return f"it does not see {setup['plan']}. The folder of --output has to be at the same path on all machines"
    found, what = version(setup["program"])
    if what:
        return f"{what}. Install hearth there, or pass its path as --hearth"
    if found != setup["version"]:
        return f"it has '{found}', and this machine '{setup['version']}'. Install the same version on all machines"
    return None


def check(setup):
    """The preflight of a worker."""
    return {"host": socket.gethostname(), "problem": problem(setup)}


def run(setup, arguments):
    """Runs `hearth`; returns its status and what it wrote to standard error."""
    others, ours = os.pipe()
    try:
        # A session of its own: Ctrl-C in a terminal reaches the client, which ends the tasks in order.
        guard = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", GUARD, shutil.which(setup["program"]), *arguments],
            stdin=others, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        os.close(others)
        others, stopped = None, False
        while True:
            try:
                _, error = guard.communicate(timeout=0.2)
                break
            except subprocess.TimeoutExpired:
                if not stopped and is_stopped():
                    stopped = True
                    os.close(ours)
                    ours = None
        if stopped:
            raise Stopped
        return guard.returncode, error.decode("utf-8", "replace").strip()
    finally:
        for end in (ours, others):
            if end is not None:
                os.close(end)


def compress(setup, model, form, options, variant):
    """Makes a variant. It appears under its name only when it is whole."""
    def work():
        if os.path.exists(variant):  # by a worker that was lost before it could say so
            return 0, ""
        place = tempfile.mkdtemp(dir=setup["making"])
        try:
            copy = os.path.join(place, os.path.basename(variant))
            status, error = run(setup, ["compress", model, "--to", form, *options, "-o", copy, "--json"])
            if status == 0:
                try:
                    os.rename(copy, variant)
                except OSError:
                    if not os.path.exists(variant):
                        raise
            return status, error
        finally:
            shutil.rmtree(place, ignore_errors=True)

    return outcome(setup, work)


def evaluate(setup, arguments, shard, partial, done):
    """Evaluates a part of the images, or the rest of one that another worker began."""
    def work():
        arguments_of_part = [*arguments, "--shard", shard, "--results", partial, "--json"]
        for pause in (*PAUSES, None):
            if os.path.exists(done):
                return 0, ""
            status, error = run(setup, arguments_of_part)
            if status != UNAVAILABLE or pause is None:
                break
            for _ in range(5 * pause):
                if is_stopped():
                    raise Stopped
                time.sleep(0.2)
        if status != 0 or not is_complete(partial):
            return status or 1, error or f"{partial} is incomplete"
        os.rename(partial, done)
        return 0, ""

    return outcome(setup, work)


def is_complete(path):
    """Whether a results file has a line for each image of its part."""
    try:
        with open(path, "rb") as file:
            header = json.loads(file.readline())
            places = {json.loads(line)["place"] for line in file if line.endswith(b"\n")}
    except (OSError, ValueError):
        return False
    shard = header["shard"]
    return places == set(range(shard["index"] - 1, header["pictures"], shard["count"]))


def outcome(setup, work):
    """Runs the work of a task on a worker that can take part."""
    from distributed import get_worker

    begin = time.monotonic()
    status, error = INVALID_INPUT, problem(setup)
    if error is None:
        try:
            status, error = work()
        except Stopped:
            status, error = INTERRUPTED, "interrupted"
        except OSError as failure:
            status, error = 1, str(failure)
    where = f"{get_worker().address} on {socket.gethostname()}"
    return {"status": status, "error": error, "worker": where, "seconds": time.monotonic() - begin}
