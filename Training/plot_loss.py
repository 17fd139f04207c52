"""Draw runs/log.csv as loss.svg.

    python plot_loss.py [MILLION_TOKENS ...]     # dashed lines there
"""

import csv
import pathlib
import sys

from plans import RUNS

HERE = pathlib.Path(__file__).resolve().parent
W, H, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 56, 16, 24, 48


def main():
    rows = list(csv.DictReader((RUNS / "log.csv").open()))
    tokens = lambda r: int(r["tokens"]) / 1e6
    train = [(tokens(r), float(r["train"])) for r in rows]
    held = {name: [(tokens(r), float(r[name])) for r in rows if r[name]] for name in ("plots", "tellings")}
    right = max(x for x, _ in train)
    low, high = 0.0, 6.0
    px = lambda x: LEFT + (W - LEFT - RIGHT) * x / right
    py = lambda y: TOP + (H - TOP - BOTTOM) * (high - min(max(y, low), high)) / (high - low)
    line = lambda points: " ".join(f"{px(x):.1f},{py(y):.1f}" for x, y in points)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {W} {H}" font-family="sans-serif" font-size="12">',
           f'<rect width="{W}" height="{H}" fill="#ffffff"/>']
    for y in range(int(low), int(high) + 1):
        out.append(f'<line x1="{LEFT}" x2="{W - RIGHT}" y1="{py(y):.1f}" y2="{py(y):.1f}" stroke="#dddddd"/>'
                   f'<text x="{LEFT - 8}" y="{py(y) + 4:.1f}" text-anchor="end">{y}</text>')
    step = max(1, round(right / 8))
    for x in range(0, int(right) + 1, step):
        out.append(f'<text x="{px(x):.1f}" y="{H - BOTTOM + 18}" text-anchor="middle">{x}</text>')
    for mark in sys.argv[1:]:
        x = px(float(mark))
        out.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{H - BOTTOM}" stroke="#888888" stroke-dasharray="4 3"/>')
    out += [
        f'<text x="{(W + LEFT) / 2}" y="{H - 8}" text-anchor="middle">million tokens seen</text>',
        f'<text x="14" y="{H / 2}" text-anchor="middle" transform="rotate(-90 14 {H / 2})">loss per answer token (nats)</text>',
        f'<polyline points="{line(train)}" fill="none" stroke="#7a8fb8" stroke-width="1.2"/>',
        f'<polyline points="{line(held["plots"])}" fill="none" stroke="#c2571a" stroke-width="2"/>',
        f'<polyline points="{line(held["tellings"])}" fill="none" stroke="#3d8a4f" stroke-width="2"/>',
        f'<text x="{W - RIGHT - 8}" y="{TOP + 14}" text-anchor="end" fill="#52658c">training</text>',
        f'<text x="{W - RIGHT - 8}" y="{TOP + 30}" text-anchor="end" fill="#c2571a">held-out plots</text>',
        f'<text x="{W - RIGHT - 8}" y="{TOP + 46}" text-anchor="end" fill="#3d8a4f">other tellings of known plots</text>',
        "</svg>",
    ]
    (HERE / "loss.svg").write_text("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
