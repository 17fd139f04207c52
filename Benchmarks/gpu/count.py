#!/usr/bin/env python3
"""What the GPU shaders execute and read for a token and for a prompt, counted in their SPIR-V; nothing is timed.

    count.py [--form checked-in] [--subgroup 64] [--shaders FOLDER] [--json FILE]   tables of all models; needs spirv-tools

One workgroup of each kind of dispatch is run by an interpreter (spirv.py), and its counts are multiplied. See README.md.
"""

import argparse
import collections
import json
from pathlib import Path

from spirv import CLASSES, Shader, Unknown, disassemble, optimized
from words import Address, Memory

SHADERS = Path(__file__).resolve().parents[2] / "Sources/CHearthShaders/Files"
# Names, numbers and blocks (values, bytes) of formats.
F16, Q4_0, Q8_0, Q6_K = 1, 2, 8, 14
BLOCKS = {Q4_0: (32, 18), Q8_0: (32, 34), Q6_K: (256, 210)}
NAMES = {Q4_0: "Q4_0", Q8_0: "Q8_0", Q6_K: "Q6_K"}
# As Sources/HearthGPU/GPUCommands.swift has them: tokens and rows of a workgroup of a product, and its threads.
TOKENS, ROWS, GROUP = 8, 16, 64
# Tokens of a prompt that are computed together, and layers of Gemma 3 of which the last one has no window.
STEP, PERIOD = 256, 6

# As Benchmarks/text/make_model.py has them.
Model = collections.namedtuple(
    "Model", "layers width forward heads cache_heads head vocabulary window format embedding has_norms")
MODELS = {
    "270M Q8_0": Model(18, 640, 2048, 4, 1, 256, 262144, 512, Q8_0, Q8_0, True),
    "2B Q4_0": Model(18, 2048, 16384, 8, 1, 256, 256000, 0, Q4_0, Q6_K, False),
}


def place(number):
    return Address(Memory.address(number))


def row_bytes(format, columns):
    values, size = BLOCKS[format]
    return columns // values * size


class Total:
    """Counts of workgroups, added up."""

    def __init__(self):
        self.classes = collections.Counter()
        self.slots = 0
        self.traffic = {}

    def add(self, other, factor=1, axes=None):
        """`axes`: a factor of different bytes for each buffer."""
        for name, count in other.classes.items():
            self.classes[name] += factor * count
        self.slots += factor * other.slots
        for number, (loaded, stored, loads, stores) in other.traffic.items():
            own = self.traffic.get(number, (0, 0, 0, 0))
            apart = axes[number] if axes else factor
            new = (factor * loaded, factor * stored, apart * loads, apart * stores)
            self.traffic[number] = tuple(a + b for a, b in zip(own, new))
        return self

    @property
    def instructions(self):
        return sum(self.classes[name] for name in CLASSES)

    def bytes(self):
        """(requested, different) bytes, loads and stores together."""
        return (
            sum(loaded + stored for loaded, stored, _, _ in self.traffic.values()),
            sum(loads + stores for _, _, loads, stores in self.traffic.values()))


def between(a, b, at_a, at_b, at):
    """What lies on the straight line through two totals."""
    return Total().add(a).add(b, (at - at_a) / (at_b - at_a)).add(a, -(at - at_a) / (at_b - at_a))


