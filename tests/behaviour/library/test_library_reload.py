from __future__ import annotations

from pathlib import Path

import pytest

from sera.behaviour.library import Fingerprint, LibraryKeeper, fingerprint, read_library

HEAD = ("ID", "CATEGORY", "TEXT")


@pytest.fixture
def keeper(workbook):
    path = workbook(Utterances=[HEAD, ("a", "x", "old")])
    return path, LibraryKeeper([path], read_library(path), {path: Fingerprint(1, 10)})


def test_nothing_is_read_while_nothing_changes(keeper):
    path, keeper = keeper
    path.unlink()
    for now_s in range(10):
        assert keeper.look({path: Fingerprint(1, 10)}, now_s) is None
    assert keeper.library.by_id["a"].text_in() == "old"


def test_a_save_counts_when_the_file_has_settled(keeper, workbook):
    path, keeper = keeper
    workbook(Utterances=[HEAD, ("a", "x", "new")])
    assert keeper.look({path: Fingerprint(2, 5)}, 10.0) is None
    assert keeper.look({path: Fingerprint(3, 11)}, 10.2) is None
    assert keeper.look({path: Fingerprint(3, 11)}, 10.4) is None
    assert keeper.has_unread_changes
    reload = keeper.look({path: Fingerprint(3, 11)}, 10.5)
    assert reload is not None
    assert reload.replaced
    assert keeper.library.by_id["a"].text_in() == "new"
    assert keeper.look({path: Fingerprint(3, 11)}, 11.0) is None
    assert not keeper.has_unread_changes


def test_a_broken_save_keeps_the_last_good_library_and_tells_once(keeper):
    path, keeper = keeper
    path.write_bytes(b"PK broken")
    assert keeper.look({path: Fingerprint(2, 9)}, 0.0) is None
    reload = keeper.look({path: Fingerprint(2, 9)}, 1.0)
    assert reload is not None
    assert not reload.replaced
    assert [finding.code for finding in reload.findings] == ["file-damaged"]
    assert reload.library is keeper.library
    assert keeper.library.by_id["a"].text_in() == "old"
    assert keeper.look({path: Fingerprint(2, 9)}, 2.0) is None


def test_a_file_gone_for_a_moment_is_a_save_under_way(keeper, workbook):
    path, keeper = keeper
    assert keeper.look({path: None}, 0.0) is None
    assert keeper.look({path: None}, 2.9) is None
    workbook(Utterances=[HEAD, ("a", "x", "new")])
    assert keeper.look({path: Fingerprint(2, 9)}, 3.0) is None
    assert keeper.look({path: Fingerprint(2, 9)}, 3.5) is not None
    assert keeper.library.by_id["a"].text_in() == "new"


def test_a_file_gone_for_good_is_reported(keeper):
    path, keeper = keeper
    path.unlink()
    assert keeper.look({path: None}, 0.0) is None
    reload = keeper.look({path: None}, 3.0)
    assert reload is not None
    assert [finding.code for finding in reload.findings] == ["no-file"]
    assert len(keeper.library) == 1


def test_a_running_study_holds_the_change_until_it_is_over(keeper, workbook):
    path, keeper = keeper
    workbook(Utterances=[HEAD, ("a", "x", "new")])
    for now_s in range(5):
        assert keeper.look({path: Fingerprint(2, 9)}, now_s, hold=True) is None
    assert keeper.has_unread_changes
    assert keeper.library.by_id["a"].text_in() == "old"
    assert keeper.look({path: Fingerprint(2, 9)}, 5.0) is not None
    assert keeper.library.by_id["a"].text_in() == "new"


def test_a_fingerprint_changes_with_the_file(tmp_path: Path):
    path = tmp_path / "x"
    assert fingerprint(path) is None
    path.write_text("a", encoding="utf-8")
    first = fingerprint(path)
    path.write_text("ab", encoding="utf-8")
    assert first is not None
    assert fingerprint(path) != first
