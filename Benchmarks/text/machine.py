"""What figures are taken on: the cores, their ceilings, who else is at work, what is in the page cache."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def pin(count):
    """Keeps this process and all that it starts on `count` cores, one hardware thread of each (Linux). Returns the cores."""
    if not hasattr(os, "sched_getaffinity"):
        return None
    cores = {}
    for cpu in sorted(os.sched_getaffinity(0)):
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list") as file:
                core = file.read()
        except OSError:
            core = cpu
        cores.setdefault(core, cpu)
    chosen = list(cores.values())[:count]
    if len(chosen) < count:
        sys.exit(f"{count} threads need as many cores, and there are {len(chosen)}: pass --threads {len(chosen)}")
    os.sched_setaffinity(0, chosen)
    return chosen


class Ceilings:
    """../kernels/ceilings.c, built once and run at several points of a benchmark: the best of each figure counts."""

    def __init__(self, threads, folder):
        self.threads, self.best = threads, {}
        self.program = os.path.join(folder, "ceilings")
        compiler = os.environ.get("CC") or shutil.which("clang") or "cc"
        source = os.path.join(HERE, "../kernels/ceilings.c")
        subprocess.run([compiler, "-std=gnu17", "-O2", source, "-lpthread", "-o", self.program], check=True)

    def take(self):
        command = [self.program, "--json", "--threads", str(self.threads)]
        taken = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for name, value in taken.items():
            if isinstance(value, list) and name != "threads" and name in self.best and self.best[name]:
                value = [max(pair) for pair in zip(value, self.best[name])]
            self.best[name] = value
        return self.best


def processor():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":")[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return os.uname().machine


@contextlib.contextmanager
def busy_neighbour():
    """A process that spins on the same cores."""
    spinner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        spinner.kill()
        spinner.wait()


class Others:
    """How many cores were busy with processes that this one did not start (Linux); a busy neighbour of ours is ours."""

    def __init__(self):
        self.begin = self.now()

    @staticmethod
    def now():
        try:
            with open("/proc/stat") as file:
                ticks = [int(word) for word in file.readline().split()[1:9]]
        except OSError:
            return None
        user, nice, system, _, _, interrupts, soft, steal = ticks
        own = os.times()
        return (user + nice + system + interrupts + soft + steal) / os.sysconf("SC_CLK_TCK"), sum(own[:4]), own.elapsed

    def cores(self):
        end = self.now()
        if not end or not self.begin:
            return None
        busy, own, elapsed = (b - a for a, b in zip(self.begin, end))
        return max(0.0, busy - own) / elapsed


def busy_cores(seconds):
    """How many cores others keep busy, looked at for so long."""
    others = Others()
    time.sleep(seconds)
    return others.cores()


def drop(*roots):
    """Takes files out of the page cache. Needs no privilege; the files must not be mapped by anyone."""
    os.sync()
    for root in roots:
        paths = [root] if os.path.isfile(root) else [
            os.path.join(folder, name) for folder, _, names in os.walk(root) for name in names
        ]
        for path in paths:
            descriptor = os.open(path, os.O_RDONLY)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def warm(path):
    with open(path, "rb") as file:
        while file.read(1 << 24):
            pass


def folder():
    return tempfile.TemporaryDirectory(prefix="hearth-bars-")
