#!/usr/bin/env python3
"""Writes the pictures in this folder and what has to come out of them: pictures.json and pictures.bin.

  pip install pillow pillow-heif numpy; apt install libturbojpeg0     (a second; needs both for CMYK with YCCK)
  python3 make_pictures.py

PNG files are written here, chunk by chunk, so what has to come out of them is known: the values that went in, those of 16
bits as round(v / 257). What has to come out of JPEG files, of turned pictures and of scaled ones is what Pillow makes of
them. Pillow takes CMYK JPEG files to be inverted whether they say so or not; for the one that does not say so the rule of
libjpeg's documentation is computed here. The pictures are noise over gradients, from a fixed seed.
"""
import ctypes, ctypes.util, io, json, os, struct, zlib
import numpy as np
import pillow_heif
from PIL import Image, ImageCms, ImageOps

pillow_heif.register_heif_opener()

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(20)
files, goldens, data = {}, [], bytearray()


def scene(width, height, noise=24):
    """Gradients, an edge, noise: RGB."""
    y, x = np.mgrid[0:height, 0:width].astype(float)
    planes = [255 * x / max(1, width - 1), 255 * y / max(1, height - 1), 127 + 120 * np.sin(x / 5 + y / 7)]
    image = np.stack(planes, -1)
    image[(x - width / 3) ** 2 + (y - height / 3) ** 2 < (min(width, height) / 5) ** 2] = (230, 40, 60)
    image += random.normal(0, noise, image.shape)
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def golden(name, image, tolerance=0, **more):
    image = np.ascontiguousarray(image, dtype=np.uint8)
    height, width = image.shape[:2]
    channels = image.shape[2] if image.ndim == 3 else 1
    goldens.append(dict(file=name, width=width, height=height, channels=channels, offset=len(data),
                        tolerance=tolerance, **more))
    data.extend(image.tobytes())


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def packed_rows(values, depth):
    """Rows of a PNG, unfiltered: values [height, width, channels]."""
    rows = values.reshape(values.shape[0], -1)
    if depth == 16:
        rows = rows.astype(">u2").view(np.uint8).reshape(rows.shape[0], -1)
    elif depth < 8:
        bits = ((rows[..., None] >> np.arange(depth - 1, -1, -1)) & 1).reshape(rows.shape[0], -1)
        rows = np.packbits(bits.astype(np.uint8), axis=1)
    return b"".join(b"\0" + row.tobytes() for row in rows.astype(np.uint8))


def png(values, color, depth=8, interlaced=False, palette=None, extra=b"", after=b""):
    values = values if values.ndim == 3 else values[..., None]
    height, width = values.shape[:2]
    if interlaced:
        body = b""
        for x0, y0, dx, dy in [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                               (0, 1, 1, 2)]:
            part = values[y0::dy, x0::dx]
            if part.size:
                body += packed_rows(part, depth)
    else:
        body = packed_rows(values, depth)
    out = b"\x89PNG\r\n\x1a\n"
    out += chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, int(interlaced)))
    if palette is not None:
        out += chunk(b"PLTE", np.asarray(palette, np.uint8).tobytes())
    out += extra
    body = zlib.compress(body, 9)
    middle = len(body) // 2
    out += chunk(b"IDAT", body[:middle]) + chunk(b"IDAT", body[middle:])
    return out + after + chunk(b"IEND", b"")


def exif(orientation, big):
    order = ">" if big else "<"
    return ((b"MM\0*" if big else b"II*\0") + struct.pack(order + "I", 8) + struct.pack(order + "H", 2)
            + struct.pack(order + "HHIHH", 0x0100, 3, 1, 1, 0)
            + struct.pack(order + "HHIHH", 0x0112, 3, 1, orientation, 0) + struct.pack(order + "I", 0))


def jpeg(image, **options):
    out = io.BytesIO()
    Image.fromarray(image).save(out, "JPEG", **options)
    return out.getvalue()


