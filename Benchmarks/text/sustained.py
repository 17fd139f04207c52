#!/usr/bin/env python3
"""Draws what minutes of writing without a pause do to speed and memory.

    hearth bench text --model MODEL --prompts 64 --contexts 128 --minutes 10 --json > run.json
    python sustained.py run.json [NAME=other.json …] --out sustained.svg
    python sustained.py --model MODEL --minutes 1 --out sustained.svg       runs it as well

Above, tokens a second; below, megabytes: resident and written (dirty). Each point is one of the run's samples.
"""

import argparse
import json
import os
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
W, LEFT, RIGHT, TOP, PANEL, GAP = 720, 64, 16, 30, 170, 36
COLORS = ["#c2571a", "#3b6ea5", "#4d8a4a", "#7a4fa0"]


def nice(most):
    """The step of a scale that has some five lines, and the scale's end."""
    if most <= 0:
        return 1.0, 1.0
    unit = 10.0 ** len(str(int(most))) / 100
    step = next(s * unit * 10 ** k for k in range(4) for s in (1, 2, 5) if most / (s * unit * 10 ** k) <= 6)
    lines = -(-most // step)
    return step, lines * step


def panel(out, top, title, minutes, series):
    """One diagram: lines of (name, color, dashes, points)."""
    step, end = nice(max((y for *_, points in series for _, y in points), default=0))
    px = lambda x: LEFT + (W - LEFT - RIGHT) * x / max(minutes, 1e-9)
    py = lambda y: top + PANEL * (1 - y / end)
    out.append(f'<text x="{LEFT}" y="{top - 10}" font-weight="bold">{title}</text>')
    y = 0.0
    while y <= end * 1.0001:
        out.append(f'<line x1="{LEFT}" x2="{W - RIGHT}" y1="{py(y):.1f}" y2="{py(y):.1f}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 8}" y="{py(y) + 4:.1f}" text-anchor="end">{y:g}</text>')
        y += step
    for name, color, dashes, points in series:
        line = " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="1.5"{dashes}>'
                   f"<title>{name}</title></polyline>")
    across = nice(minutes)[0]
    x = 0.0
    while x <= minutes * 1.0001:
        out.append(f'<text x="{px(x):.1f}" y="{top + PANEL + 16}" text-anchor="middle">{x:g}</text>')
        x += across


def draw(runs):
    minutes = max(run["sustained"]["minutes"] for run in runs.values())
    height = TOP + 2 * (PANEL + GAP) + 34 + 18 * len(runs)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {height}" font-family="sans-serif" font-size="12">',
           f'<rect width="{W}" height="{height}" fill="#ffffff"/>']
    speed, memory = [], []
    for color, (name, run) in zip(COLORS, runs.items()):
        samples = run["sustained"]["samples"]
        at = [s["seconds"] / 60 for s in samples]
        speed.append((name, color, "", [(x, s["tokensPerSecond"]) for x, s in zip(at, samples)]))
        memory.append((f"{name}, resident", color, ' stroke-dasharray="5 3"',
                       [(x, s["residentBytes"] / 1e6) for x, s in zip(at, samples)]))
        memory.append((f"{name}, written", color, "", [(x, s["dirtyBytes"] / 1e6) for x, s in zip(at, samples)]))
    panel(out, TOP, "tokens a second", minutes, speed)
    second = TOP + PANEL + GAP + 14
    panel(out, second, "megabytes: resident (dashed) and written", minutes, memory)
    out.append(f'<text x="{(W + LEFT) / 2}" y="{second + PANEL + 32}" text-anchor="middle">minutes</text>')
    for row, (color, (name, run)) in enumerate(zip(COLORS, runs.items())):
        y = second + PANEL + 50 + 18 * row
        kept = run["sustained"]
        out.append(f'<line x1="{LEFT}" x2="{LEFT + 24}" y1="{y - 4}" y2="{y - 4}" stroke="{color}" stroke-width="3"/>'
                   f'<text x="{LEFT + 32}" y="{y}">{name}: {kept["tokens"]} tokens, last tenth over first '
                   f'{kept["steadiness"]:.2f}, written memory {kept["dirtyBytesPerMinute"] / 1000:+.1f} KB a minute</text>')
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="*", metavar="[NAME=]FILE")
    parser.add_argument("--model")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--hearth", default=str(HERE / "../../.build/release/hearth"))
    parser.add_argument("--out", default="sustained.svg")
    a = parser.parse_args()
    runs = {}
    for word in a.runs[:len(COLORS)]:
        name, equals, path = word.partition("=")
        path = path if equals else word
        runs[name if equals else pathlib.Path(path).stem] = json.loads(pathlib.Path(path).read_text())
    if a.model:
        # As long as the bundled model's context allows.
        lengths = ["--prompts", "64", "--contexts", "128", "--tokens", "128"]
        command = [a.hearth, "bench", "text", "--model", a.model, "--runs", "1", *lengths, "--minutes", str(a.minutes),
                   "--json"]
        found = subprocess.run(command, check=True, capture_output=True, text=True, env=dict(os.environ)).stdout
        runs[pathlib.Path(a.model).stem] = json.loads(found)
    if not runs:
        parser.error("nothing to draw: pass --model or files of 'hearth bench text --minutes M --json'")
    pathlib.Path(a.out).write_text(draw(runs))


if __name__ == "__main__":
    main()
