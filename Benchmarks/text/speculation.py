#!/usr/bin/env python3
"""What drafting ahead may bring: the next tokens are guessed, one step computes them all, and those that the model chooses too
are kept.

    python speculation.py stories --model MODEL --out stories.json    texts of the app's wishes, as token ids
    python speculation.py cost --model MODEL                          steps of n tokens beside one token
    python speculation.py expect stories.json --costs 1,1.2,…         tokens for each step, and speed, of every kind of draft
    python speculation.py speed --model MODEL                         stories with and without drafts, in turn

`expect` replays the texts: a draft of n tokens gives as many as are right, and one more. --table names a file of
Training/make_draft.py. --hearth names the program.
"""

import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(ROOT / "Training"))
MOST = 7  # tokens of a draft: with the one before them, the eight rows of logits that a session keeps


def hearth(a, *words):
    command = [a.hearth, *map(str, words), *(["--threads", str(a.threads)] if a.threads else []), "--json"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


def prompts(a):
    """The words of `hearth generate` for each story: those of the app."""
    import chat

    wishes = json.loads((ROOT / "Sources/HearthStory/Resources/wishes.json").read_text())["wishes"]
    for wish in wishes[:: a.every]:
        words = ["generate", "--model", a.model, "--system", chat.SYSTEM, "--chat", chat.PROMPT.format(wish["title"]["en"])]
        for seed in range(5000, 5000 + a.seeds):
            yield [*words, "--max-tokens", 600, "--seed", seed]


def stories(a):
    rows = [{"greedy": False, **hearth(a, *words)} for words in prompts(a)]
    rows += [{"greedy": True, **hearth(a, *words, "--greedy")} for words in prompts(argparse.Namespace(**{**vars(a), "seeds": 1}))]
    json.dump([{key: row[key] for key in ("greedy", "tokens", "stop")} for row in rows], open(a.out, "w"))


def cost(a):
    """Each length by itself in a process of its own, in turn; the fastest of each, since neighbours only ever add."""
    rows = {n: [] for n in a.steps}
    for _ in range(a.runs):
        for n in a.steps:
            result = hearth(a, "bench", "text", "--model", a.model, "--steps", n, "--prompts", 8, "--contexts", 100,
                            "--tokens", 8, "--runs", 15)
            rows[n].append(result["steps"][0]["milliseconds"])
    one = min(rows[a.steps[0]])
    for n, ms in rows.items():
        print(f"{n:3} tokens {min(ms):8.3f} ms   {min(ms) / one:5.2f} x   {n * one / min(ms):5.2f} tokens in the time of one")


class Table:
    """Reads a file of make_draft.py."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        places = [struct.unpack_from("<IIQQ", data, 32 + 24 * n)[2:] for n in range(2)]
        _, self.order = struct.unpack_from("<2I", data, places[0][0])
        offset, count = places[1]
        self.slots = struct.unpack_from(f"<{count}I", data, offset)
        self.shift = 64 - (count // 4).bit_length() + 1

    def next(self, text):
        h, best = 0, (None, 0.0)
        for length, token in enumerate(reversed(text[-self.order:]), 1):
            h = ((h ^ (token + 1)) * 0x9E3779B97F4A7C15) % (1 << 64)
            h ^= h >> 29
            first = (h >> self.shift) * 4
            for slot in self.slots[first:first + 4]:
                if slot >> 16 & 15 and slot >> 20 == h & 0xFFF:
                    best = (slot & 0xFFFF, ((slot >> 16 & 15) + 0.5) / 16)
                    break
        return best


class Lookup:
    """The text's own words: what followed the last run of at least `shortest` tokens the last time."""

    def __init__(self, shortest, longest=4):
        self.shortest, self.longest, self.places = shortest, longest, {}
        self.seen = 0

    def begin(self, text):
        """Takes note of new tokens that were written."""
        for end in range(max(self.seen, 1), len(text)):
            for n in range(self.shortest, self.longest + 1):
                if end >= n:
                    self.places[tuple(text[end - n:end])] = end
        self.seen = len(text)
        self.source = text
        self.place = next((self.places[key] for n in range(self.longest, self.shortest - 1, -1)
                           if (key := tuple(text[-n:])) in self.places), None)

    def next(self, text):
        at = None if self.place is None else self.place + len(text) - self.seen
        return (None, 0.0) if at is None or at >= len(self.source) else (self.source[at], 0.9)


def replay(row, opening, draft, most, threshold):
    """Lengths of the steps that write a text, and how many of their tokens were guessed right."""
    text, end = opening + row["tokens"], len(opening)
    if row["stop"] == "end":
        text = text + [-2]  # the end of the turn: what follows the last token, never drafted
    steps = [0] * (MOST + 2)
    hits = 0
    end += 1  # the prompt's step gives the first token
    while end < len(text):
        now = text[:end]
        if isinstance(draft, Lookup):
            draft.begin(now)
        chance, guessed = 1.0, []
        while len(guessed) < most:
            token, confidence = draft.next(now + guessed)
            chance *= confidence
            if token is None or chance < threshold:
                break
            guessed.append(token)
        right = 0
        while right < len(guessed) and end + right < len(text) and guessed[right] == text[end + right]:
            right += 1
        steps[len(guessed) + 1] += 1
        hits += min(right, len(text) - end)
        end += right + 1
    return steps, hits


def expect(a):
    rows = json.load(open(a.stories))
    costs = [0.0] + a.costs
    while len(costs) < MOST + 2:
        costs.append(costs[-1] + (costs[-1] - costs[-2]))
    kinds = [(f"own words, runs of {n} on", lambda n=n: Lookup(n), [0.0]) for n in (1, 2, 3)]
    for path in a.table:
        table = Table(path)
        kinds.append((os.path.basename(path), lambda table=table: table, a.thresholds))
    print(f"{'draft':28} most  from   {'sampled: right  tokens/step  speed':36} greedy: right  tokens/step  speed")
    for name, make, thresholds in kinds:
        for most in a.most:
            for threshold in thresholds:
                line = f"{name:28} {most:4}  {threshold:4.2f}   "
                for greedy in (False, True):
                    total, hits, tokens = [0] * (MOST + 2), 0, 0
                    for row in rows:
                        if row["greedy"] == greedy:
                            steps, right = replay(row, a.opening, make(), most, threshold)
                            total = [x + y for x, y in zip(total, steps)]
                            hits += right
                            tokens += right
                    count = sum(total)
                    tokens += count
                    guessed = sum((n - 1) * k for n, k in enumerate(total) if n > 0)
                    time = sum(costs[n] * k for n, k in enumerate(total))
                    line += f"{hits / max(guessed, 1):14.2f} {tokens / count:12.2f} {tokens / time:6.2f}   "
                print(line, flush=True)


def speed(a):
    ratios, plain, drafted = [], [], []
    for words in prompts(a):
        pair = []
        for option in (["--no-drafts"], []):
            runs = [hearth(a, *words, *option) for _ in range(a.runs)]
            assert all(run["tokens"] == runs[0]["tokens"] for run in runs)
            pair.append((runs[0]["tokens"], max(run["tokensPerSecond"] for run in runs)))
        assert pair[0][0] == pair[1][0], "drafts changed a text"
        plain.append(pair[0][1])
        drafted.append(pair[1][1])
        ratios.append(drafted[-1] / plain[-1])
    print(f"{len(ratios)} stories, the same token for token: {statistics.median(plain):.0f} tokens/s without drafts, "
          f"{statistics.median(drafted):.0f} with; ratio {statistics.median(ratios):.2f} [{min(ratios):.2f}..{max(ratios):.2f}]")


def main():
    numbers = lambda kind: lambda text: [kind(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["stories", "cost", "expect", "speed"])
    parser.add_argument("stories", nargs="?")
    parser.add_argument("--model")
    parser.add_argument("--hearth", default=str(ROOT / ".build/release/hearth"))
    parser.add_argument("--out", default="stories.json")
    parser.add_argument("--seeds", type=int, default=4, help="stories of each wish")
    parser.add_argument("--every", type=int, default=1, help="takes one wish of so many")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--steps", type=numbers(int), default=[1, 2, 3, 4, 6, 8])
    parser.add_argument("--costs", type=numbers(float), default=[1.0], help="of steps of 1, 2, 3… tokens")
    parser.add_argument("--most", type=numbers(int), default=[4, 7], help="tokens of a draft")
    parser.add_argument("--thresholds", type=numbers(float), default=[0.3, 0.45, 0.6], help="least chance of a drafted token")
    parser.add_argument("--table", nargs="*", default=[])
    parser.add_argument("--opening", type=numbers(int), default=[4, 3975, 4010, 435, 6], help="ids in front of each story")
    a = parser.parse_args()
    {"stories": stories, "cost": cost, "expect": expect, "speed": speed}[a.what](a)


if __name__ == "__main__":
    main()
