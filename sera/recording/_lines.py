"""The raw lines of a log file, plain or compressed with gzip, as far as they can be read.

A line ends with a line feed and nothing else. What follows the last line feed is a line that was
cut. A compressed file that was cut gives everything up to the cut.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

LINE_LIMIT_BYTES = 16 * 1024 * 1024
"""Far above the limit of a message; guards the memory against a file that is no log."""
_CHUNK_BYTES = 1024 * 1024
_GZIP_MAGIC = b"\x1f\x8b"


def raw_lines(path: Path) -> Iterator[bytes]:
    """The lines of a file with their line ends; a line beyond the limit comes without its rest."""
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP_MAGIC
        file.seek(0)
        if compressed:
            yield from _compressed_lines(iter(lambda: file.read(_CHUNK_BYTES), b""))
            return
        while line := file.readline(LINE_LIMIT_BYTES):
            yield line
            if len(line) == LINE_LIMIT_BYTES and not line.endswith(b"\n"):
                while (rest := file.readline(LINE_LIMIT_BYTES)) and not rest.endswith(b"\n"):
                    pass


def _compressed_lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    waiting = b""
    for text in _decompressed(chunks):
        *lines, waiting = (waiting + text).split(b"\n")
        for line in lines:
            yield line + b"\n"
        waiting = waiting[:LINE_LIMIT_BYTES]
    if waiting:
        yield waiting


def _decompressed(chunks: Iterator[bytes]) -> Iterator[bytes]:
    member = zlib.decompressobj(wbits=31)
    for chunk in chunks:
        data = chunk
        while data:
            try:
                yield member.decompress(data, _CHUNK_BYTES)
                while member.unconsumed_tail:
                    yield member.decompress(member.unconsumed_tail, _CHUNK_BYTES)
            except zlib.error:
                return
            data = member.unused_data
            if member.eof:
                member = zlib.decompressobj(wbits=31)
    yield member.flush()
