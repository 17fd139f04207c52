"""The shaders for Metal, compiled as C++ and run on the CPU: what spirv-cross wrote, without a GPU of Apple's."""

import ctypes
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
SHADERS = HERE.parent.parent / "Sources/CHearthShaders/Files"
# The built-in variables that kernels may have as parameters, beside their arguments.
BUILTINS = {
    "gl_GlobalInvocationID": "metal::uint3(x * 64 + lane, y, 0)",
    "gl_LocalInvocationID": "metal::uint3(lane, 0, 0)",
    "gl_WorkGroupID": "metal::uint3(x, y, 0)",
    "gl_NumWorkGroups": "metal::uint3(groups_x, groups_y, 1)",
    "gl_NumSubgroups": "host::subgroups()",
    "gl_SubgroupID": "lane / host::subgroup_size",
}
# How shaders that reduce are run: the threads of a SIMD group, 0 for the form that does without, and whether threads run in the
# opposite order. SIMD groups may be smaller than those of Apple's devices, and the last one of a group is not always full.
WAYS = ((0, False), (0, True), (32, False), (32, True), (8, True), (24, False), (64, False))


def compiler():
    """The C++ compiler, or None."""
    return os.environ.get("CXX") or shutil.which("clang++")


def source(name):
    return (SHADERS / f"{name}.metal").read_text()


class Shader:
    """A shader with its specialization constants, ready to run; with a number of threads, in the form for SIMD groups of those."""

    def __init__(self, name, folder, constants=(), subgroup=0):
        self.subgroup = subgroup
        if subgroup:
            name += ".subgroups"
        text, found = re.subn(
            r"constant (\w+) (\w+)_tmp \[\[function_constant\((\d+)\)\]\];",
            lambda match: f"static const {match[1]} {match[2]}_tmp = host::value({match[3]});", source(name))
        macros = re.findall(r"#ifndef SPIRV_CROSS_CONSTANT_ID_(\d+)\n", text)
        if found + len(macros) != len(constants):
            raise ValueError(f"{name} has {found + len(macros)} constants, not {len(constants)}")
        macros = [f"-DSPIRV_CROSS_CONSTANT_ID_{number}={constants[int(number)]}" for number in macros]
        compiled = folder / ("".join([name, *macros]) + ".so")
        if not compiled.exists():
            self.compile(text, compiled, macros)
        # Constants are read when the library is loaded, so each set of them needs a library of its own.
        library = folder / ("-".join([name, *(str(int(c)) for c in constants), str(subgroup)]) + ".own.so")
        shutil.copy(compiled, library)
        for number, constant in enumerate(constants):
            os.environ[f"HEARTH_METAL_CONSTANT_{number}"] = str(int(constant))
        self.function = ctypes.CDLL(str(library)).run

    @staticmethod
    def compile(text, library, macros):
        # Its members for each address space would be the same function here.
        text = re.sub(
            r"struct spvUnsafeArray\n\{.*?\n\};",
            "struct spvUnsafeArray { T elements[Num]; T& operator[](size_t i) { return elements[i]; } };", text,
            flags=re.DOTALL)
        parameters = re.search(r"kernel void main0\((.*)\)\n", text)[1]
        names = re.findall(r"\w+ (\w+) \[\[", parameters)
        code = f"""#include "host.h"
{text}
static const Arguments *arguments;
static unsigned x, y, groups_x, groups_y;
extern "C" int run(
    const void *bytes, unsigned size, unsigned width, unsigned height, int is_backwards, unsigned subgroup) {{
    if (size != sizeof(Arguments)) return 2;
    if (subgroup) host::subgroup_size = subgroup;
    (arguments = (const Arguments *)bytes, groups_x = width, groups_y = height);
    host::body = [](unsigned lane) {{ main0({", ".join(["*arguments"] + [BUILTINS[n] for n in names])}); }};
    for (y = 0; y < height; y++)
        for (x = 0; x < width; x++)
            if (!host::run_group(is_backwards)) return 1;
    return 0;
}}
"""
        file = library.with_suffix(".cpp")
        file.write_text(code)
        subprocess.run(
            [compiler(), "-std=c++20", "-O0", "-ffp-contract=off", "-fno-strict-aliasing", "-shared", "-fPIC",
             "-Wno-unknown-attributes", "-Wno-ignored-attributes", f"-I{HERE / 'include'}", f"-I{HERE}", *macros,
             str(file), "-o", str(library)], check=True)

    def run(self, arguments, width, height, is_backwards=False):
        """Runs groups. Arguments are buffers (None for a null address), then integers, then floats."""
        words = b""
        for argument in arguments:
            if isinstance(argument, float):
                words += struct.pack("<f", argument)
            elif isinstance(argument, int):
                words += struct.pack("<I", argument)
            else:
                words += struct.pack("<Q", 0 if argument is None else ctypes.addressof(argument))
        # The kernel's structure ends at a multiple of 8.
        words += bytes(-len(words) % 8)
        status = self.function(words, len(words), width, height, int(is_backwards), self.subgroup)
        if status:
            raise AssertionError(["", "threads came to different barriers or operations", "another size of arguments"][status])


def floats(values):
    """A buffer of float32."""
    values = list(values)
    return (ctypes.c_float * len(values))(*values)


def words(values):
    values = list(values)
    return (ctypes.c_uint32 * len(values))(*values)


def raw(content):
    """A buffer of bytes, with room for the whole word at its end."""
    return ctypes.create_string_buffer(content, len(content) + 8)


@unittest.skipUnless(compiler(), "no clang++")
class ShaderTest(unittest.TestCase):
    """Shaders that are compiled once for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="hearth-metal-")
        cls.made = {}

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def shader(self, name, *constants, subgroup=0):
        key = (name, subgroup, *constants)
        if key not in self.made:
            self.made[key] = Shader(name, pathlib.Path(self.temporary.name), constants, subgroup)
        return self.made[key]

    def near(self, found, expected, tolerance, what=""):
        self.assertEqual(len(found), len(expected), what)
        for at, (a, b) in enumerate(zip(found, expected)):
            self.assertLessEqual(abs(a - b), tolerance * max(1, abs(b)), f"{what} at {at}: {a}, expected {b}")
