"""Files of a study that are lost or damaged: what was said stays said, and slots stay taken."""

from __future__ import annotations

import errno
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sera.study.sessions import KeptSession, SessionError, WrittenAlready, erase, locked, write_once
from sera.study.sessions import _files as session_files

ROOT = Path(__file__).parents[3]


def erased(lab: Any, participant: str) -> Any:
    return erase(
        lab.folder,
        participant,
        scenario="small",
        runs=lab.base / "runs",
        memory_folders=[],
        now=lab.now,
    )


# -- fates --------------------------------------------------------------------------------------


def test_a_damaged_exclusion_does_not_make_a_session_count_again(lab: Any) -> None:
    session = lab.completed()
    lab.end(session, "excluded", "fell asleep")
    (session.folder / "fate_2.json").write_bytes(b"")
    again = lab.folder.find("p01")
    assert (again.fate, again.is_open) == ("under_way", False)
    assert [row.fate for row in lab.rows()] == ["under_way"]
    told = lab.status()
    assert (told.completed, told.counts) == (0, {"study": {"not_known": 1}})
    assert f"{session.folder / 'fate_2.json'} is damaged" in told.problems[0]
    assert "does not count until `sera study fate` says it again" in told.problems[0]
    lab.end(again, "excluded", "fell asleep, as was said before")
    assert (session.folder / "fate_3.json").is_file()
    assert lab.folder.find("p01").fate == "excluded"
    assert lab.status().problems == ()


def test_an_empty_fate_is_not_under_way_and_blocks_nobody(lab: Any) -> None:
    session = lab.completed()
    (session.folder / "fate.json").write_bytes(b"")
    assert lab.folder.open_session() is None
    other = lab.begin(alone=True)
    assert other.head.slot != session.head.slot, "its slot may be filled"
    lab.end(other)
    again = lab.folder.find("p01")
    lab.end(again, "completed", "its log has everything")
    assert lab.folder.find("p01").fate == "completed"
    assert [one.name for one in sorted(session.folder.glob("fate*"))] == [
        "fate.json",
        "fate_2.json",
    ]


