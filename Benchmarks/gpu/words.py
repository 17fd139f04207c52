"""Arithmetic on words as SPIR-V has it, and the memory of a device: for the interpreter of spirv.py."""

import collections
import math
import struct

MASK = 0xFFFFFFFF


def as_float(word):
    return struct.unpack("<f", struct.pack("<I", word))[0]


def as_word(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def to_float32(value):
    try:
        return as_float(as_word(value))
    except OverflowError:
        return math.copysign(math.inf, value)


def signed(word):
    return word - (1 << 32) if word & 0x80000000 else word


def halves(word):
    return struct.unpack("<ee", struct.pack("<I", word))


def divide(a, b):
    if b != 0:
        return a / b
    return math.nan if a == 0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)


def exponential(x):
    return math.exp(x) if x < 709 else math.inf


def extract(word, offset, bits):
    value = (word >> offset) & ((1 << bits) - 1)
    return (value - (1 << bits) if value >> (bits - 1) else value) & MASK


def insert(base, word, offset, bits):
    mask = (1 << bits) - 1 << offset
    return base & ~mask & MASK | word << offset & mask


# Results as Python expressions of the operands; and the class.
ARITHMETIC = {
    "IAdd": ("({0} + {1}) & 0xffffffff", "integer"), "ISub": ("({0} - {1}) & 0xffffffff", "integer"),
    "IMul": ("({0} * {1}) & 0xffffffff", "integer"), "UDiv": ("{0} // {1}", "integer"), "UMod": ("{0} % {1}", "integer"),
    "IAddCarry": ("(({0} + {1}) & 0xffffffff, ({0} + {1}) >> 32)", "integer"),
    "BitFieldInsert": ("insert({0}, {1}, {2}, {3})", "integer"),
    "ShiftRightLogical": ("{0} >> {1}", "integer"), "ShiftLeftLogical": ("({0} << {1}) & 0xffffffff", "integer"),
    "BitwiseAnd": ("{0} & {1}", "integer"), "BitwiseOr": ("{0} | {1}", "integer"), "BitwiseXor": ("{0} ^ {1}", "integer"),
    "BitFieldUExtract": ("({0} >> {1}) & ((1 << {2}) - 1)", "integer"),
    "Not": ("~{0} & 0xffffffff", "integer"), "BitFieldSExtract": ("extract({0}, {1}, {2})", "integer"),
    "ULessThan": ("{0} < {1}", "integer"), "ULessThanEqual": ("{0} <= {1}", "integer"),
    "UGreaterThan": ("{0} > {1}", "integer"), "UGreaterThanEqual": ("{0} >= {1}", "integer"),
    "SLessThan": ("signed({0}) < signed({1})", "integer"),
    "IEqual": ("{0} == {1}", "integer"), "INotEqual": ("{0} != {1}", "integer"),
    "LogicalNot": ("not {0}", "integer"), "LogicalAnd": ("{0} and {1}", "integer"), "LogicalOr": ("{0} or {1}", "integer"),
    "Select": ("{1} if {0} else {2}", "integer"),
    "FAdd": ("{0} + {1}", "float"), "FSub": ("{0} - {1}", "float"), "FMul": ("{0} * {1}", "float"),
    "FDiv": ("divide({0}, {1})", "float"), "FNegate": ("-{0}", "float"), "IsNan": ("{0} != {0}", "float"),
    "FOrdGreaterThan": ("{0} > {1}", "float"), "FOrdGreaterThanEqual": ("{0} >= {1}", "float"),
    "FOrdLessThan": ("{0} < {1}", "float"), "FOrdNotEqual": ("{0} < {1} or {0} > {1}", "float"),
    "FOrdEqual": ("{0} == {1}", "float"), "FUnordNotEqual": ("{0} != {1}", "float"),
    "ConvertUToF": ("float({0})", "float"), "ConvertSToF": ("float(signed({0}))", "float"),
    "ConvertFToU": ("int({0}) & 0xffffffff", "float"), "ConvertFToS": ("int({0}) & 0xffffffff", "float"),
    "Fma": ("{0} * {1} + {2}", "float"), "UnpackHalf2x16": ("halves({0})", "float"), "FAbs": ("abs({0})", "float"),
    "UMin": ("min({0}, {1})", "integer"), "UMax": ("max({0}, {1})", "integer"), "RoundEven": ("float(round({0}))", "float"),
    "Exp": ("exponential({0})", "float"), "Tanh": ("math.tanh({0})", "float"), "Sqrt": ("math.sqrt({0})", "float"),
    "FMax": ("max({0}, {1})", "float"), "FMin": ("min({0}, {1})", "float"),
    "FClamp": ("min(max({0}, {1}), {2})", "float"), "UClamp": ("min(max({0}, {1}), {2})", "integer"),
}
SUBGROUP = {"GroupNonUniformFAdd", "GroupNonUniformIAdd", "GroupNonUniformUMax", "GroupNonUniformElect"}
NAMES = dict(
    math=math, extract=extract, insert=insert, signed=signed, divide=divide, halves=halves, exponential=exponential,
    as_float=as_float, as_word=as_word)


class Memory:
    """Buffers by the number of their argument; words that nothing was put in have a value for each type."""

    def __init__(self, word=0x3C003C01, value=0.5):
        self.words, self.missing = {}, (word, value)
        self.loads, self.stores = collections.Counter(), collections.Counter()

    @staticmethod
    def address(number):
        return (number + 1) << 32

    def put(self, number, data):
        """Words or floats at the beginning of a buffer."""
        for i, value in enumerate(data):
            self.words[self.address(number) + 4 * i] = to_float32(value) if isinstance(value, float) else value

    def get(self, number, count):
        return [self.words.get(self.address(number) + 4 * i) for i in range(count)]

    def load_word(self, address):
        self.loads[address] += 1
        value = self.words.get(address)
        if value is None:
            return self.missing[0]
        return as_word(value) if isinstance(value, float) else value

    def load_float(self, address):
        self.loads[address] += 1
        value = self.words.get(address)
        if value is None:
            return self.missing[1]
        return value if isinstance(value, float) else as_float(value)

    def store_word(self, address, value):
        self.stores[address] += 1
        self.words[address] = value

    def store_float(self, address, value):
        self.stores[address] += 1
        self.words[address] = to_float32(value)

    def traffic(self):
        """Of each buffer: bytes loaded, stored, and different ones loaded and stored."""
        found = collections.defaultdict(lambda: [0, 0, 0, 0])
        for index, counter in enumerate((self.loads, self.stores)):
            for address, count in counter.items():
                entry = found[(address >> 32) - 1]
                entry[index] += 4 * count
                entry[2 + index] += 4
        return {number: tuple(entry) for number, entry in found.items()}


class Address(int):
    """The push constant of a buffer."""