class Counter:
    """Counts dispatches with one form of the shaders; each kind of workgroup is run once."""

    def __init__(self, uses_subgroups, is_optimized=True, subgroup=32, folder=SHADERS):
        self.uses_subgroups, self.is_optimized, self.subgroup, self.folder = uses_subgroups, is_optimized, subgroup, folder
        self.shaders, self.found = {}, {}

    def shader(self, name, constants=()):
        if (name, constants) not in self.shaders:
            path = self.folder / f"{name}.subgroups.spv"
            if not self.uses_subgroups or not path.exists():
                path = self.folder / f"{name}.spv"
            shader = Shader(optimized(path, constants)) if self.is_optimized else Shader(disassemble(path), constants)
            self.shaders[name, constants] = shader
        return self.shaders[name, constants]

    def group(self, name, constants, arguments, groups=(1, 1), every=False, group=(0, 0)):
        """A workgroup, or with `every` all of the first row."""
        key = name, constants, tuple(arguments), groups, every, group
        if key not in self.found:
            total, memory = Total(), Memory()
            for x in range(groups[0]) if every else [group[0]]:
                ran = self.shader(name, constants).run(memory, arguments, (x, group[1]), groups, self.subgroup)
                ran.traffic, traffic = {}, ran.traffic
                total.add(ran)
            total.traffic = traffic
            self.found[key] = total
        return self.found[key]

    def product(self, format, rows, columns, tokens):
        eights, at_once = columns // 8, 1 if tokens == 1 else TOKENS

        def run(eights):
            of_row = row_bytes(format, 8 * eights)
            arguments = [place(0), place(1), place(2), GROUP, eights, of_row, 8 * eights, GROUP, at_once, 0, 1.0, 0.0]
            return self.group("product", (format, at_once), arguments, (GROUP, 1))

        # The work for one more round of units is always the same.
        first, second = 64, 128
        one = run(eights) if eights % first else between(run(first), run(second), first, second, eights)
        x, y = rows // ROWS, -(-tokens // at_once)
        return Total().add(one, x * y, {0: x, 1: y, 2: x * y})

    def attention(self, model, tokens, position, window):
        width, heads = model.head, model.heads

        def run(positions):
            arguments = [place(i) for i in range(4)]
            arguments += [heads, model.cache_heads, width, heads * width, heads * width, positions - 1, 0, 0.0625, 0.0]
            return self.group("attention", (F16,), arguments, (heads, 1))

        # Every 64 positions take the same. The others grow evenly until they fill a subgroup, none of whose threads is idle then.
        block = between(run(GROUP), run(2 * GROUP), GROUP, 2 * GROUP, 2 * GROUP).add(run(GROUP), -1)

        def some(rest):
            first, last = (rest - 1) // self.subgroup * self.subgroup + 1, (rest // self.subgroup + 1) * self.subgroup - 1
            if rest % self.subgroup == 0 or first == last:
                return Total().add(run(rest))
            return between(run(first), run(last), first, last, rest)

        total = Total()
        for query in range(tokens):
            seen = min(position + query + 1, window or 1 << 30)
            blocks, rest = (seen - 1) // GROUP, (seen - 1) % GROUP + 1
            one = some(rest).add(block, blocks)
            # All heads share the keys and values, of which the last query sees all.
            last = 1 if query == tokens - 1 else 0
            total.add(one, heads, {0: heads, 1: last, 2: last, 3: heads})
        return total

    def rows(self, name, constants, arguments, x, y, by_row):
        """A dispatch whose workgroups in x are run all; `by_row`: whether each row has an own part of a buffer."""
        return Total().add(self.group(name, constants, arguments, (x, 1), True), y, [y if own else 1 for own in by_row])

    def norm(self, width, heads, count, has_gain, adds):
        gain = place(1) if has_gain else Address(0)
        arguments = [place(0), gain, place(2), width, heads * width, heads * width, adds, 1e-6]
        return self.rows("norm", (), arguments, heads, count, [True, False, True])

    def rotary(self, width, heads, count):
        arguments = [place(0), place(1), heads, width, heads * width]
        return self.rows("rotary", (), arguments, -(-heads * width // 2 // GROUP), count, [True, True])

    def store(self, width, heads, count):
        arguments = [place(0), place(1), heads, width, heads * width, 0]
        return self.rows("store", (F16,), arguments, -(-heads * width // 2 // GROUP), count, [True, True])

    def gate(self, width, count):
        arguments = [place(0), place(1), width, 2 * width, 2 * width]
        return self.rows("gate", (), arguments, -(-width // GROUP), count, [True, True])

    def embed(self, format, columns, count):
        arguments = [place(0), place(1), place(2), columns // 8, row_bytes(format, columns), columns, 1000, 25.0]
        return self.rows("embed", (format,), arguments, -(-columns // 8 // GROUP), count, [True, True, True])


class Work:
    """All dispatches of a token or a prompt, by shader."""

    def __init__(self, counter, model):
        self.counter, self.model = counter, model
        self.totals, self.dispatches = {}, collections.Counter()
        # Multiply-adds and bytes of the ideal.
        self.products, self.ideal = collections.Counter(), collections.Counter()
        self.once = {}

    def add(self, name, total, products=0, ideal=0):
        self.totals.setdefault(name, Total()).add(total)
        self.dispatches[name] += 1
        self.products[name] += products
        self.ideal[name] += ideal

    def multiply(self, format, rows, columns, count):
        name = f"product {NAMES[format]}" + (", 8 rows" if count > 1 else "")
        self.add(
            name, self.counter.product(format, rows, columns, count), rows * columns * count,
            rows * row_bytes(format, columns) + 4 * count * (rows + columns))

    def step(self, count, position, wanted):
        """Tokens through all layers, as GemmaGPUPass+Layer.swift has it; the last layer only for those that are wanted."""
        m, c = self.model, self.counter
        queries, keys = m.heads * m.head, m.cache_heads * m.head
        self.add("embed", c.embed(m.embedding, m.width, count))
        for layer in range(m.layers):
            self.add("norm", c.norm(m.width, 1, count, True, 0))
            for rows in (queries, keys, keys):
                self.multiply(m.format, rows, m.width, count)
            if m.has_norms:
                self.add("norm", c.norm(m.head, m.cache_heads, count, True, 0))
            self.add("rotary", c.rotary(m.head, m.cache_heads, count))
            for _ in range(2):
                self.add("store", c.store(m.head, m.cache_heads, count))
            skipped = 0
            if layer == m.layers - 1:
                skipped, count = count - wanted, wanted
            if count == 0:
                return
            if m.has_norms:
                self.add("norm", c.norm(m.head, m.heads, count, True, 0))
            self.add("rotary", c.rotary(m.head, m.heads, count))
            window = m.window if m.window and layer % PERIOD != PERIOD - 1 else 0
            first = position + skipped
            seen = [min(first + i + 1, window or 1 << 30) for i in range(count)]
            before = min(first, (window or 1 << 30) - 1)
            self.add(
                "attention", c.attention(m, count, first, window), 2 * sum(seen) * queries,
                2 * 2 * (before + count) * keys + 4 * 2 * count * queries)
            self.multiply(m.format, m.width, queries, count)
            self.add("norm", c.norm(m.width, 1, count, m.has_norms, 1))
            self.add("norm", c.norm(m.width, 1, count, True, 0))
            for _ in range(2):
                self.multiply(m.format, m.forward, m.width, count)
            self.add("gate", c.gate(m.forward, count))
            self.multiply(m.format, m.width, m.forward, count)
            self.add("norm", c.norm(m.width, 1, count, m.has_norms, 1))

    def head(self):
        m = self.model
        self.add("norm", self.counter.norm(m.width, 1, 1, True, 0))
        self.multiply(m.embedding, m.vocabulary, m.width, 1)

    def token(self, position):
        self.step(1, position, 1)
        self.head()
        return self

    def prompt(self, count):
        for first in range(0, count, STEP):
            now = min(STEP, count - first)
            self.step(now, first, 1 if first + now == count else 0)
        self.head()
        return self

    def table(self):
        whole = Total()
        rows = []
        for name, total in sorted(self.totals.items(), key=lambda entry: -entry[1].instructions):
            whole.add(total)
            rows.append(self.row(name, total, self.dispatches[name], self.products[name], self.ideal[name]))
        sums = [sum(of.values()) for of in (self.dispatches, self.products, self.ideal)]
        return rows + [self.row("in all", whole, *sums)]

    @staticmethod
    def row(name, total, dispatches, products, ideal):
        requested, different = total.bytes()
        return {
            "shader": name, "dispatches": dispatches, "instructions": round(total.instructions), "slots": round(total.slots),
            "classes": {name: round(count) for name, count in sorted(total.classes.items())},
            "requested": round(requested), "different": round(different), "products": products, "ideal": ideal,
            "loads": [round(total.traffic.get(number, (0,))[0]) for number in range(4)]}


def tables(form, subgroup, folder=SHADERS):
    """Rows of all models and kinds of work: portable, and with subgroups."""
    counters = [Counter(uses, form != "checked-in", subgroup, folder) for uses in (False, True)]
    found = {}
    for name, model in MODELS.items():
        for kind, run in (("token", lambda work: work.token(512)), ("prompt", lambda work: work.prompt(512))):
            found[f"{name}, {kind}"] = [run(Work(counter, model)).table() for counter in counters]
    return found


def number(value, unit=1e6):
    value /= unit
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:,.0f}"


def show(title, portable, subgroups):
    """Each pair of columns: portable, and with subgroups."""
    print(f"\n**{title}**\n")
    columns = "dispatches | instructions, M | | to the ideal | | slots used | | MB asked for | to the ideal | different MB | ideal"
    print(f"| | {columns} |")
    print("|---|" + "---:|" * 11)
    of_name = {row["shader"]: row for row in subgroups}
    for a in portable:
        b = of_name[a["shader"]]
        assert a["requested"] == b["requested"], a["shader"]
        ratio = [f"{row['instructions'] / row['products']:.1f}" if row["products"] else "–" for row in (a, b)]
        used = [f"{100 * row['instructions'] / row['slots']:.0f} %" for row in (a, b)]
        ideal = [f"{a['requested'] / a['ideal']:.1f}", number(a["different"]), number(a["ideal"])] if a["ideal"] else [
            "–", number(a["different"]), "–"]
        print(
            f"| {a['shader']} | {a['dispatches']} | {number(a['instructions'])} | {number(b['instructions'])} "
            f"| {' | '.join(ratio)} | {' | '.join(used)} | {number(a['requested'])} | {' | '.join(ideal)} |")


def show_parts(found):
    """What the products and attention execute and load for each multiply-add; the first row of each kind."""
    print("\n**For each multiply-add**\n")
    print("| | float | integer | memory | shared | control | sync | in all | private | bytes loaded by buffer |")
    print("|---|" + "---:|" * 8 + "---|")
    shown = set()
    for both in found.values():
        for form, rows in zip(("portable", "subgroups"), both):
            for row in rows:
                # Products have one form.
                name = row["shader"] if "product" in row["shader"] else f"{row['shader']}, {form}"
                products = row["products"]
                if not products or row["shader"] == "in all" or name in shown:
                    continue
                shown.add(name)
                parts = [row["classes"].get(part, 0) / products for part in CLASSES]
                parts += [sum(parts), row["classes"].get("private", 0) / products]
                loads = " + ".join(f"{loaded / products:.2f}" for loaded in row["loads"] if loaded)
                print(f"| {name} | {' | '.join(f'{part:.2f}' for part in parts)} | {loads} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--form", choices=["specialized", "checked-in"], default="specialized")
    parser.add_argument("--subgroup", type=int, choices=[8, 16, 32, 64], default=32, help="threads of a subgroup (32)")
    parser.add_argument("--shaders", type=Path, default=SHADERS, help="folder of other SPIR-V, to compare a draft")
    parser.add_argument("--json", help="file for all counts")
    options = parser.parse_args()
    try:
        found = tables(options.form, options.subgroup, options.shaders)
    except (FileNotFoundError, RuntimeError, Unknown) as error:
        raise SystemExit(f"count: error: {error}")
    for title, both in found.items():
        show(title, *both)
    show_parts(found)
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