def add_png(name, values, color, expected, **options):
    files[name] = png(values, color, **options)
    golden(name, expected)


def add_jpeg(name, content, tolerance=2):
    files[name] = content
    image = Image.open(io.BytesIO(content))
    golden(name, np.asarray(image if image.mode == "L" else image.convert("RGB")), tolerance)


# PNG

rgb = scene(29, 19)
gray = rgb[..., 1]
alpha = random.integers(0, 256, gray.shape, dtype=np.uint8)
add_png("rgb.png", rgb, 2, rgb)
add_png("rgb-interlaced.png", rgb, 2, rgb, interlaced=True)
add_png("rgba.png", np.dstack([rgb, alpha]), 6, rgb)
add_png("gray.png", gray, 0, gray)
add_png("gray-alpha.png", np.dstack([gray, alpha]), 4, gray)
wide = random.integers(0, 65536, (19, 29, 4))
add_png("rgb16.png", wide[..., :3], 2, np.round(wide[..., :3] / 257), depth=16)
add_png("rgba16-interlaced.png", wide, 6, np.round(wide[..., :3] / 257), depth=16, interlaced=True)
add_png("gray16.png", wide[..., 0], 0, np.round(wide[..., 0] / 257), depth=16)
add_png("gray-alpha16.png", wide[..., :2], 4, np.round(wide[..., 0] / 257), depth=16)
for depth in (1, 2, 4):
    few = random.integers(0, 1 << depth, (19, 29))
    add_png(f"gray{depth}.png", few, 0, few * 255 // ((1 << depth) - 1), depth=depth, interlaced=depth == 2)
for depth in (1, 2, 4, 8):
    palette = random.integers(0, 256, (min(1 << depth, 200), 3))
    few = random.integers(0, len(palette), (19, 29))
    add_png(f"palette{depth}.png", few, 3, palette[few], depth=depth, palette=palette, interlaced=depth == 4,
            extra=chunk(b"tRNS", bytes([0, 128])) if depth == 8 else b"")
# What says how colours are meant, and compressed text, are not looked at.
profile = b"x\0\0" + zlib.compress(bytes(100_000))
add_png("rgb-profiles.png", rgb, 2, rgb, extra=chunk(b"gAMA", struct.pack(">I", 100000)) + chunk(b"iCCP", profile)
        + chunk(b"bKGD", bytes(6)) + chunk(b"zTXt", profile))
add_png("gray-gamma16.png", wide[..., 0], 0, np.round(wide[..., 0] / 257), depth=16,
        extra=chunk(b"gAMA", struct.pack(">I", 100000)))
add_png("1x1.png", rgb[:1, :1], 2, rgb[:1, :1])
tall, flat = scene(1, 37), scene(37, 1)
add_png("1x37.png", tall, 2, tall, interlaced=True)
add_png("37x1.png", flat, 2, flat)

# JPEG

photo = scene(45, 30, 8)
add_jpeg("rgb.jpg", jpeg(photo, quality=92, subsampling=0))
add_jpeg("420.jpg", jpeg(photo, quality=90, subsampling=2))
add_jpeg("422.jpg", jpeg(photo, quality=90, subsampling=1))
add_jpeg("progressive.jpg", jpeg(photo, quality=90, subsampling=2, progressive=True))
add_jpeg("restarts.jpg", jpeg(photo, quality=90, restart_marker_blocks=2))
add_jpeg("gray.jpg", jpeg(photo[..., 1], quality=92))
add_jpeg("stored-rgb.jpg", jpeg(photo, quality=92, keep_rgb=True))
add_jpeg("1x1.jpg", jpeg(photo[:1, :1]))
add_jpeg("1x37.jpg", jpeg(tall, quality=95))
add_jpeg("37x1.jpg", jpeg(flat, quality=95))
inks = np.dstack([255 - photo, np.minimum(90, 255 - photo.max(-1))]).astype(np.uint8)
out = io.BytesIO()
Image.fromarray(inks, "CMYK").save(out, "JPEG", quality=92)
add_jpeg("cmyk.jpg", out.getvalue())
marker = out.getvalue().index(b"\xff\xee\x00\x0eAdobe")
files["cmyk-not-inverted.jpg"] = out.getvalue()[:marker] + out.getvalue()[marker + 16:]
stored = 255 - np.asarray(Image.open(io.BytesIO(out.getvalue()))).astype(float)
golden("cmyk-not-inverted.jpg", np.round((255 - stored[..., :3]) * (255 - stored[..., 3:]) / 255), 2)
turbo = ctypes.CDLL(ctypes.util.find_library("turbojpeg"))
turbo.tjInitCompress.restype = ctypes.c_void_p
target, size = ctypes.c_void_p(), ctypes.c_ulong()
inverted = np.ascontiguousarray(255 - inks)
assert turbo.tjCompress2(ctypes.c_void_p(turbo.tjInitCompress()), inverted.ctypes.data_as(ctypes.c_void_p), 45, 0, 30,
                         11, ctypes.byref(target), ctypes.byref(size), 2, 92, 0) == 0
add_jpeg("ycck.jpg", ctypes.string_at(target, size.value))

# Orientation

for number in range(1, 9):
    content = jpeg(photo, quality=92, exif=b"Exif\0\0" + exif(number, big=number % 2 == 0))
    files[f"turned{number}.jpg"] = content
    golden(f"turned{number}.jpg", np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(content)))), 2)
