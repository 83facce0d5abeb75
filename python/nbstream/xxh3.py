"""The checksum of nbs(5): XXH3 with 64 bits and seed 0, from the package xxhash."""

from __future__ import annotations

from typing import List, Union

from xxhash import xxh3_64_hexdigest as hexdigest

__all__ = ["BLOCK", "block_digests", "hexdigest"]

BLOCK = 4 << 20
"""Bytes of a column that share a checksum."""


def block_digests(data: Union[bytes, bytearray, memoryview]) -> List[str]:
    """Returns the checksums of a column's blocks. The last block may be shorter than the others."""
    view = memoryview(data).cast("B")
    return [hexdigest(view[k : k + BLOCK]) for k in range(0, len(view), BLOCK)]
