"""A file that lines are added to, which outlives a killed process and a full disk.

Design overview: lines wait in memory until `flush` hands them to the operating system in one
unbuffered write; from then on they survive kill -9 of this process (not a power cut: there is no
fsync here, which would cost milliseconds each time; `sync_files` is for what must survive that,
too). What the disk refuses stays in memory, from the exact byte on at which it refused, so that no
half line is ever glued to the next one; it is tried again with the next flush. Beyond `keep_bytes`
new lines are dropped and counted, unless they must be kept.

Threading: one thread.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable, Iterable
from io import FileIO
from pathlib import Path

KEEP_BYTES = 4 * 1024 * 1024


class LineFile:
    """Lines for the end of one file."""

    def __init__(
        self,
        path: Path,
        *,
        on_problem: Callable[[str], None],
        stay_open: bool = True,
        private: bool = False,
        first_line: bytes = b"",
        keep_bytes: int = KEEP_BYTES,
    ) -> None:
        """Nothing is opened yet.

        Args:
            path: the file; it and its folder are created by `open` or by the first flush.
            on_problem: hears one sentence when the disk refuses and one when it takes again.
            stay_open: False to open the file for each flush, so that it can be deleted meanwhile
                on every operating system.
            private: a new file is for its owner's eyes only, where the operating system knows that.
            first_line: begins the file wherever it is new or empty.
            keep_bytes: how much may wait while the disk refuses.
        """
        self.path = path
        self.waiting_bytes = 0
        self.lost = 0
        """Lines that were given up."""
        self.refused = False
        """True from a write that failed to the next one that does not."""
        self._on_problem = on_problem
        self._stay_open = stay_open
        self._mode = 0o600 if private else 0o666
        self._first_line = first_line
        self._keep_bytes = keep_bytes
        self._waiting: list[bytes] = []
        self._file: FileIO | None = None
        self._prefix = b""
        self._owes_rest_of_line = False

    def open(self) -> None:
        """Open the file now rather than with the first flush.

        Raises:
            OSError: it cannot be opened.
        """
        self._opened()

    def add(self, line: bytes, *, must_keep: bool = False) -> None:
        """Put a line (with its line end) in the queue; one that must be kept is never dropped."""
        too_much = self.waiting_bytes + len(line) > self._keep_bytes
        if self.refused and too_much and not must_keep:
            self.lost += 1
            return
        self._waiting.append(line)
        self.waiting_bytes += len(line)

    def flush(self) -> bool:
        """Hand all waiting lines to the operating system; False where it refused."""
        if not self._waiting:
            return not self.refused
        waiting = b"".join(self._waiting)
        taken = 0
        refusal: OSError | None = None
        try:
            file = self._opened()
            waiting = self._prefix + waiting
            with memoryview(waiting) as view:
                while taken < len(view):
                    taken += _write_some(file, view[taken:])
        except OSError as error:
            refusal = error
        # Before anybody is told: what they add and flush must not take these lines once more.
        if taken:
            self._keep_rest(waiting, taken)
        if refusal is not None:
            self._report(refusal)
        else:
            self._recover()
        if not self._stay_open:
            self._close_file()
        return not self.refused

    def close(self) -> None:
        """Flush and close; lines that still do not fit on the disk are counted as lost."""
        if not self.flush():
            given_up = sum(lines.count(b"\n") for lines in self._waiting)
            self._waiting, self.waiting_bytes = [], 0
            self.lost += given_up
            self._on_problem(f"{self.path}: closed with {self.lost:,} lines lost")
        self._close_file()

    def _opened(self) -> FileIO:
        if self._file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = FileIO(self.path, "a+", opener=self._open_with_mode)
            self._prefix = self._what_must_come_first(self._file)
        return self._file

    def _open_with_mode(self, path: str, flags: int) -> int:
        return os.open(path, flags, self._mode)

    def _what_must_come_first(self, file: FileIO) -> bytes:
        if not file.seekable() or file.seek(0, os.SEEK_END) == 0:
            return self._first_line
        file.seek(-1, os.SEEK_END)
        ends_in_mid_line = file.read(1) != b"\n"
        file.seek(0, os.SEEK_END)
        # A half line of ours is completed by what waits; one of a killed process is closed.
        return b"\n" if ends_in_mid_line and not self._owes_rest_of_line else b""

    def _keep_rest(self, waiting: bytes, taken: int) -> None:
        rest = waiting[taken:]
        self._waiting = [rest] if rest else []
        self.waiting_bytes = len(rest)
        self._prefix = b""
        self._owes_rest_of_line = waiting[taken - 1 : taken] != b"\n"

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _report(self, error: OSError) -> None:
        if not self.refused:
            self.refused = True
            why = error.strerror or str(error)
            advice = "free some space" if error.errno in _FULL else "see to it"
            self._on_problem(
                f"cannot write {self.path}: {why}; {advice}: up to "
                f"{self._keep_bytes // 1024:,} KiB wait in memory, what exceeds them is lost"
            )

    def _recover(self) -> None:
        if self.refused:
            self.refused = False
            self._on_problem(f"{self.path} is written again; {self.lost:,} lines are lost")


def sync_files(paths: Iterable[Path]) -> None:
    """Wait until what was written to files is on the disk; blocks. One that was erased is done.

    Raises:
        OSError: the disk did not take it after all.
    """
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            descriptor = os.open(path, os.O_RDWR)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def _write_some(file: FileIO, view: memoryview) -> int:
    count = file.write(view)
    if not count:
        raise OSError(errno.ENOSPC, "nothing was taken")
    return count
