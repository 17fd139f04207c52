#!/usr/bin/env python3
"""Makes variants of Core ML models and evaluates them on many machines, with Dask. Described in docs/evaluation.md.

Every worker runs the installed `hearth`: it compresses a variant, then evaluates all of them on a part of the images. `hearth
evaluate merge` joins the parts, so that the result is that of a single run. The same command resumes a sweep that was
interrupted.

    pip install -r Tools/sweep/requirements.txt
    python3 Tools/sweep/sweep.py --images test --labels test.csv --to int8 --to palette4 -o sweep Full.mlpackage --workers 4
    python3 Tools/sweep/sweep.py --images test --labels test.csv --to int8 -o /shared/sweep Full.mlpackage --scheduler tcp://10.0.0.5:8786
"""
import argparse
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import uuid

import folder
import worker
from folder import Folder, Refusal

# Seconds.
WAIT_FOR_SCHEDULER, WAIT_FOR_WORKERS = 20, 60


def arguments():
    parser = argparse.ArgumentParser(
        prog="sweep.py", allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("models", metavar="MODEL", nargs="+", help=".mlpackage or .mlmodel; the first is the full model")
    parser.add_argument("--to", metavar="FORM", action="append", default=[],
                        help="a form of 'hearth compress --to', for every model; may be repeated")
    parser.add_argument("--calibrate", metavar="DIR", help="images that calibrate palettes")
    parser.add_argument("--images", metavar="DIR", required=True, help="folder of images")
    parser.add_argument("--labels", metavar="FILE", required=True, help="labels: CSV, or COCO's annotations")
    parser.add_argument("-o", "--output", metavar="DIR", required=True, help="folder for variants and results; resumes what is there")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--workers", metavar="N", type=positive, help="starts N workers on this machine")
    where.add_argument("--scheduler", metavar="ADDRESS", help="uses the workers of a scheduler: tcp://HOST:PORT")
    parser.add_argument("--parts", metavar="N", type=positive, help="parts of the images (default: 4 for each thread of a worker)")
    parser.add_argument("--hearth", metavar="PROGRAM", default="hearth", help="the program, here and on the workers (default: hearth)")
    parser.add_argument("--threads", metavar="N", type=positive,
                        help="threads of each hearth (default: this machine's share; remote: its own default)")
    evaluation = parser.add_argument_group("as in 'hearth evaluate'")
    for name in ("--crop", "--threshold", "--iou"):
        evaluation.add_argument(name, metavar="X")
    evaluation.add_argument("--skip-unreadable", action="store_true")
    for name in ("--max-drop", "--confidence"):
        evaluation.add_argument(name, metavar="X")
    for name in ("--csv", "--html"):
        evaluation.add_argument(name, metavar="F")
    evaluation.add_argument("--json", action="store_true")
    return parser.parse_args()


def positive(text):
    value = int(text)
    if value < 1:
        raise ValueError
    return value


def given(options, *names):
    """The options of a name that were given, as words."""
    words = []
    for name in names:
        value = getattr(options, name.replace("-", "_"))
        if value is True:
            words.append("--" + name)
        elif value not in (None, False):
            words += ["--" + name, value]
    return words


def say(text):
    print("sweep: " + text, file=sys.stderr, flush=True)


class ByValue:
    """A function that is pickled as its code: no machine but this one needs these files."""

    def __init__(self, function):
        import cloudpickle

        cloudpickle.register_pickle_by_value(worker)
        self.function = function
        self.code = cloudpickle.dumps(function)

    def __call__(self, *arguments):
        return self.function(*arguments)

    def __reduce__(self):
        import cloudpickle

        return cloudpickle.loads, (self.code,)


class Sweep:
    """What is to be done, and where."""

    def __init__(self, options):
        self.options = options
        self.images, self.labels = os.path.abspath(options.images), os.path.abspath(options.labels)
        self.models = [os.path.abspath(path) for path in options.models]
        self.calibrate = options.calibrate and os.path.abspath(options.calibrate)
        named = [*(("MODEL", path) for path in self.models), ("--images", self.images), ("--labels", self.labels)]
        for name, path in [*named, ("--calibrate", self.calibrate)]:
            if path and not os.path.exists(path):
                raise Refusal(f"there is no such file ({name} {path}). Check the path.")
        for form in options.to:
            if not re.fullmatch(r"[A-Za-z0-9_]+", form):
                raise Refusal(f"'--to {form}' is not a form. Run 'hearth help compress' for the list.", 2)
        self.version, problem = worker.version(options.hearth)
        if problem:
            raise Refusal(f"on this machine {problem}. Install hearth, or pass its path as --hearth.")
        self.folder = Folder(options.output)
        # Model, form, path of the variant.
        self.variants = [
            (model, form, os.path.join(self.folder.variants, f"{os.path.splitext(os.path.basename(model))[0]}-{form}.mlpackage"))
            for model in self.models for form in dict.fromkeys(options.to)]
        paths = [*self.models, *(path for _, _, path in self.variants)]
        if len(set(paths)) < len(paths):
            raise Refusal("two models have the same name, or one is given twice. Rename one.", 2)
        self.evaluate = [
            "evaluate", "--images", self.images, "--labels", self.labels, *paths,
            *given(options, "crop", "threshold", "iou", "skip-unreadable")]
        self.plan = self.planned()
        self.folder.check(self.plan, options.parts)

    def planned(self):
        calibration = self.calibrate and sorted(
            [entry.name, entry.stat().st_size] for entry in os.scandir(self.calibrate) if entry.is_file())
        return {
            "version": 1, "hearth": self.version, "models": [[path, folder.sha256(path)] for path in self.models],
            "forms": list(dict.fromkeys(self.options.to)), "calibrate": self.calibrate and [self.calibrate, calibration],
            "images": self.images, "labels": [self.labels, folder.sha256(self.labels)],
            "evaluate": given(self.options, "crop", "threshold", "iou", "skip-unreadable"),
        }

    def run(self, client, threads):
        """Makes what is missing; returns the files of the parts."""
        count, digest = self.folder.begin(self.plan, self.options.parts or 4 * sum(client.nthreads().values()))
        setup = {
            "program": self.options.hearth, "version": self.version, "plan": self.folder.plan_path, "planSHA256": digest,
            "making": self.folder.making}
        if os.path.dirname(self.options.hearth):
            setup["program"] = os.path.abspath(self.options.hearth)
        for address, found in client.run(ByValue(worker.check), setup).items():
            if found["problem"]:
                raise Refusal(f"the worker {address} on {found['host']} cannot take part: {found['problem']}.")
        # Only what is new carries this run's name: a scheduler that still holds tasks of an earlier run does not mix them up.
        run = uuid.uuid4().hex
        threads = ["--threads", str(threads)] if threads else []
        tasks = []
        for model, form, path in self.variants:
            if not os.path.exists(path):
                options = [*threads, *(["--calibrate", self.calibrate] if self.calibrate and form.startswith("palette") else [])]
                name = os.path.basename(path)
                tasks.append((name, client.submit(
                    ByValue(worker.compress), setup, model, form, options, path, key=f"compress {name} {run}", pure=False)))
        self.finish(client, tasks, "variant", len(self.variants))
        arguments = [*self.evaluate, *threads, *given(self.options, "max-drop", "confidence")]
        tasks, files = [], []
        for index in range(1, count + 1):
            partial, done = self.folder.part(index, count)
            files.append(done)
            if not os.path.exists(done):
                shard = f"{index}/{count}"
                tasks.append((shard, client.submit(
                    ByValue(worker.evaluate), setup, arguments, shard, partial, done, key=f"evaluate {shard} {run}", pure=False)))
        self.finish(client, tasks, "part", count)
        return files

    def finish(self, client, tasks, kind, total):
        """Waits for tasks; ends at the first that fails."""
        from asyncio import CancelledError

        from distributed import wait
        from distributed.scheduler import KilledWorker

        names = {future: name for name, future in tasks}
        done, is_alone = total - len(tasks), False
        if done and total:
            say(f"{done} of {total} {kind}s are there already")
        while names:
            try:
                ready = wait(list(names), timeout=5, return_when="FIRST_COMPLETED").done
            except CancelledError:
                raise Refusal("the scheduler is gone. Start it again; the same command resumes.", 1) from None
            except TimeoutError:
                if not client.nthreads() and not is_alone:
                    say("all workers have gone; waiting for others")
                    is_alone = True
                continue
            is_alone = False
            for future in ready:
                name = names.pop(future)
                try:
                    outcome = future.result()
                except KilledWorker as error:
                    raise Refusal(
                        f"{kind} {name}: the workers that tried it were lost, the last at {error.last_worker.address}. "
                        "Check their memory; the same command resumes.", 1) from None
                except (Exception, CancelledError) as error:
                    raise Refusal(
                        f"{kind} {name}: {error or type(error).__name__}. The scheduler may be gone, or the machines differ in "
                        "their versions of Python or Dask; the same command resumes.", 1) from None
                if outcome["status"] != 0:
                    raise Refusal(f"{kind} {name} on the worker {outcome['worker']}: {outcome['error']}", outcome["status"])
                done += 1
                say(f"{kind} {name}: {outcome['seconds']:.1f} s on {outcome['worker']} ({done} of {total})")

    def merge(self, files):
        words = [*given(self.options, "max-drop", "confidence", "csv", "html", "json")]
        return subprocess.run([self.options.hearth, "evaluate", "merge", *files, *words]).returncode


def connect(options):
    """Dask's client, and threads for each process of hearth."""
    from distributed import Client, LocalCluster

    # Lost workers are reported here in one line, and the tasks are tried elsewhere.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if options.scheduler:
        try:
            client = Client(options.scheduler, timeout=WAIT_FOR_SCHEDULER)
        except (OSError, ValueError, TimeoutError) as error:
            raise Refusal(
                f"no scheduler answers (--scheduler {options.scheduler}): {error}. Start 'dask scheduler', or check the address.", 1
            ) from None
        try:
            client.wait_for_workers(1, timeout=WAIT_FOR_WORKERS)
        except TimeoutError:
            client.close()
            raise Refusal(
                f"the scheduler has no workers (--scheduler {options.scheduler}). Start 'dask worker {options.scheduler} --nthreads 1'.", 1
            ) from None
        return client, None, options.threads
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    scratch = tempfile.TemporaryDirectory(prefix="hearth-sweep-")
    cluster = LocalCluster(
        n_workers=options.workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None, memory_limit=0,
        local_directory=scratch.name, silence_logs=logging.CRITICAL)
    cluster.scratch = scratch
    return Client(cluster), cluster, options.threads or max(1, cpus // options.workers)


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    options = arguments()
    # A shell starts background jobs with Ctrl-C ignored.
    signal.signal(signal.SIGINT, interrupt)
    signal.signal(signal.SIGTERM, interrupt)
    client = cluster = None
    status = 1
    try:
        sweep = Sweep(options)
        client, cluster, threads = connect(options)
        status = sweep.merge(sweep.run(client, threads))
    except Refusal as refusal:
        text = str(refusal)
        print(text if text.startswith("hearth: error") else f"sweep: error: {text}", file=sys.stderr)
        status = refusal.status
    except OSError as error:
        place = error.filename or options.output
        print(f"sweep: error: {error.strerror or error} ({place}). Check the path and its permissions.", file=sys.stderr)
    except KeyboardInterrupt:
        say("interrupted; the same command resumes from here")
        status = worker.INTERRUPTED
    finally:
        # A second Ctrl-C does not leave processes behind.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        close(client, cluster)
    return status


def close(client, cluster):
    """Withdraws the tasks, whose workers then end their processes, and stops the workers that were started here."""
    for step in (
        lambda: client and client.cancel(list(client.futures), force=True), lambda: client and client.close(timeout=5),
        lambda: cluster and cluster.close(timeout=5), lambda: cluster and cluster.scratch.cleanup(),
    ):
        try:
            step()
        except Exception as error:
            logging.getLogger("sweep").debug("%s", error)


if __name__ == "__main__":
    sys.exit(main())
