"""A model in several files, cut here out of one: whichever file is named, the program does what it does with the whole."""

import json
import struct

from program import FIXTURES, ProgramTest

SOURCE = FIXTURES / "gemma/gemma3-q8_0.gguf"
ALIGNMENT = 32
# Bytes of GGUF's metadata types of fixed size; 8 is a string, 9 an array.
SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}


def string_end(data, at):
    return at + 8 + struct.unpack_from("<Q", data, at)[0]


def value_end(data, at, kind):
    if kind == 8:
        return string_end(data, at)
    if kind != 9:
        return at + SIZES[kind]
    kind, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if kind in SIZES:
        return at + SIZES[kind] * count
    for _ in range(count):
        at = value_end(data, at, kind)
    return at


def padded(data, alignment=ALIGNMENT):
    return data + b"\0" * (-len(data) % alignment)


def cut(path, folder, name, count, alignment=None, later=ALIGNMENT):
    """Writes a GGUF file as `count` files, each with a share of its tensors, and returns their paths.

    `alignment`: the one that the first file states, `later`: the one that the others have, without saying so.
    """
    data = path.read_bytes()
    tensor_count, entry_count = struct.unpack_from("<QQ", data, 8)
    at = 24
    for _ in range(entry_count):
        at = string_end(data, at)
        at = value_end(data, at + 4, struct.unpack_from("<I", data, at)[0])
    metadata = data[24:at]
    tensors = []
    for _ in range(tensor_count):
        start = at
        dimensions = struct.unpack_from("<I", data, string_end(data, at))[0]
        at = string_end(data, at) + 4 + 8 * dimensions + 4
        tensors.append((data[start:at], struct.unpack_from("<Q", data, at)[0]))
        at += 8
    base = len(padded(data[:at]))
    ends = [offset for _, offset in tensors[1:]] + [len(data) - base]
    paths = []
    for index in range(count):
        share = range(tensor_count * index // count, tensor_count * (index + 1) // count)
        keys = [("split.no", 2, "<H", index), ("split.count", 2, "<H", count), ("split.tensors.count", 5, "<i", tensor_count)]
        align = (alignment or ALIGNMENT) if index == 0 else later
        if index == 0 and alignment:
            keys.append(("general.alignment", 4, "<I", alignment))
        entries = metadata if index == 0 else b""
        for key, kind, form, value in keys:
            entries += struct.pack("<Q", len(key)) + key.encode() + struct.pack("<I", kind) + struct.pack(form, value)
        table, content = b"", b""
        for number in share:
            row, offset = tensors[number]
            table += row + struct.pack("<Q", len(content))
            content += padded(data[base + offset : base + ends[number]], align)
        head = b"GGUF" + struct.pack("<IQQ", 3, len(share), len(keys) + (entry_count if index == 0 else 0))
        paths.append(folder / f"{name}-{index + 1:05}-of-{count:05}.gguf")
        paths[-1].write_bytes(padded(head + entries + table, align) + content)
    return paths


class Shards(ProgramTest):
    def setUp(self):
        super().setUp()
        self.environment["HEARTH_BACKGROUND"] = "0"
        self.paths = cut(SOURCE, self.folder, "model", 3)
        self.tokens = self.folder / "tokens.json"
        self.tokens.write_text(json.dumps(list(range(2, 40))))

    def logits(self, model):
        out = self.folder / "logits.f32"
        self.hearth("score", "--model", model, "--tokens-file", self.tokens, "--logits", out)
        return out.read_bytes()

    def test_any_file_opens_all(self):
        whole = self.logits(SOURCE)
        for path in self.paths:
            self.assertEqual(self.logits(path), whole, path.name)
        # And from a compiled artifact.
        self.hearth("compile", "--model", self.paths[1])
        for path in self.paths:
            self.assertEqual(self.logits(path), whole, path.name)
        self.assertEqual(
            self.hearth("tokenize", "--model", self.paths[2], "--json", "once upon").json,
            self.hearth("tokenize", "--model", SOURCE, "--json", "once upon").json)

    def test_alignment_of_later_files(self):
        """gguf-py aligns them as the first file says, gguf-split by 32 bytes; neither states it in them."""
        whole = self.logits(SOURCE)
        for alignment, later in (16, 16), (64, 64), (64, 32), (1024, 1024), (1024, 32):
            for count in 2, 5:
                with self.subTest(alignment=alignment, later=later, count=count):
                    paths = cut(SOURCE, self.folder, f"a{alignment}-{later}-{count}", count, alignment, later)
                    for path in paths[0], paths[-1]:
                        self.assertEqual(self.logits(path), whole, path.name)

    def test_inspect_counts_all_files(self):
        report = self.hearth("inspect", self.paths[2], "--json").json
        self.assertTrue(report["runnable"])
        self.assertEqual(report["shards"], 3)
        self.assertEqual(report["bytes"], sum(path.stat().st_size for path in self.paths))
        self.assertEqual(len(report["tensors"]), len(self.hearth("inspect", SOURCE, "--json").json["tensors"]))
        self.assertEqual(sum(report["mixture"].values()), sum(tensor["bytes"] for tensor in report["tensors"]))

    def test_a_compressed_copy_is_one_file(self):
        out = self.folder / "small.gguf"
        self.hearth("compress", self.paths[0], "--to", "q8_0", "-o", out)
        report = self.hearth("inspect", out, "--json").json
        self.assertEqual((report["shards"], report["runnable"]), (1, True))

    def test_a_changed_file_is_compiled_anew(self):
        self.hearth("compile", "--model", self.paths[0])
        before = self.logits(self.paths[0])
        content = bytearray(self.paths[2].read_bytes())
        content[-2000:] = bytes(2000)
        self.paths[2].write_bytes(content)
        after = self.logits(self.paths[0])
        self.assertNotEqual(after, before)
        self.hearth("compile", "--model", self.paths[0])
        self.assertEqual(self.logits(self.paths[1]), after)

    def test_missing_and_foreign_files_are_named(self):
        commands = [
            ("inspect",), ("tokenize", "--model"), ("generate", "--prompt", "a", "--model"), ("compile", "--model"),
            ("score", "--tokens-file", self.tokens, "--model"),
        ]

        def refused(path, field):
            for words in commands:
                more = ["hello"] if words[0] == "tokenize" else []
                outcome = self.hearth(*words, self.paths[0], *more, status=3)
                self.assertIn(f"{path.name}: {field}", outcome.error)

        third = self.paths[2].read_bytes()
        self.paths[2].unlink()
        refused(self.paths[2], "file")
        self.paths[2].write_bytes(self.paths[1].read_bytes())
        refused(self.paths[2], "split.no")
        self.paths[2].write_bytes(third[:2000])
        refused(self.paths[2], "")