for number in (3, 6):
    content = png(rgb, 2, **{"extra" if number == 3 else "after": chunk(b"eXIf", exif(number, big=number == 6))})
    files[f"turned{number}.png"] = content
    golden(f"turned{number}.png", np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(content)))))

# Crop and scale: the boxes by their definition, the pixels by Pillow


def scaled(image, crop, width, height):
    wide, high = image.size
    if crop == "scaleFill":
        return image.resize((width, height), Image.BILINEAR)
    if crop == "centerCrop":
        scale = max(width / wide, height / high)
        w, h = width / scale, height / scale
        box = ((wide - w) / 2, (high - h) / 2, (wide + w) / 2, (high + h) / 2)
        box = tuple(min(max(value, 0), limit) for value, limit in zip(box, (wide, high, wide, high)))
        return image.resize((width, height), Image.BILINEAR, box=box)
    scale = min(width / wide, height / high)
    w, h = max(1, round(wide * scale)), max(1, round(high * scale))
    result = Image.new(image.mode, (width, height))
    result.paste(image.resize((w, h), Image.BILINEAR), ((width - w) // 2, (height - h) // 2))
    return result


files["scene.png"] = png(scene(97, 61), 2)
files["scene-gray.png"] = png(scene(53, 71)[..., 0], 0)
files["scene-turned.png"] = png(scene(97, 61), 2, extra=chunk(b"eXIf", exif(6, big=False)))
for name, sizes in [("scene.png", [(24, 24), (31, 17), (7, 50), (97, 61), (1, 1), (120, 40)]),
                    ("scene-gray.png", [(24, 24), (64, 20)]), ("scene-turned.png", [(24, 24), (20, 33)]),
                    ("1x1.png", [(5, 3)]), ("37x1.png", [(8, 8)])]:
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(files[name])))
    for width, height in sizes:
        for crop in ("centerCrop", "scaleFit", "scaleFill"):
            golden(name, np.asarray(scaled(image, crop, width, height)), 1, crop=crop)

# A photo that is decoded at a part of its size
files["large.jpg"] = jpeg(scene(640, 448, 0), quality=80, exif=b"Exif\0\0" + exif(8, big=True))
image = ImageOps.exif_transpose(Image.open(io.BytesIO(files["large.jpg"])))
for width, height in [(25, 25), (50, 50), (30, 90), (100, 100)]:
    golden("large.jpg", np.asarray(scaled(image, "centerCrop", width, height)), 4, crop="centerCrop")