def test_whoever_is_killed_while_writing_leaves_nothing_half_written(tmp_path: Path) -> None:
    code = f"""
import os
from pathlib import Path
from sera.study.sessions import _files
os.fsync = lambda _descriptor: os._exit(9)
_files.write_once(Path({str(tmp_path / "fate.json")!r}), b"x" * 100)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 9
    assert not (tmp_path / "fate.json").exists()
    write_once(tmp_path / "fate.json", b"{}")
    assert (tmp_path / "fate.json").stat().st_nlink == 1


def test_where_files_cannot_be_linked_nothing_is_overwritten_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_paths: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(session_files.os, "link", refused)
    write_once(tmp_path / "fate.json", b"one")
    with pytest.raises(WrittenAlready, match="never overwritten"):
        write_once(tmp_path / "fate.json", b"two")
    assert (tmp_path / "fate.json").read_bytes() == b"one"
    assert [one.name for one in tmp_path.iterdir()] == ["fate.json"]


# -- slots --------------------------------------------------------------------------------------


def test_a_lost_ledger_is_written_again_from_the_heads(lab: Any) -> None:
    aborted = lab.begin()
    lab.end(aborted, "aborted", None)
    sessions = [lab.completed() for _ in range(3)]
    lab.folder.assignment_path.unlink()
    assert "lacks what was drawn for" in lab.status().problems[0]
    later = lab.begin()
    slots = [one.head.slot for one in (*sessions, later)]
    assert sorted(slots) == [0, 1, 2, 3]
    told = [(entry["what"], entry["slot"]) for entry in lab.ledger()]
    assert told[:2] == [("drawn", aborted.head.slot), ("released", aborted.head.slot)]
    assert [slot for what, slot in told if what == "filled"] == slots[:3]
    assert lab.ledger()[0]["restored"] is True
    assert lab.status().problems == ()


def test_a_slot_that_two_heads_hold_is_refused_with_a_sentence(lab: Any) -> None:
    first = lab.completed()
    copy = shutil.copytree(first.folder, first.folder.with_name("p09_20260301T130000"))
    head = json.loads((copy / "session.json").read_bytes())
    head |= {"session": copy.name, "participant": "p09"}
    (copy / "session.json").write_text(json.dumps(head))
    before = lab.folder.assignment_path.read_bytes()
    with pytest.raises(SessionError, match="holds it as well: lines of the assignment are lost"):
        lab.begin()
    assert lab.folder.assignment_path.read_bytes() == before
    assert "holds it as well" in " ".join(lab.status().problems)


def emptied(session: KeptSession) -> None:
    (session.folder / "session.json").write_bytes(b"")


def removed(session: KeptSession) -> None:
    (session.folder / "session.json").unlink()


def folder_removed(session: KeptSession) -> None:
    shutil.rmtree(session.folder)


@pytest.mark.parametrize("damage", [emptied, removed, folder_removed])
def test_a_filled_slot_is_not_drawn_again_when_its_head_is_lost(lab: Any, damage: Any) -> None:
    session = lab.completed()
    damage(session)
    later = lab.begin()
    assert later.head.slot != session.head.slot
    assert "released" not in [entry["what"] for entry in lab.ledger()]
    if damage is not folder_removed:
        assert later.head.participant == "p02", "the pseudonym is in the folder's name"
        assert "session.json is missing or damaged" in lab.status().problems[0]


def test_a_slot_under_way_is_not_given_away_when_its_head_is_damaged(lab: Any) -> None:
    session = lab.begin()
    emptied(session)
    assert lab.begin().head.slot != session.head.slot


def test_of_two_that_begin_together_the_second_is_refused(lab: Any) -> None:
    first = lab.begin(alone=True)
    before = lab.folder.assignment_path.read_bytes()
    with pytest.raises(SessionError, match=f"session {first.session} .* is open"):
        lab.begin(alone=True)
    assert lab.folder.assignment_path.read_bytes() == before


# -- erasing ------------------------------------------------------------------------------------


def test_a_damaged_head_keeps_nothing_from_being_erased(lab: Any) -> None:
    session = lab.completed()
    journal = lab.folder.path / f"{session.session}.jsonl"
    journal.write_bytes(b"")
    emptied(session)
    done = erased(lab, "P01")
    assert done.sessions == 1
    assert done.still_named == []
    assert not session.folder.exists()
    assert not journal.exists()
    assert "p01" not in lab.folder.assignment_path.read_text()
    assert lab.begin().head.slot == session.head.slot


def test_a_session_with_a_damaged_head_that_goes_on_is_not_erased(lab: Any) -> None:
    session = lab.begin()
    emptied(session)
    with locked(session.lock_path), pytest.raises(SessionError, match="end it first"):
        erased(lab, "p01")


def test_a_ledger_that_contradicts_itself_keeps_nobodys_data(lab: Any) -> None:
    session = lab.completed()
    with lab.folder.assignment_path.open("a") as file:
        file.write('{"what": "filled", "slot": 7, "session": "x", "kind": "study"}\n')
    assert erased(lab, "p01").sessions == 1
    assert not session.folder.exists()


def test_the_pseudonym_of_somebody_who_was_erased_stays_used(lab: Any) -> None:
    lab.completed()
    lab.end(lab.begin(participant="anna7"))
    for name in ("p01", "anna7"):
        erased(lab, name)
        assert name not in lab.folder.assignment_path.read_text()
        with pytest.raises(SessionError, match="has had a session in this study already"):
            lab.begin(participant=name.upper())
    assert lab.begin().head.participant == "p02"


# -- status -------------------------------------------------------------------------------------


def test_a_line_of_the_ledger_without_a_date_is_told(lab: Any) -> None:
    lab.completed()
    with lab.folder.assignment_path.open("a") as file:
        file.write('{"conditions_revealed": true}\n')
    assert lab.status().revealed == ("a day that is not known",)


def test_a_journal_with_an_unknown_plan_is_named_and_the_rest_is_told(lab: Any) -> None:
    session = lab.completed()
    plan = lab.plan.model_dump(mode="json")
    plan["study"]["colour"] = "red"
    about = {"session": session.session, "participant": "p01", "language": None, "plan": plan}
    path = lab.folder.path / f"{session.session}.jsonl"
    path.write_text(json.dumps({"begins": about}) + "\n")
    told = lab.status()
    assert told.completed == 1
    (problem,) = told.problems
    assert problem == (
        f"the plan in {path} cannot be read (study.colour: extra inputs are not permitted): its "
        "deviations are not counted"
    )


@pytest.mark.parametrize("line", ['{"begins": 5}', "5", '{"begins": {"session": "x"}}', "[]"])
def test_a_journal_that_is_none_is_told(lab: Any, line: str) -> None:
    lab.completed()
    path = lab.folder.path / "p09_20260101T000000.jsonl"
    path.write_text(f"{line}\n")
    (told,) = lab.status().problems
    assert told.startswith(f"{path} is no session file: ")
    assert "object" not in told


def test_inputs_are_compared_with_those_of_the_first_session_that_still_has_them(lab: Any) -> None:
    first = lab.completed()
    lab.completed()
    (lab.scenario / "own.py").write_text("clicks = len")
    lab.completed()
    (first.folder / "inputs.json").write_bytes(b"")
    told = lab.status()
    assert [line.differs for line in told.sessions] == [(), (), ("scenarios/small/own.py",)]
    (problem,) = told.problems
    assert f"{first.folder / 'inputs.json'} is missing or damaged" in problem


@pytest.mark.parametrize(
    ("key", "value"), [("slot", "x"), ("slot", True), ("conditions", []), ("conditions", "azure")]
)
def test_a_head_with_nonsense_is_told(lab: Any, key: str, value: Any) -> None:
    session = lab.completed()
    path = session.folder / "session.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()) | {key: value}))
    told = lab.status()
    assert told.sessions == ()
    assert "session.json is no head of a session" in told.problems[0]
