"""A small interpreter of the SPIR-V of Hearth's compute shaders that counts what it executes.

It runs one workgroup, thread by thread from one barrier to the next. Integers are exact; floats are computed in double precision
and rounded to float32 when they are stored in a buffer. It knows the instructions that these shaders have, and refuses others.
"""

import collections
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from words import ARITHMETIC, MASK, NAMES, SUBGROUP, Address

# Classes of instructions that a device executes. What is free are names of registers: bit casts, parts of vectors, push constants
# and built-in values. `private` are accesses of arrays of one thread, which are in registers if a compiler knows each index.
CLASSES = ("float", "integer", "memory", "shared", "control", "sync")
GROUP = 64


class Unknown(Exception):
    """An instruction that the interpreter does not know."""


def tool(name, *arguments):
    if not shutil.which(name):
        raise FileNotFoundError(f"there is no {name}: install spirv-tools")
    done = subprocess.run([name, *map(str, arguments)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} {' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def disassemble(path):
    return tool("spirv-dis", "--raw-id", "--no-header", "--no-indent", path)


def optimized(path, constants):
    """The shader as a compiler of a driver would start from it: constants inserted, loops of known length unrolled."""
    with tempfile.TemporaryDirectory() as folder:
        text, plain, out = (Path(folder, name) for name in ("text", "plain.spv", "out.spv"))
        # spirv-opt unrolls only loops that ask for it.
        text.write_text(re.sub(r"(OpLoopMerge %\d+ %\d+) None", r"\1 Unroll", disassemble(path)))
        tool("spirv-as", "--preserve-numeric-ids", "--target-env", "vulkan1.2", text, "-o", plain)
        values = " ".join(f"{i}:{value}" for i, value in enumerate(constants))
        fixed = [f"--set-spec-const-default-value={values}", "--freeze-spec-const", "--fold-spec-const-op-composite"]
        fixed = fixed if constants else []
        tool("spirv-opt", "--target-env=vulkan1.2", *fixed, "-O", "--loop-unroll", "-O", plain, "-o", out)
        return disassemble(out)


class Thread:
    __slots__ = ("registers", "counts", "piece", "event")

    def __init__(self, registers, pieces):
        self.registers, self.counts, self.piece, self.event = registers, [0] * pieces, 0, None


class Shader:
    """A module, translated to Python: a function for each basic block, and for what is behind a barrier in it."""

    def __init__(self, text, constants=()):
        self.constants = constants
        self.lines = [self.parse(line) for line in text.splitlines() if line.strip()]
        self.types, self.values, self.spec, self.builtin, self.offsets, self.strides = {}, {}, {}, {}, {}, {}
        self.variables, self.result_type = {}, {}
        self.pieces, self.events = [], []
        self.globals()
        self.body()

    @staticmethod
    def parse(line):
        words = re.findall(r'"[^"]*"|\S+', line)
        if len(words) > 2 and words[1] == "=":
            return words[2][2:], words[0], words[3:]
        return words[0][2:], None, words[1:]

    # What is outside of the function

    def globals(self):
        for op, result, words in self.lines:
            if op == "Decorate" and words[1] == "SpecId":
                self.spec[words[0]] = int(words[2])
            elif op == "Decorate" and words[1] == "BuiltIn":
                self.builtin[words[0]] = words[2]
            elif op == "Decorate" and words[1] == "ArrayStride":
                self.strides[words[0]] = int(words[2])
            elif op == "MemberDecorate" and words[2] == "Offset":
                self.offsets[words[0], int(words[1])] = int(words[3])
            elif op.startswith("Type") and result:
                self.types[result] = (op[4:], words)
            elif op in ("Constant", "SpecConstant"):
                self.result_type[result] = words[0]
                kind = self.types[words[0]][0]
                given = self.spec.get(result, len(self.constants))
                text = words[1]
                if kind == "Float":
                    self.values[result] = float.fromhex(text) if "0x" in text else float(text)
                else:
                    value = self.constants[given] if given < len(self.constants) else int(text)
                    self.values[result] = value & MASK
            elif op in ("ConstantTrue", "ConstantFalse"):
                self.values[result] = op == "ConstantTrue"
            elif op == "ConstantComposite":
                self.values[result] = tuple(self.values[word] for word in words[1:])
            elif op in ("ConstantNull", "Undef"):
                self.values[result] = 0.0 if self.types[words[0]][0] == "Float" else 0
            elif op == "SpecConstantOp":
                self.result_type[result] = words[0]
                operands = [repr(self.values[word]) for word in words[2:]]
                self.values[result] = eval(ARITHMETIC[words[1]][0].format(*operands), dict(NAMES))
            elif op == "Variable":
                self.variables[result] = (self.types[words[0]][1][0], self.types[words[0]][1][1], words)
            elif op == "Function":
                break

    def kind(self, type):
        """Of a type: Float, Int and so on."""
        return self.types[type][0]

    def elements(self, type):
        name, words = self.types[type]
        return self.values[words[1]] if name == "Array" else 1

    # The function

    def body(self):
        start = next(i for i, line in enumerate(self.lines) if line[0] == "Function")
        if any(line[0] in ("Function", "FunctionCall") for line in self.lines[start + 1:]):
            raise Unknown("more than one function")
        blocks, label = collections.OrderedDict(), None
        for op, result, words in self.lines[start + 1:]:
            if op == "Label":
                label = result
                blocks[label] = []
            elif op != "FunctionEnd":
                blocks[label].append((op, result, words))
        for lines in blocks.values():
            for op, result, words in lines:
                if result:
                    self.result_type[result] = words[0]
                if op == "Variable":
                    self.variables[result] = (self.types[words[0]][1][0], self.types[words[0]][1][1], words)
        self.blocks = blocks
        self.number, count = {}, 0
        for label, lines in blocks.items():
            self.number[label] = count
            count += 1 + sum(1 for line in lines if self.waits(line[0]))
        source = []
        for label, lines in blocks.items():
            self.block(label, lines, source)
        names = dict(NAMES)
        exec(compile("\n".join(source), "<shader>", "exec"), names)
        self.code = [names[f"piece_{i}"] for i in range(len(self.pieces))]

    @staticmethod
    def waits(op):
        return op == "ControlBarrier" or op in SUBGROUP

    def value(self, word):
        return repr(self.values[word]) if word in self.values else f"R[{word[1:]}]"

    def block(self, label, lines, source):
        def begin():
            self.pieces.append(collections.Counter())
            source.append(f"def piece_{len(self.pieces) - 1}(R, m, push, builtin):")

        begin()
        for op, result, words in lines:
            if self.waits(op):
                self.pieces[-1]["sync"] += 1
                self.events.append((op, result, words, len(self.pieces)))
                source.append(f"    return {-2 - (len(self.events) - 1)}")
                begin()
                continue
            expression, name = self.instruction(op, result, words, label)
            if name:
                self.pieces[-1][name] += 1
            source.extend("    " + line for line in expression)

    def edge(self, source, target):
        """To another block, with the values that its phis take."""
        to, of = [], []
        for op, result, words in self.blocks[target]:
            if op != "Phi":
                break
            at = words.index(source, 1) if source in words[2::2] else -1
            if at < 0:
                raise Unknown(f"a phi without {source}")
            at = 2 + 2 * words[2::2].index(source)
            to.append(f"R[{result[1:]}]")
            of.append(self.value(words[at - 1]))
        return ([f"{', '.join(to)} = {', '.join(of)}"] if to else []) + [f"return {self.number[target]}"]

    def instruction(self, op, result, words, label):
        """Lines of Python, and the class."""
        to = f"R[{result[1:]}]" if result else None
        if op in ("Phi", "LoopMerge", "SelectionMerge", "Variable", "Undef", "Line", "NoLine"):
            return (["pass"], None)
        if op == "Branch":
            return self.edge(label, words[0]), None
        if op == "BranchConditional":
            no = self.edge(label, words[2])
            return [f"if {self.value(words[0])}:"] + ["    " + line for line in self.edge(label, words[1])] + no, "control"
        if op == "Switch":
            # The compiler makes these of early returns, with one target only.
            if len(words) != 2:
                raise Unknown("a switch with cases")
            return self.edge(label, words[1]), None
        if op in ("Return", "Unreachable", "Kill"):
            return ["return -1"], None
        if op in ("Load", "Store", "AccessChain", "InBoundsAccessChain"):
            return self.access(op.replace("InBounds", ""), to, words)
        if op in ("Bitcast", "CopyObject"):
            return [f"{to} = {self.cast(words[0], words[1])}"], "free"
        if op == "CompositeExtract":
            return [f"{to} = {self.value(words[1])}" + "".join(f"[{index}]" for index in words[2:])], "free"
        if op == "CompositeConstruct":
            return [f"{to} = ({', '.join(map(self.value, words[1:]))},)"], "free"
        operands = [self.value(word) for word in words[1:]]
        if op == "ExtInst":
            op, operands = words[2], [self.value(word) for word in words[3:]]
        if op not in ARITHMETIC:
            raise Unknown(f"the instruction {op}")
        form, name = ARITHMETIC[op]
        return [f"{to} = {form.format(*('(' + o + ')' for o in operands))}"], name

    def cast(self, type, word):
        to, of = self.kind(type), self.kind(self.result_type[word]) if word in self.result_type else "Int"
        value = self.value(word)
        if to == "Pointer" and of == "Vector":
            return f"{value}[0] | {value}[1] << 32"
        if to == of:
            return value
        return {"Float": f"as_float({value})", "Int": f"as_word({value})"}[to]

    def access(self, op, to, words):
        pointer = words[0] if op == "Store" else words[1]
        storage = self.variables[pointer][0] if pointer in self.variables else self.types[self.result_type[pointer]][1][0]
        if op == "AccessChain":
            if storage == "PhysicalStorageBuffer":
                # The only member of a buffer is an array of words, or of vectors, of which a word may be meant.
                buffer = self.types[self.types[self.result_type[pointer]][1][1]][1][0]
                part = f" + 4 * {self.value(words[4])}" if len(words) > 4 else ""
                return [f"{to} = {self.value(pointer)} + {self.strides[buffer]} * {self.value(words[3])}{part}"], "integer"
            if storage == "PushConstant":
                struct_type = self.variables[pointer][1]
                offset = self.offsets[struct_type, self.values[words[2]]]
                self.chains[to] = f"push[{offset}, {self.kind(self.types[words[0]][1][1])!r}]"
            elif storage == "Input":
                self.chains[to] = f"builtin[{self.builtin[pointer]!r}, R[0]][{self.value(words[2])}]"
            else:
                if len(words) == 4:
                    # Of a vector in an array, or of one of its parts.
                    self.chains[to] = f"R[{pointer[1:]}][{to}[0]][{to}[1]]"
                    return [f"{to} = ({self.value(words[2])}, {self.value(words[3])})"], "free"
                if len(words) != 3:
                    raise Unknown("an array of arrays")
                self.chains[to] = f"R[{pointer[1:]}][{to}]"
                return [f"{to} = {self.value(words[2])}"], "free"
            return ["pass"], "free"
        name = {"PhysicalStorageBuffer": "memory", "Workgroup": "shared", "Function": "private", "Private": "private"}.get(
            storage, "free")
        if storage == "PhysicalStorageBuffer":
            value = words[0] if op == "Load" else self.result_type.get(words[1], self.types[self.result_type[pointer]][1][1])
            count = 1
            if self.kind(value) == "Vector":
                value, count = self.types[value][1][0], int(self.types[value][1][1])
            kind = "float" if self.kind(value) == "Float" else "word"
            if count > 1:
                # One instruction, as it is to a device if the address is a multiple of the vector's size.
                if op == "Store":
                    raise Unknown("a vector that is stored")
                at = self.value(pointer)
                return [f"{to} = ({', '.join(f'm.load_{kind}({at} + {4 * i})' for i in range(count))})"], name
            if op == "Load":
                return [f"{to} = m.load_{kind}({self.value(pointer)})"], name
            return [f"m.store_{kind}({self.value(pointer)}, {self.value(words[1])})"], name
        if pointer in self.variables and self.kind(self.variables[pointer][1]) == "Array":
            # A copy of an array, which names it anew.
            whole = f"R[{pointer[1:]}][:]"
            return [f"{to} = {whole}" if op == "Load" else f"{whole} = {self.value(words[1])}"], "free"
        if pointer in self.variables:
            place = f"R[{pointer[1:]}][0]" if storage != "Input" else f"builtin[{self.builtin[pointer]!r}, R[0]][0]"
        else:
            place = self.chains[f"R[{pointer[1:]}]"]
        return [f"{to} = {place}" if op == "Load" else f"{place} = {self.value(words[1])}"], name

    @property
    def chains(self):
        return self.__dict__.setdefault("_chains", {})

    # Running

    def run(self, memory, arguments, group=(0, 0), groups=(1, 1), subgroup=32):
        """Runs a workgroup. `arguments` are push constants: ints, floats, and Address for buffers. Returns its Counts."""
        push, at = {}, 0
        for argument in arguments:
            if isinstance(argument, Address):
                push[at, "Vector"] = (argument & MASK, argument >> 32)
                at += 8
            else:
                push[at, "Float" if isinstance(argument, float) else "Int"] = argument
                at += 4
        size = max(int(name[1:]) for name in list(self.result_type) + list(self.variables)) + 1
        shared = {
            name: [0] * self.elements(type) for name, (storage, type, _) in self.variables.items() if storage == "Workgroup"}
        builtin, threads = {}, []
        for lane in range(GROUP):
            registers = [None] * size
            registers[0] = lane
            for name, (storage, type, words) in self.variables.items():
                if storage == "Workgroup":
                    registers[int(name[1:])] = shared[name]
                elif storage in ("Private", "Function"):
                    first = self.values[words[2]] if len(words) > 2 else 0
                    registers[int(name[1:])] = [first] * self.elements(type)
            builtin["LocalInvocationId", lane] = (lane, 0, 0)
            builtin["GlobalInvocationId", lane] = (group[0] * GROUP + lane, group[1], 0)
            builtin["WorkgroupId", lane] = (*group, 0)
            builtin["NumWorkgroups", lane] = (*groups, 1)
            builtin["NumSubgroups", lane] = ((GROUP + subgroup - 1) // subgroup,)
            builtin["SubgroupId", lane] = (lane // subgroup,)
            threads.append(Thread(registers, len(self.pieces)))
        self.advance(threads, (memory, push, builtin), subgroup)
        return Counts(self.pieces, threads, memory.traffic(), subgroup)

    def advance(self, threads, context, subgroup):
        code, running = self.code, threads
        while True:
            for thread in running:
                piece, counts, registers = thread.piece, thread.counts, thread.registers
                while piece >= 0:
                    counts[piece] += 1
                    piece = code[piece](registers, *context)
                thread.event = None if piece == -1 else -2 - piece
            waiting = [thread for thread in threads if thread.event is not None]
            if not waiting:
                return
            running = []
            for first in range(0, len(threads), subgroup):
                members = [thread for thread in threads[first:first + subgroup] if thread.event is not None]
                if members and self.events[members[0].event][0] in SUBGROUP:
                    self.reduce(members)
                    running += members
            if not running:
                if len({thread.event for thread in waiting}) > 1:
                    raise RuntimeError("threads wait at different barriers")
                running = waiting
            for thread in running:
                thread.piece = self.events[thread.event][3]

    def reduce(self, members):
        if len({thread.event for thread in members}) > 1:
            raise RuntimeError("threads of a subgroup wait at different operations")
        op, result, words, _ = self.events[members[0].event]
        to = int(result[1:])
        if op == "GroupNonUniformElect":
            for thread in members:
                thread.registers[to] = thread is members[0]
            return
        word = words[3]
        values = [self.values[word] if word in self.values else thread.registers[int(word[1:])] for thread in members]
        if words[2] == "ExclusiveScan":
            for i, thread in enumerate(members):
                thread.registers[to] = sum(values[:i])
            return
        total = max(values) if op == "GroupNonUniformUMax" else sum(values)
        for thread in members:
            thread.registers[to] = total


class Counts:
    """What a workgroup executed: instructions by class, issue slots, and bytes by buffer."""

    def __init__(self, pieces, threads, traffic, subgroup):
        self.classes = collections.Counter()
        self.slots = 0
        for i, piece in enumerate(pieces):
            times = [thread.counts[i] for thread in threads]
            for name, count in piece.items():
                self.classes[name] += count * sum(times)
            # Threads of a subgroup execute together: a block takes all their slots as often as the thread that runs it most.
            size = sum(piece[name] for name in CLASSES)
            for first in range(0, len(threads), subgroup):
                self.slots += size * max(times[first:first + subgroup]) * subgroup
        self.traffic = traffic

    @property
    def instructions(self):
        return sum(self.classes[name] for name in CLASSES)