# WebP, HEIC, AVIF


def encoded(image, kind, **options):
    out = io.BytesIO()
    (image if isinstance(image, Image.Image) else Image.fromarray(image)).save(out, kind, **options)
    return out.getvalue()


def add(name, content, tolerance):
    files[name] = content
    golden(name, np.asarray(ImageOps.exif_transpose(Image.open(io.BytesIO(content))).convert("RGB")), tolerance)


add("lossy.webp", encoded(photo, "WEBP", quality=90), 0)
add("lossless-alpha.webp", encoded(np.dstack([rgb, alpha]), "WEBP", lossless=True, exact=True), 0)
add("alpha.webp", encoded(np.dstack([rgb, alpha]), "WEBP", quality=90, exact=True), 0)
add("turned6.webp", encoded(photo, "WEBP", quality=90, exif=b"Exif\0\0" + exif(6, big=True)), 0)
frames = [Image.fromarray(np.roll(photo, n, 0)) for n in range(3)]
files["animated.webp"] = encoded(frames[0], "WEBP", save_all=True, append_images=frames[1:])
add("444.heic", encoded(photo, "HEIF", quality=90, chroma=444), 1)
add("420.heic", encoded(photo, "HEIF", quality=90, chroma=420), 2)
add("alpha.heic", encoded(np.dstack([rgb, alpha]), "HEIF", quality=90, chroma=444), 1)
turned = Image.fromarray(photo)
turned.getexif()[0x0112] = 6
add("turned6.heic", encoded(turned, "HEIF", quality=90, chroma=444, exif=turned.getexif()), 1)
deep = pillow_heif.from_bytes("RGB;16", (45, 30), (photo.astype(np.uint16) * 257).tobytes())
out = io.BytesIO()
deep.save(out, quality=90, chroma=444)
add("10-bits.heic", out.getvalue(), 2)
add("444.avif", encoded(photo, "AVIF", quality=90, subsampling="4:4:4"), 2)

# Color profiles: what comes out is computed from their definition, or for inks by Little CMS


def profile(kind, space, connection, tags):
    """An ICC profile of version 4."""
    table, body, place = b"", b"", 128 + 4 + 12 * (len(tags) + 3)
    text = "test".encode("utf-16-be")
    mluc = b"mluc" + struct.pack(">IIIHHII", 0, 1, 12, 0x656E, 0x5553, len(text), 28) + text
    white = xyz([0.9642, 1, 0.8249])
    for name, content in [(b"desc", mluc), (b"cprt", mluc), (b"wtpt", white)] + tags:
        content += bytes(-len(content) % 4)
        table += struct.pack(">4sII", name, place + len(body), len(content))
        body += content
    size = place + len(body)
    head = struct.pack(">I4sI4s4s4s", size, b"\0" * 4, 0x04000000 if kind == b"mntr" else 0x02400000, kind, space, connection)
    head += struct.pack(">6H4s", 2026, 1, 1, 0, 0, 0, b"acsp") + bytes(28) + struct.pack(">3i", *fixed([0.9642, 1, 0.8249]))
    return head + bytes(128 - len(head)) + struct.pack(">I", len(tags) + 3) + table + body


def fixed(values):
    return [round(value * 65536) for value in values]


def xyz(values):
    return b"XYZ " + struct.pack(">I3i", 0, *fixed(values))


def to_linear(v):
    return np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)


def to_srgb(v):
    v = np.clip(v, 0, 1)
    return np.round(255 * np.where(v <= 0.0031308, v * 12.92, 1.055 * v ** (1 / 2.4) - 0.055))


