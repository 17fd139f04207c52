#!/usr/bin/env python3
"""Draws what bars.py measured as bars.svg: ratios, their ranges and their bars, by model and machine. Prints them as a table too.

    python plot.py results/*.json [-o bars.svg] [--readme ../README.md]

--readme puts the table between the page's marks, in place of the one that is there.
"""

import argparse
import json
import os
import re
from xml.sax.saxutils import escape

HERE = os.path.dirname(os.path.abspath(__file__))
WIDTH, LEFT, RIGHT, ROW, HEAD = 800, 306, 182, 19, 58
# (title, kinds in their order with their names); the first panel's ratios are better the larger they are, the second's the smaller.
PANELS = [
    ("Speed, as a multiple of llama.cpp's", True, [
        ("decode", "decoding"), ("prefill", "reading a prompt"), ("neighbour", "decoding, a busy neighbour"),
        ("batch", "eight texts at once")]),
    ("Time and memory, as a share of llama.cpp's", False, [
        ("warm", "start to first token"), ("first", "first start ever"), ("cold", "start, nothing in memory"),
        ("resident", "peak resident memory")]),
    ("Speed, as a share of our own", True, [
        ("neighbour-own", "neighbour, over one thread"), ("long", "behind 4096 tokens, over 128"),
        ("batch-own", "eight texts at once, over one")]),
]
STYLE = """
  text { font: 12px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 13px } .quiet { fill: #59636e }
  .grid { stroke: #d9dee3 } .range { stroke: #2f6fb4; stroke-width: 2 } .met { fill: #2f6fb4 }
  .missed { fill: #ffffff; stroke: #b3420c; stroke-width: 2 } .missed-range { stroke: #b3420c; stroke-width: 2 }
  .limit { stroke: #1f2328; stroke-width: 2 } .ground { fill: #ffffff } .miss { fill: #b3420c }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 } .quiet { fill: #9da7b1 } .grid { stroke: #30363d } .ground { fill: #0d1117 }
    .range { stroke: #6cb0f5 } .met { fill: #6cb0f5 } .limit { stroke: #e6edf3 }
    .missed { fill: #0d1117; stroke: #f0883e } .missed-range { stroke: #f0883e } .miss { fill: #f0883e }
  }
"""


def short(model):
    """'gemma3-270m-q8_0.gguf' → 'gemma3 270m'."""
    words = re.sub(r"\.gguf$", "", model).split("-")
    return " ".join(word for word in words if not re.match(r"[qf]\d", word))


def maker(record):
    """'Intel(R) Xeon(R) Processor' → 'Intel'."""
    return re.sub(r"\(.*", "", record["processor"].split()[0])


def labels(records):
    """The model of each record, with the machine where there are several."""
    several = len({record["processor"] for record in records}) > 1
    return [short(record["model"]) + (f", {maker(record)}" if several else "") for record in records]


def machines(records):
    """The records of each machine."""
    found = {}
    for record in records:
        found.setdefault((record["processor"], record["date"]), []).append(record)
    return list(found.values())


def rows_of(kinds, records):
    """[(what is measured, or None below its first row; model; the row of bars.py)]"""
    found = []
    for kind, name in kinds:
        for record, label in zip(records, labels(records)):
            row = next((row for row in record["bars"] if row["bar"] == kind), None)
            if row:
                found.append((None if found and found[-1][3] == kind else name, label, row, kind))
    return found


def scale(rows, more):
    """(largest value of the axis, its step)"""
    largest = max(max(row["ratio"], row["limit"] or 0, min(row["high"], 1.5 * row["ratio"])) for _, _, row, _ in rows)
    largest = max(largest, 1.0) * 1.02
    step = next(step for step in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 1e9) if largest / step <= 8)
    return (int(largest / step) + 1) * step if more else max(1.0, largest), step


def panel(out, top, title, more, rows):
    most, step = scale(rows, more)
    x = lambda value: LEFT + (WIDTH - LEFT - RIGHT) * min(value, most) / most
    bottom = top + 34 + ROW * len(rows)
    out.append(f'<text class="title" x="16" y="{top + 12}">{escape(title)}</text>')
    out.append(f'<text class="quiet" x="{WIDTH - 16}" y="{top + 12}" text-anchor="end">{"more" if more else "less"} is better</text>')
    for tick in range(int(most / step + 0.001) + 1):
        at = x(tick * step)
        out.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{top + 22}" y2="{bottom}"/>')
        out.append(f'<text class="quiet" x="{at:.1f}" y="{bottom + 14}" text-anchor="middle">{tick * step:g}</text>')
    for index, (name, model, row, _) in enumerate(rows):
        y = top + 34 + ROW * index
        if name:
            out.append(f'<text x="16" y="{y + 4}">{escape(name)}</text>')
        out.append(f'<text class="quiet" x="{LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(model)}</text>')
        missed = row.get("met") is False
        out.append(
            f'<line class="{"missed-range" if missed else "range"}" x1="{x(row["low"]):.1f}" x2="{x(row["high"]):.1f}" '
            f'y1="{y}" y2="{y}"/>')
        if row["limit"] is not None:
            at = x(row["limit"])
            out.append(f'<line class="limit" x1="{at:.1f}" x2="{at:.1f}" y1="{y - 7}" y2="{y + 7}"/>')
        out.append(f'<circle class="{"missed" if missed else "met"}" cx="{x(row["ratio"]):.1f}" cy="{y}" r="4"/>')
        said = f'{row["ratio"]:.2f}'
        if row["limit"] is not None:
            said += f' (bar {"≥" if more else "≤"} {row["limit"]:.2f}{", missed" if missed else ""})'
        out.append(f'<text class="{"miss" if missed else "quiet"}" x="{WIDTH - RIGHT + 12}" y="{y + 4}">{said}</text>')
    return bottom + 34


