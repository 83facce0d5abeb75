"""XXH3 with 64 bits and seed 0 (Yann Collet's xxHash), the checksum of nbs(5), written from its specification.

The module ``xxhash`` computes it where it is installed, or else the library of that name, which most systems have;
without both numpy does, at some hundred MB a second.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
from typing import TYPE_CHECKING, Any, Callable, List, Optional, Union

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

BLOCK = 4 << 20
"""Bytes of a column under one checksum."""

Buffer = Union[bytes, bytearray, memoryview]


def _of_library() -> Optional[Callable[[Any], int]]:
    """The function of libxxhash; before 0.8 it had other values."""
    for name in ("libxxhash.so.0", "libxxhash.0.dylib"):
        with contextlib.suppress(OSError, AttributeError):
            library = ctypes.CDLL(name)
            function = library.XXH3_64bits
            function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_size_t]
            if library.XXH_versionNumber() >= 800:
                return lambda data: int(
                    function(np.frombuffer(data, np.uint8).ctypes.data if data else None, len(data))
                )
    return None


_intdigest: Optional[Callable[[Any], int]]
try:
    _intdigest = importlib.import_module("xxhash").xxh3_64_intdigest
except ImportError:
    _intdigest = _of_library()

_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)
_ALL = (1 << 64) - 1
_P32 = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D)
_P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5)
_MX1, _MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25

_STRIPE = 64  # bytes that the eight accumulators take at once
_ROUND = 16 * _STRIPE  # after so many they are scrambled


def _read(data: Buffer, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _rotate(x: int, bits: int) -> int:
    return (x << bits | x >> (64 - bits)) & _ALL


def _fold(a: int, b: int) -> int:
    product = a * b
    return (product & _ALL) ^ (product >> 64)


def _avalanche(h: int) -> int:
    h = ((h ^ h >> 37) * _MX1) & _ALL
    return h ^ h >> 32


def _avalanche_64(h: int) -> int:
    h = ((h ^ h >> 33) * _P64[1]) & _ALL
    h = ((h ^ h >> 29) * _P64[2]) & _ALL
    return h ^ h >> 32


def _mix(data: Buffer, at: int, secret: int) -> int:
    return _fold(_read(data, at) ^ _read(_SECRET, secret), _read(data, at + 8) ^ _read(_SECRET, secret + 8))


def _up_to_16(data: Buffer) -> int:
    size = len(data)
    if size > 8:
        low = _read(data, 0) ^ _read(_SECRET, 24) ^ _read(_SECRET, 32)
        high = _read(data, size - 8) ^ _read(_SECRET, 40) ^ _read(_SECRET, 48)
        swapped = int.from_bytes(low.to_bytes(8, "little"), "big")
        return _avalanche((size + swapped + high + _fold(low, high)) & _ALL)
    if size > 3:
        h = (_read(data, size - 4, 4) + (_read(data, 0, 4) << 32)) ^ _read(_SECRET, 8) ^ _read(_SECRET, 16)
        h ^= _rotate(h, 49) ^ _rotate(h, 24)
        h = h * _MX2 & _ALL
        h = (h ^ (h >> 35) + size) * _MX2 & _ALL
        return h ^ h >> 28
    if size > 0:
        h = data[0] << 16 | data[size >> 1] << 24 | data[size - 1] | size << 8
        return _avalanche_64(h ^ _read(_SECRET, 0, 4) ^ _read(_SECRET, 4, 4))
    return _avalanche_64(_read(_SECRET, 56) ^ _read(_SECRET, 64))


def _up_to_128(data: Buffer) -> int:
    size = len(data)
    h = size * _P64[0]
    for k in range((size - 1) // 32, -1, -1):
        h += _mix(data, 16 * k, 32 * k) + _mix(data, size - 16 * (k + 1), 32 * k + 16)
    return _avalanche(h & _ALL)


def _up_to_240(data: Buffer) -> int:
    size = len(data)
    h = _avalanche((size * _P64[0] + sum(_mix(data, 16 * k, 16 * k) for k in range(8))) & _ALL)
    h += sum(_mix(data, 16 * k, 16 * (k - 8) + 3) for k in range(8, size // 16))
    return _avalanche((h + _mix(data, size - 16, 136 - 17)) & _ALL)


# ---- long inputs: sums over stripes do not depend on their order, so numpy takes many at once ----

_KEYS = np.array([np.frombuffer(_SECRET, "<u8", 8, 8 * k) for k in range(16)], np.uint64)
_SCRAMBLE = np.frombuffer(_SECRET, "<u8", 8, 128).astype(np.uint64)
_LAST = np.frombuffer(_SECRET, "<u8", 8, 121).astype(np.uint64)
_START = np.array([_P32[2], *_P64[:4], _P32[1], _P64[4], _P32[0]], np.uint64)
_SWAP = np.array([1, 0, 3, 2, 5, 4, 7, 6])
_LOW, _32, _47 = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(47)
_TIMES = np.uint64(_P32[0])


def _sums(words: Words, keys: Words) -> Words:
    """What the last but one axis, stripes of eight words, adds to the accumulators."""
    keyed = words ^ keys
    products: Words = ((keyed & _LOW) * (keyed >> _32)).sum(axis=-2, dtype=np.uint64)
    plain: Words = words.sum(axis=-2, dtype=np.uint64)
    return products + plain[..., _SWAP]


def _words(data: Buffer, at: int, stripes: int) -> Words:
    return np.frombuffer(data, "<u8", stripes * 8, at).reshape(stripes, 8).astype(np.uint64, copy=False)


def _end(data: Buffer, accumulators: Words, rounds: int) -> int:
    size = len(data)
    stripes = (size - 1 - rounds * _ROUND) // _STRIPE
    accumulators = accumulators + _sums(_words(data, rounds * _ROUND, stripes), _KEYS[:stripes])
    accumulators += _sums(_words(data, size - _STRIPE, 1), _LAST[None, :])
    a = [int(x) for x in accumulators]
    h = size * _P64[0]
    for k in range(4):
        h += _fold(a[2 * k] ^ _read(_SECRET, 11 + 16 * k), a[2 * k + 1] ^ _read(_SECRET, 19 + 16 * k))
    return _avalanche(h & _ALL)


def _long(pieces: List[memoryview]) -> List[int]:
    """Checksums of pieces that have one size, above 240 bytes."""
    rounds = (len(pieces[0]) - 1) // _ROUND
    # A few rounds at a time, so that numpy's temporaries stay in the cache.
    step, sums = 128, np.empty((rounds, len(pieces), 8), np.uint64)
    for j, piece in enumerate(pieces):
        words = _words(piece, 0, 16 * rounds).reshape(rounds, 16, 8)
        for k in range(0, rounds, step):
            sums[k : k + step, j] = _sums(words[k : k + step], _KEYS)
    accumulators = np.tile(_START, (len(pieces), 1))
    shifted = np.empty_like(accumulators)
    for k in range(rounds):
        accumulators += sums[k]
        np.right_shift(accumulators, _47, out=shifted)
        accumulators ^= shifted
        accumulators ^= _SCRAMBLE
        accumulators *= _TIMES
    return [_end(piece, accumulators[j], rounds) for j, piece in enumerate(pieces)]


def digest_numpy(data: Buffer) -> int:
    """The checksum of some bytes, by numpy."""
    size = len(data)
    if size <= 16:
        return _up_to_16(data)
    if size <= 128:
        return _up_to_128(data)
    if size <= 240:
        return _up_to_240(data)
    return _long([memoryview(data)])[0]


def digest(data: Buffer) -> int:
    """The checksum of some bytes."""
    return _intdigest(data) if _intdigest else digest_numpy(data)


def hexdigest(data: Buffer) -> str:
    """The same as it stands in streams: 16 hexadecimal digits."""
    return "%016x" % digest(data)


def block_digests(data: Buffer, together: int = 16) -> List[str]:
    """The checksums of a column's blocks of 4 MiB, of which the last may be shorter."""
    view = memoryview(data).cast("B")
    pieces = [view[k : k + BLOCK] for k in range(0, len(view), BLOCK)]
    if _intdigest or len(pieces) < 3:
        return [hexdigest(piece) for piece in pieces]
    last = [] if len(pieces[-1]) == BLOCK else [hexdigest(pieces.pop())]
    whole = [_long(pieces[k : k + together]) for k in range(0, len(pieces), together)]
    return ["%016x" % h for group in whole for h in group] + last
