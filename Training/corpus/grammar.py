"""A small template language for stories.

    [a|b|c]     one of the alternatives, nested as deep as wanted; an alternative may be empty
    {slot}      the value of a slot; a list is drawn from once and then kept for the whole story
    {?slot}     a fresh draw from a list, without replacement while entries remain
    {Slot}      as {slot}, first letter capitalised ({?Slot} likewise)

Slot values are templates themselves. `tidy` repairs "a"/"an", spacing and capital letters afterwards, so that
templates need not care.
"""

import random
import re


class Context:
    """The slots of one story and the dice that fill them."""

    def __init__(self, rng: random.Random, **slots):
        self.rng = rng
        self.slots = dict(slots)
        self.kept = {}  # list slots already drawn
        self.left = {}  # what remains of lists drawn with {?slot}

    def set(self, **slots):
        for name, value in slots.items():
            self.slots[name] = value
            self.kept.pop(name, None)
            self.left.pop(name, None)
        return self

    def __call__(self, template: str) -> str:
        return tidy(self._expand(template))

    def _expand(self, text: str) -> str:
        out, i = [], 0
        while i < len(text):
            c = text[i]
            if c == "[":
                options, i = _split(text, i)
                out.append(self._expand(self.rng.choice(options)))
            elif c == "{":
                j = text.index("}", i)
                out.append(self._slot(text[i + 1 : j]))
                i = j + 1
            else:
                out.append(c)
                i += 1
        return "".join(out)

    def _slot(self, name: str) -> str:
        fresh = name.startswith("?")
        name = name.lstrip("?")
        key = name if name in self.slots else name[0].lower() + name[1:]
        if key not in self.slots:
            raise KeyError(f"unknown slot {{{name}}}")
        value = self.slots[key]
        if isinstance(value, (list, tuple)):
            if fresh:
                left = self.left.get(key)
                if not left:
                    left = self.left[key] = self.rng.sample(list(value), len(value))
                value = left.pop()
            else:
                if key not in self.kept:
                    self.kept[key] = self._expand(self.rng.choice(list(value)))
                value = self.kept[key]
        text = self._expand(value)
        return text[:1].upper() + text[1:] if name[0].isupper() and key != name else text


def _split(text: str, i: int):
    """The alternatives of the bracket that opens at text[i], and the index after it."""
    depth, start, options = 0, i + 1, []
    for j in range(i, len(text)):
        c = text[j]
        if c == "[":
            depth += 1
        elif c == "]":
            depth -= 1
            if depth == 0:
                return options + [text[start:j]], j + 1
        elif c == "|" and depth == 1:
            options.append(text[start:j])
            start = j + 1
    raise ValueError("unclosed [ in: " + text[i : i + 60])


def tidy(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.!?;:])", r"\1", text)
    text = re.sub(r"\b([Aa])n?\s+(?=([A-Za-z]+))", lambda m: m[1] + ("n " if _vowel(m[2]) else " "), text)
    # A capital after a full stop; not after a closing quotation mark, where «"Who?" he asked» goes on.
    return re.sub(r'(^"?|[.!?]\s+"?)([a-z])', lambda m: m[1] + m[2].upper(), text)


def _vowel(word: str) -> bool:
    w = word.lower()
    if re.match(r"(uni|use|usu|one|once|eu)", w):
        return False
    return w[0] in "aeiou" or re.match(r"(hour|honest)", w) is not None


def sentences(text: str) -> list[str]:
    """Split finished prose into sentences, closing quotation marks kept with their sentence."""
    return [s for s in re.split(r'(?<=[.!?])\s+|(?<=[.!?]")\s+(?=[A-Z"])', text) if s]
