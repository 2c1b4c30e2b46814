"""libtiff by ctypes: the pixels of every directory of a file, from its tiles or strips."""
import ctypes
import ctypes.util

import numpy as np

lib = ctypes.CDLL(ctypes.util.find_library("tiff") or "libtiff.so.6")
lib.TIFFOpen.restype = ctypes.c_void_p
for name in ("TIFFTileSize", "TIFFStripSize", "TIFFReadEncodedTile", "TIFFReadEncodedStrip"):
    getattr(lib, name).restype = ctypes.c_ssize_t
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p)
KINDS = {1: "u", 2: "i", 3: "f", 6: "c", 4: "u"}
SEPARATE, YCBCR, JPEG, RGB_MODE, COLOR_MODE = 2, 6, 7, 1, 65538

# What libtiff complains about while it works, as vsnprintf gives it from its arguments. It has no names for the tags of
# GeoTIFF and GDAL.
complaints = []
FOREIGN = [f"Unknown field with tag {n} " for n in (33550, 33922, 34264, 34735, 34736, 34737, 42112, 42113)]


@SIGNATURE
def complain(module, text, arguments):
    buffer = ctypes.create_string_buffer(500)
    ctypes.CDLL(None).vsnprintf(buffer, ctypes.c_size_t(500), text, ctypes.c_void_p(arguments))
    said = f"{(module or b'').decode()}: {buffer.value.decode(errors='replace')}"
    if serious(said):
        complaints.append(said)


def serious(said):
    return not any(f in said for f in FOREIGN)


lib.TIFFSetErrorHandler(complain)
lib.TIFFSetWarningHandler(complain)


class Error(Exception):
    pass


class File:
    """A file that is read; with complaints as errors."""

    def __init__(self, path):
        complaints.clear()
        self.handle = ctypes.c_void_p(lib.TIFFOpen(path.encode(), b"rc"))
        if not self.handle:
            raise Error(said())

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        lib.TIFFClose(self.handle)
        if kind is None and complaints:
            raise Error(said())

    def tag(self, number, kind=ctypes.c_uint16):
        value = kind()
        if not lib.TIFFGetFieldDefaulted(self.handle, ctypes.c_uint32(number), ctypes.byref(value)):
            return 0
        return value.value

    def next(self):
        return bool(lib.TIFFReadDirectory(self.handle))

    def to(self, number):
        if not lib.TIFFSetDirectory(self.handle, ctypes.c_uint32(number)):
            raise Error(said())

    def sub(self, offset):
        if not lib.TIFFSetSubDirectory(self.handle, ctypes.c_uint64(offset)):
            raise Error(said())

    def sub_offsets(self):
        count, offsets = ctypes.c_uint16(), ctypes.POINTER(ctypes.c_uint64)()
        if not lib.TIFFGetField(self.handle, ctypes.c_uint32(330), ctypes.byref(count), ctypes.byref(offsets)):
            return []
        return offsets[: count.value]

    def pixels(self):
        """The image of the current directory, as (samples, rows, columns)."""
        width, height = self.tag(256, ctypes.c_uint32), self.tag(257, ctypes.c_uint32)
        bits, samples = self.tag(258), self.tag(277)
        dtype = np.dtype("?" if bits == 1 else f"{KINDS[self.tag(339)]}{1 << max(bits - 1, 7).bit_length() - 3}")
        if self.tag(259) == JPEG and self.tag(262) == YCBCR:
            lib.TIFFSetField(self.handle, ctypes.c_uint32(COLOR_MODE), ctypes.c_int(RGB_MODE))
        tiled = lib.TIFFIsTiled(self.handle)
        if tiled:
            across, down = self.tag(322, ctypes.c_uint32), self.tag(323, ctypes.c_uint32)
            size, count, read = lib.TIFFTileSize(self.handle), lib.TIFFNumberOfTiles(self.handle), lib.TIFFReadEncodedTile
        else:
            across, down = width, min(self.tag(278, ctypes.c_uint32), height)
            size, count, read = lib.TIFFStripSize(self.handle), lib.TIFFNumberOfStrips(self.handle), lib.TIFFReadEncodedStrip
        planes, together = (samples, 1) if self.tag(284) == SEPARATE else (1, samples)
        rows, columns = -(-height // down), -(-width // across)
        out = np.zeros((planes, rows * down, columns * across, together), dtype)
        for i in range(count):
            buffer = np.zeros(size, np.uint8)
            if read(self.handle, ctypes.c_uint32(i), buffer.ctypes.data_as(ctypes.c_void_p), ctypes.c_ssize_t(size)) < 0:
                raise Error(said())
            p, k = divmod(i, rows * columns)
            y, x = k // columns * down, k % columns * across
            out[p, y:y + down, x:x + across] = unpack(buffer, bits, dtype, down, across * together).reshape(down, across, together)
        out = out[:, :height, :width]
        return out[..., 0] if planes > 1 else np.moveaxis(out[0], -1, 0)


def unpack(buffer, bits, dtype, rows, columns):
    """Samples of decoded bytes. libtiff gives whole bytes as they lie in memory, and others as they were stored."""
    if bits == 8 * dtype.itemsize:
        return buffer.view(dtype)
    if bits % 8 == 0:
        out = np.zeros((rows * columns, dtype.itemsize), np.uint8)
        out[:, :bits // 8] = buffer.reshape(-1, bits // 8)
        return out.view(dtype)
    each = np.unpackbits(buffer.reshape(rows, -1), axis=1)[:, :columns * bits].reshape(rows, columns, bits)
    return (each.astype(np.uint32) << np.arange(bits - 1, -1, -1, dtype=np.uint32)).sum(axis=2).astype(dtype)


def said():
    return "; ".join(dict.fromkeys(complaints)) or "failed without a word"
