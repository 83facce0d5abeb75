"""The checksum by numpy against libxxhash itself."""

import ctypes
import ctypes.util

import numpy as np
import pytest
from nbstream import xxh3

_name = ctypes.util.find_library("xxhash") or "libxxhash.so.0"
try:
    _library = ctypes.CDLL(_name)
except OSError:
    pytest.skip("no libxxhash to compare with", allow_module_level=True)
_library.XXH3_64bits.restype = ctypes.c_uint64
_library.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def truth(data):
    return _library.XXH3_64bits(bytes(data), len(data))


@pytest.mark.parametrize("sizes", [range(0, 300), range(300, 2400, 7), [4096, 65536, 100001, 1 << 22]])
def test_every_size(sizes):
    data = np.random.default_rng(1).bytes(max(sizes))
    for size in sizes:
        assert xxh3.digest_numpy(data[:size]) == truth(data[:size]), size


def test_the_quick_way_agrees():
    for size in (0, 1, 100, 1000, 100001):
        data = np.random.default_rng(size).bytes(size)
        assert xxh3.digest(data) == xxh3.digest(memoryview(data)) == truth(data)


def test_blocks_of_a_column(monkeypatch):
    monkeypatch.setattr(xxh3, "_intdigest", None)
    data = np.random.default_rng(2).bytes(4 * xxh3.BLOCK + 64)
    pieces = [data[k : k + xxh3.BLOCK] for k in range(0, len(data), xxh3.BLOCK)]
    assert xxh3.block_digests(data, together=2) == ["%016x" % truth(piece) for piece in pieces]
    assert xxh3.block_digests(data[: 4 * xxh3.BLOCK]) == ["%016x" % truth(piece) for piece in pieces[:4]]
    assert xxh3.block_digests(b"") == []