MARKS = ("<!-- bars -->", "<!-- /bars -->")


def circumstances(records):
    """What the figures of one machine were taken on, and what it could do at most while they were."""
    first, best = records[0], {}
    for record in records:
        for key, value in record["ceilings"].items():
            if isinstance(value, list) and key != "threads":
                best[key] = max(best.get(key, 0), value[1])
    said = [f"{first['processor']}, {first['threads']} threads, {first['peer']}, {first['date']}"]
    said.append("at most " + ", ".join(f"{best[key]:.0f} {unit}" for key, unit in (
        ("readGBs", "GB/s of reading"), ("int8GMACs", "GMAC/s of byte products"), ("int16GMACs", "GMAC/s of 16-bit pairs"))
        if key in best))
    others = [record["otherCores"] for record in records if record["otherCores"] is not None]
    if others:
        said.append(f"other processes took up to {max(others):.2f} cores")
    if first.get("activations") == 16:
        said.append("with activations of 16 bits, the default of that day")
    return "; ".join(said) + "."


def splice(path, text):
    with open(path) as file:
        page = file.read()
    if page.count(MARKS[0]) != 1 or page.count(MARKS[1]) != 1:
        raise SystemExit(f"{path} has no place for the table: {MARKS[0]} and {MARKS[1]}, once each")
    before, rest = page.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    with open(path, "w") as file:
        file.write(f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}")


def table(records):
    """The same figures in Markdown, with what was measured and with the share of the ceiling."""
    lines = ["| | " + " | ".join(labels(records)) + " |"]
    lines.append("|---|" + "---|" * len(records))
    number = lambda value: f"{value:.0f}" if value >= 100 else f"{value:.1f}"
    for kind in dict.fromkeys(row["bar"] for record in records for row in record["bars"]):
        cells, name = [], ""
        for record in records:
            row = next((row for row in record["bars"] if row["bar"] == kind), None)
            if not row:
                cells.append("")
                continue
            name = f"{row['name']}, {row['unit']}"
            cell = f"{number(row['hearth'])} to {number(row['other'])}: **{row['ratio']:.2f}** [{row['low']:.2f}..{row['high']:.2f}]"
            if "ofCeiling" in row:
                cell += f", {100 * row['ofCeiling']['hearth']:.0f} % of the ceiling ({100 * row['ofCeiling']['other']:.0f} %)"
            if row["limit"] is not None:
                cell += f"; bar {'≥' if row['moreIsBetter'] else '≤'} {row['limit']:g} {'met' if row['met'] else 'MISSED'}"
            cells.append(cell)
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("-o", "--output", default=os.path.join(HERE, "bars.svg"))
    parser.add_argument("--readme", help="page whose table is replaced")
    a = parser.parse_args()
    records = []
    for path in a.files:
        with open(path) as file:
            records.append(json.load(file))
    groups = machines(records)
    out, top = [], HEAD + ROW * (len(groups) - 1)
    for title, more, kinds in PANELS:
        rows = rows_of(kinds, records)
        if rows:
            top = panel(out, top, title, more, rows)
    about = [
        f'{first["processor"]}, {first["threads"]} threads; {first["peer"]}; {first["date"]}'
        + ("; activations of 16 bits" if first.get("activations") == 16 else "")
        for first, *_ in groups]
    key = "dot: median of pairs; line: their range; upright stroke: the bar; hollow: missed"
    text = "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {top}" role="img" '
        f'aria-label="Hearth beside llama.cpp: ratios, ranges and bars">',
        f"<style>{STYLE}</style>", f'<rect class="ground" width="{WIDTH}" height="{top}"/>',
        *(f'<text class="quiet" x="16" y="{22 + ROW * i}">{escape(line)}</text>' for i, line in enumerate(about)),
        f'<text class="quiet" x="16" y="{22 + ROW * len(about)}">{key}</text>',
        *out, "</svg>"])
    with open(a.output, "w") as file:
        file.write(text + "\n")
    found = "\n\n".join([*map(circumstances, groups), table(records)])
    print(found)
    if a.readme:
        splice(a.readme, found)


if __name__ == "__main__":
    main()
