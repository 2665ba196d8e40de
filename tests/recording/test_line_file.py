"""Lines that wait for the disk: each is written once, whatever is said meanwhile."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from sera.recording import _line_file
from sera.recording._line_file import LineFile


@pytest.mark.parametrize("stay_open", [True, False])
def test_who_is_told_that_the_disk_takes_again_may_write_and_flush_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stay_open: bool
) -> None:
    def told(sentence: str) -> None:
        file.add(f"told: {'again' if 'again' in sentence else 'refused'}\n".encode())
        file.flush()

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "no space left")

    file = LineFile(tmp_path / "log", on_problem=told, stay_open=stay_open)
    file.add(b"first\n")
    assert file.flush()
    with monkeypatch.context() as full_disk:
        full_disk.setattr(_line_file, "_write_some", refuse)
        file.add(b"second\n", must_keep=True)
        assert not file.flush()
    assert file.flush()
    file.close()
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert lines == ["first", "second", "told: refused", "told: again"]