# The primaries of Display P3 and of sRGB, adapted to D50, as columns.
P3 = np.array([[0.51512, 0.29198, 0.1571], [0.2412, 0.69225, 0.06657], [-0.00105, 0.04189, 0.78407]])
SRGB = np.array([[0.43607, 0.38515, 0.14307], [0.22249, 0.71687, 0.06061], [0.01392, 0.09708, 0.7141]])
curve = b"para" + struct.pack(">IHH5i", 0, 3, 0, *fixed([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]))
p3 = profile(b"mntr", b"RGB ", b"XYZ ", [
    (name + b"XYZ", xyz(column)) for name, column in zip([b"r", b"g", b"b"], P3.T)
] + [(name + b"TRC", curve) for name in [b"r", b"g", b"b"]])


def from_p3(image):
    return to_srgb(to_linear(np.asarray(image, float) / 255) @ (np.linalg.inv(SRGB) @ P3).T)


def add_p3(name, content, tolerance=2):
    files[name] = content
    golden(name, from_p3(Image.open(io.BytesIO(content)).convert("RGB")), tolerance)


add_p3("p3.jpg", jpeg(photo, quality=92, subsampling=0, icc_profile=p3), 4)
add_p3("p3.png", png(rgb, 2, extra=chunk(b"iCCP", b"p3\0\0" + zlib.compress(p3))))
add_p3("p3.webp", encoded(photo, "WEBP", quality=90, icc_profile=p3))
add_p3("p3.heic", encoded(photo, "HEIF", quality=90, chroma=444, icc_profile=p3), 4)
gamma = profile(b"mntr", b"GRAY", b"XYZ ", [(b"kTRC", b"curv" + struct.pack(">IIHH", 0, 1, round(1.8 * 256), 0))])
files["gray-gamma.jpg"] = jpeg(photo[..., 1], quality=92, icc_profile=gamma)
stored = np.asarray(Image.open(io.BytesIO(files["gray-gamma.jpg"])), float)
golden("gray-gamma.jpg", to_srgb((stored / 255) ** 1.8), 3)
# Sixteen mixtures of inks and their lightness and hue: cyan, magenta and yellow as a press prints them, black darkens.
linear = np.arange(256, dtype=np.uint8).tobytes()
mixtures = b""
for c, m, y, k in np.ndindex(2, 2, 2, 2):
    light = (1 - 0.42 * c) * (1 - 0.5 * m) * (1 - 0.08 * y) * (1 - 0.85 * k)
    mixtures += bytes([round(255 * light), round(128 + (1 - k) * (74 * m - 36 * c)), round(128 + (1 - k) * (93 * y - 50 * c - 3 * m))])
lut = b"mft1" + struct.pack(">I4B9i", 0, 4, 3, 2, 0, *fixed([1, 0, 0, 0, 1, 0, 0, 0, 1])) + linear * 4 + mixtures + linear * 3
press = profile(b"prtr", b"CMYK", b"Lab ", [(b"A2B0", lut)])
out = io.BytesIO()
Image.fromarray(inks, "CMYK").save(out, "JPEG", quality=92, icc_profile=press)
files["cmyk-press.jpg"] = out.getvalue()
golden("cmyk-press.jpg", np.asarray(ImageCms.profileToProfile(
    Image.open(io.BytesIO(out.getvalue())), io.BytesIO(press), ImageCms.createProfile("sRGB"), outputMode="RGB")), 3)

# Others

tiny = Image.fromarray(rgb)
for suffix, kind in [("gif", "GIF"), ("bmp", "BMP"), ("tiff", "TIFF"), ("jp2", "JPEG2000")]:
    out = io.BytesIO()
    tiny.resize((4, 4)).save(out, kind)
    files[f"other.{suffix}"] = out.getvalue()

for name, content in files.items():
    with open(os.path.join(HERE, name), "wb") as file:
        file.write(content)
with open(os.path.join(HERE, "pictures.bin"), "wb") as file:
    file.write(data)
with open(os.path.join(HERE, "pictures.json"), "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(entry) for entry in goldens) + "\n]\n")
print(f"{len(files)} files, {sum(map(len, files.values()))} bytes; {len(goldens)} results, {len(data)} bytes")
