#!/usr/bin/env python3
"""What it costs, and saves, to keep a compressed model's weights compressed: artifacts of both kinds, in turn.

  python3 storage.py --hearth ../../.build/release/hearth [--rounds 5] [--runs 30] [--threads 2] MODEL.mlpackage…

For each model and each way to keep weights (`hearth compile --weights mapped` and `compact`): bytes of the artifact; process
start to first result, from the page cache and with the artifact's files dropped from it; median latency; processor time up to
the first result and of a picture, for machines that are never quiet; the most memory that was resident, and the most that was
the process's own (dirty). Every figure is the median of the rounds, each process fresh, the two ways in turn within a round.
Linux; needs nothing but Python.
"""
import argparse, glob, json, os, resource, statistics, subprocess, tempfile, time

WAYS = ("mapped", "compact")


def compiled(args, model, way, home):
    out = subprocess.run(
        [args.hearth, "compile", "--model", model, "--weights", way, "--json"], check=True, capture_output=True,
        env=dict(os.environ, HEARTH_HOME=home)).stdout
    return json.loads(out)


def drop(folder):
    """Removes an artifact's files from the page cache, as far as nobody else has them open."""
    for path in glob.glob(folder + "/*"):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def memory(pid):
    """Bytes that are resident, and those that nothing but this process holds."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line and "kB" in line)
    return tuple(int(fields[name].split()[0]) * 1024 for name in ("Rss", "Private_Dirty"))


def processor_ms():
    """Of all processes that were waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime + used.ru_stime) * 1e3


def run(args, words, watches=False):
    before = processor_ms()
    begin = time.perf_counter()
    process = subprocess.Popen([args.hearth] + words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    most = (0, 0)
    while watches and process.poll() is None:
        try:
            most = tuple(map(max, most, memory(process.pid)))
        except (OSError, KeyError, ValueError):
            pass
        time.sleep(0.01)
    out, _ = process.communicate()
    seconds = time.perf_counter() - begin
    if process.returncode != 0:
        raise SystemExit(f"hearth {' '.join(words)} left with {process.returncode}")
    return json.loads(out), seconds * 1e3, most, processor_ms() - before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hearth", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("models", nargs="+")
    args = parser.parse_args()
    args.hearth = os.path.abspath(args.hearth)
    print("model                weights       artifact  start ms  cold ms  steady ms  start cpu  picture cpu  resident     dirty")
    with tempfile.TemporaryDirectory() as home:
        for model in args.models:
            made = {way: compiled(args, model, way, home) for way in WAYS}
            names = ("warm", "cold", "steady", "start", "picture", "resident", "dirty")
            figures = {way: {name: [] for name in names} for way in WAYS}
            for _ in range(args.rounds):
                for way in WAYS:
                    words = ["bench", "vision", "--model", made[way]["path"], "--threads", str(args.threads), "--json"]
                    drop(made[way]["path"])
                    for kind in ("cold", "warm"):
                        # One inference is the first result; the other one, which is measured by itself, does not count.
                        once, milliseconds, _, processor = run(args, words + ["--runs", "1"])
                        figures[way][kind].append(milliseconds - once["msMedian"])
                    more = words + ["--runs", str(args.runs + 1)]
                    result, _, _, all_processor = run(args, more)
                    picture = (all_processor - processor) / args.runs
                    figures[way]["steady"].append(result["msMedian"])
                    figures[way]["start"].append(processor - picture)
                    figures[way]["picture"].append(picture)
                    # Looking at it costs the process time, so it is a run of its own.
                    resident, dirty = run(args, more, watches=True)[2]
                    figures[way]["resident"].append(resident)
                    figures[way]["dirty"].append(dirty)
            name = os.path.basename(model.rstrip("/")).removesuffix(".mlpackage")
            for way in WAYS:
                f = {key: statistics.median(values) for key, values in figures[way].items()}
                print(
                    f"{name:20} {way:9} {made[way]['bytes'] / 1e6:9.1f} MB {f['warm']:8.0f} {f['cold']:8.0f} {f['steady']:10.1f}"
                    f" {f['start']:10.0f} {f['picture']:12.1f} {f['resident'] / 1e6:6.0f} MB {f['dirty'] / 1e6:6.0f} MB", flush=True)


if __name__ == "__main__":
    main()
