"""Sessions of a study on the disk: draws, fates, frozen inputs, what a crash leaves behind."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from sera.messages import Envelope, Message, QuestionnaireAnswered, SessionMark
from sera.recording import LogHeader, LogWriter, RunFolder
from sera.runtime.workspace import Workspace
from sera.study import load_plan
from sera.study.sessions import (
    KeptSession,
    SessionError,
    StudyFolder,
    Wish,
    WrittenAlready,
    erase,
    locked,
    look_at,
    note_revealing,
    take_rows,
    why_excluded,
    write_once,
)
from sera.study.sessions import _files as session_files

ROOT = Path(__file__).parents[2]
SCENARIO = """
[scenario]
title = "Small"
[modules.own]
[modules.mine]
module = "./mine.py"
sheets = ["../shared/lines.csv", "OUTSIDE", ".."]
[characters.ada]
robot = "adelino"
[conditions.a.modules.own]
[conditions.b.modules.own]
"""
STUDY = """
[study]
title = "Small"
[design]
assignment = "{assignment}"
seed = 3
[[design.factors]]
name = "f"
kind = "{kind}"
levels = ["x", "y"]
[[design.conditions]]
name = "a"
levels = {{ f = "x" }}
[[design.conditions]]
name = "b"
levels = {{ f = "y" }}
[design.sample]
per_condition = 4
[[design.exclusions]]
name = "quiet"
reason = "said nothing"
measure = "Marks"
below = 1
[[measures]]
name = "Marks"
how = "count"
message = "SessionMark"
[[phases]]
name = "before"
conditions = "first"
[[phases.steps]]
name = "consent"
title = "Consent"
form = "consent"
[[phases]]
name = "all"
[[phases.steps]]
name = "play"
title = "Play"
"""
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class Lab:
    """A workspace with a study."""

    def __init__(self, base: Path, assignment: str = "blocked", kind: str = "between") -> None:
        self.base = base
        outside = base / "outside.csv"
        outside.write_text("x")
        root = base / "lab"
        for name, text in {
            "scenarios/small/scenario.toml": SCENARIO.replace("OUTSIDE", str(outside)),
            "scenarios/small/study.toml": STUDY.format(assignment=assignment, kind=kind),
            "scenarios/small/mine.py": "from .helper import x",
            "scenarios/small/helper.py": "x = 1",
            "scenarios/small/console.toml": 'title = "Desk"',
            "robots/shared/postures/laboratory.toml": "own",
            "scenarios/small/memories/memory-p01.json": "{}",
            "scenarios/shared/lines.csv": "a,b",
            "scenarios/shared/nobodys.csv": "a,b",
            "modules/own/__init__.py": "",
            "modules/leaned_on/__init__.py": "",
        }.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        self.scenario = root / "scenarios" / "small"
        self.workspace = Workspace.discover(root)
        self.plan = load_plan(self.scenario / "study.toml")
        self.folder = StudyFolder(base / "runs" / "studies" / "small")
        self.now = NOON

    def begin(self, kind: Any = "study", **more: Any) -> KeptSession:
        self.now += timedelta(minutes=1)
        return self.folder.begin(
            self.plan,
            Wish(kind=kind, **more),
            scenario_file=self.scenario / "scenario.toml",
            workspace=self.workspace,
            now=self.now,
        )

    def end(self, session: KeptSession, fate: Any = "completed", reason: str | None = None) -> None:
        self.folder.end(session, fate, reason, self.now)

    def ledger(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.folder.assignment_path.open()]


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


def test_cells_fill_up_although_sessions_are_aborted_excluded_and_replaced(lab: Lab) -> None:
    for fate in ("aborted", "excluded", "completed", "replaced"):
        lab.end(lab.begin(), fate, "because")
    completed = [s.head.conditions[0] for s in lab.folder.sessions() if s.fate == "completed"]
    while len(completed) < 8:
        session = lab.begin()
        lab.end(session)
        completed.append(session.head.conditions[0])
    assert (completed.count("a"), completed.count("b")) == (4, 4)
    told = look_at(lab.folder, lab.plan, reveal=True)
    assert told.cells == {"a": 4, "b": 4}
    assert (told.completed, told.planned) == (8, 8)
    assert told.counts["study"] == {"aborted": 1, "excluded": 1, "completed": 8, "replaced": 1}


def test_pilots_and_rehearsals_take_no_slot_of_the_study(lab: Lab) -> None:
    lab.end(lab.begin("pilot"))
    lab.end(lab.begin("rehearsal"))
    chosen = lab.begin("rehearsal", condition="b")
    lab.end(chosen)
    assert (chosen.head.conditions, chosen.head.method) == (("b",), "by_hand")
    assert lab.folder.ledger("study") == []
    names = [session.head.participant for session in lab.folder.sessions()]
    assert names == ["pilot01", "r01", "r02"]
    assert lab.begin().head.participant == "p01"


def test_a_pseudonym_is_used_once_whatever_became_of_it(lab: Lab) -> None:
    lab.end(lab.begin(participant="P7"), "aborted", None)
    with pytest.raises(SessionError, match="p7 has had a session in this study already"):
        lab.begin(participant="p7")
    with pytest.raises(SessionError, match="is no pseudonym"):
        lab.begin(participant="Anna")
    (lab.folder.path / "q9_20260101T000000_2.jsonl").touch()
    with pytest.raises(SessionError, match="q9 has had a session"):
        lab.begin(participant="q9")


def test_what_a_session_keeps_is_written_once(lab: Lab, tmp_path: Path) -> None:
    with pytest.raises(WrittenAlready, match="never overwritten"):
        write_once(lab.begin().folder / "session.json", b"{}")
    session = lab.folder.open_session()
    assert session is not None
    lab.end(session)
    with pytest.raises(SessionError, match="is completed already"):
        lab.end(session)
    with pytest.raises(SessionError, match="only excluded or replaced"):
        lab.end(session, "aborted")
    with pytest.raises(SessionError, match="say why"):
        lab.end(session, "excluded", " ")
    lab.end(session, "excluded", "fell asleep")
    again = lab.folder.find(session.session)
    assert (again.fate, again.reason) == ("excluded", "fell asleep")
    assert [one["fate"] for one in again.fate_history] == ["completed", "excluded"]


def test_a_draw_that_was_cut_off_before_its_head_gives_its_slot_back(lab: Lab) -> None:
    cut_off = lab.begin()
    (cut_off.folder / "session.json").unlink()
    with lab.folder.assignment_path.open("a") as file:
        file.write('{"what": "drawn", "slot": 7, "se')
    later = lab.begin()
    whats = [json.loads(x)["what"] for x in lab.folder.assignment_path.open() if x.endswith("}\n")]
    assert whats == ["drawn", "released", "drawn"]
    assert lab.folder.sessions()[0].session == later.session
    assert lab.folder.open_session() is not None


def test_a_fate_that_a_crash_kept_out_of_the_ledger_is_made_up_for(lab: Lab) -> None:
    session = lab.begin()
    session.write_fate("aborted", "crash", "2026-03-01")
    lab.begin()
    assert [entry["what"] for entry in lab.ledger()] == ["drawn", "released", "drawn"]


def test_two_starts_at_the_same_moment_do_not_get_the_same_slot(lab: Lab) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from datetime import timedelta
from pathlib import Path
import test_study_folder as t
lab = t.Lab.__new__(t.Lab)
lab.scenario = Path({str(lab.scenario)!r})
lab.workspace = t.Workspace.discover(lab.scenario.parents[1])
lab.plan = t.load_plan(lab.scenario / "study.toml")
lab.folder = t.StudyFolder(Path({str(lab.folder.path)!r}))
lab.now = t.NOON
for _ in range(2):
    lab.begin()
"""
    starts = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT) for _ in range(3)]
    assert [start.wait(120) for start in starts] == [0, 0, 0]
    slots = [entry["slot"] for entry in lab.ledger()]
    assert sorted(slots) == list(range(6))
    assert len({session.session for session in lab.folder.sessions()}) == 6


def test_a_lock_goes_with_the_process_that_held_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    code = f"""
from pathlib import Path
from sera.study.sessions import locked
with locked(Path({str(path)!r})):
    print("held", flush=True)
    input()
"""
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.readline()
    with pytest.raises(SessionError, match=f"process {process.pid} since"), locked(path):
        pass
    process.kill()
    process.wait(10)
    process.stdout.close()
    assert process.stdin is not None
    process.stdin.close()
    with locked(path):
        assert str(os.getpid()) in path.read_text()


# -- frozen inputs ------------------------------------------------------------------------------


def test_everything_that_a_session_is_made_of_is_frozen(lab: Lab) -> None:
    session = lab.begin()
    frozen = session.frozen()
    assert frozen is not None
    for place in (
        "scenarios/small/scenario.toml",
        "scenarios/small/study.toml",
        "scenarios/small/helper.py",
        "scenarios/small/console.toml",
        "scenarios/small/questionnaires/consent.toml",
        "scenarios/shared/lines.csv",
        "modules/own/__init__.py",
        "modules/leaned_on/__init__.py",
        "modules/study_guide/__init__.py",
        "robots/adelino/body.toml",
        "robots/shared/program.toml",
        "robots/shared/postures/laboratory.toml",
    ):
        assert (frozen.folder / place).is_file(), place
        assert len(frozen.files[place]) == 64
    assert list(frozen.elsewhere) == [str(lab.base / "outside.csv")]
    assert not any("memory-" in place or "nobodys" in place for place in frozen.files)
    assert {"numpy", "python", "sera"} <= frozen.packages.keys()
    assert frozen.seed == session.head.seed
    assert frozen.digest == session.head.inputs
    assert not frozen.damage()
    workspace = frozen.workspace(lab.workspace)
    assert workspace.find_scenario("small").is_relative_to(session.folder)
    assert workspace.find_module("own").is_relative_to(session.folder)


def test_a_program_that_is_saved_meanwhile_is_not_that_of_the_session(lab: Lab) -> None:
    shared = lab.base / "lab" / "robots" / "shared"
    (shared / "program.toml").write_text("# the laboratory's own")
    first = lab.begin()
    lab.end(first)
    frozen = first.folder / "inputs" / "robots" / "shared" / "program.toml"
    assert frozen.read_text() == "# the laboratory's own", "it stands before the built-in one"
    (shared / "program.toml").write_text("# saved meanwhile")
    assert frozen.read_text() == "# the laboratory's own"
    lab.begin()
    lines = look_at(lab.folder, lab.plan).sessions
    assert [line.differs for line in lines] == [(), ("robots/shared/program.toml",)]


def test_frozen_files_are_shared_and_a_change_is_named(lab: Lab) -> None:
    first = lab.begin()
    lab.end(first)
    (lab.scenario / "helper.py").write_text("x = 2")
    (lab.scenario / "new.py").touch()
    second = lab.begin()
    shared = [s.folder / "inputs/scenarios/small/mine.py" for s in (first, second)]
    assert shared[0].stat().st_ino == shared[1].stat().st_ino
    kept = first.folder / "inputs/scenarios/small/helper.py"
    assert kept.read_text() == "x = 1"
    lines = look_at(lab.folder, lab.plan).sessions
    assert [line.differs for line in lines] == [
        (),
        ("scenarios/small/helper.py", "scenarios/small/new.py (new)"),
    ]
    kept.chmod(0o644)
    kept.write_text("x = 3")
    assert first.frozen().damage() == ["scenarios/small/helper.py"]  # type: ignore[union-attr]


# -- rows ---------------------------------------------------------------------------------------


def record(session: KeptSession, number: int, period: int, messages: list[Message]) -> None:
    run = RunFolder.create(str(number), base=session.runs, scenario="small", period=period)
    writer = LogWriter(run.log_path, header=LogHeader(run="r"), clock_now=lambda: 0.0)
    for place, message in enumerate(messages):
        writer.write(
            Envelope(
                id=f"world.x-1-{number}{place}",
                time=float(place),
                source="world.x",
                character="world",
                message=message,
            ),
            float(place),
        )
    writer.close()


def test_rows_come_from_the_logs_of_all_runs_of_a_session(tmp_path: Path) -> None:
    lab = Lab(tmp_path, kind="within")
    session = lab.begin()
    assert sorted(session.head.conditions) == ["a", "b"]
    form = QuestionnaireAnswered(
        questionnaire="consent",
        participant="p01",
        answers={"taking_part": True, "recording": False},
        free_answers={"x": "secret"},
    )
    record(session, 1, 1, [SessionMark(label="note"), form])
    record(session, 2, 1, [SessionMark(label="note")])
    record(session, 10, 2, [])
    lab.end(session)
    rows = take_rows(lab.plan, lab.folder.sessions(), lab.scenario)
    assert [(row.period, row.condition) for row in rows] == list(
        enumerate(session.head.conditions, start=1)
    )
    assert [row.measures for row in rows] == [{"Marks": 2}, {"Marks": 0}]
    assert rows[0].answers == {"consent": {"taking_part": True, "recording": False}}
    assert rows[1].answers == {}
    assert rows[0].factors == {"f": "x" if rows[0].condition == "a" else "y"}
    assert why_excluded(lab.plan, session, lab.scenario) == "said nothing"
    assert [phase.name for phase in lab.plan.for_period(1, 2).phases] == ["before", "all"]
    assert [phase.name for phase in lab.plan.for_period(2, 2).phases] == ["all"]


# -- bad days -----------------------------------------------------------------------------------


def test_no_session_begins_on_a_full_disk(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage(lab.base)._replace(free=1_000_000)
    monkeypatch.setattr(session_files.shutil, "disk_usage", lambda _place: usage)
    with pytest.raises(SessionError, match="only 1 MB are free"):
        lab.begin()
    assert not lab.folder.assignment_path.exists()


def test_a_disk_that_fills_up_during_the_draw_costs_no_slot_and_nothing_kept(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.end(lab.begin())
    before = lab.folder.assignment_path.read_bytes()
    sync = os.fsync

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(session_files.os, "fsync", full)
    with pytest.raises(SessionError, match="the disk is full"):
        lab.begin()
    monkeypatch.setattr(session_files.os, "fsync", sync)
    assert lab.folder.assignment_path.read_bytes() == before
    assert len(list((lab.folder.path / "sessions").iterdir())) == 1
    lab.begin()
    assert [entry["what"] for entry in lab.ledger()] == ["drawn", "filled", "drawn"]


def test_a_damaged_head_is_told_and_left_alone(lab: Lab) -> None:
    session = lab.begin()
    (session.folder / "session.json").write_text("{")
    told = look_at(lab.folder, lab.plan)
    assert told.sessions == ()
    assert "is missing or damaged" in told.problems[0]


def test_a_design_that_was_changed_after_the_first_draw_is_refused(lab: Lab) -> None:
    for _ in range(3):
        lab.end(lab.begin())
    design = lab.plan.design
    assert design is not None
    renamed = [one.model_copy(update={"name": f"{one.name}2"}) for one in design.conditions]
    changed = design.model_copy(update={"conditions": renamed})
    lab.plan = lab.plan.model_copy(update={"design": changed})
    with pytest.raises(SessionError, match="was changed after the first session"):
        lab.begin()


def test_status_tells_conditions_only_when_it_may(lab: Lab) -> None:
    lab.end(lab.begin())
    told = look_at(lab.folder, lab.plan)
    assert told.cells is None
    assert told.sessions[0].conditions is None
    note_revealing(lab.folder, lab.now)
    told = look_at(lab.folder, lab.plan, reveal=True)
    assert told.sessions[0].conditions in (("a",), ("b",))
    assert len(told.revealed) == 1
    lab.begin()  # the line about revealing is none of the ledger's


def test_erasing_one_participant_keeps_the_others_and_gives_the_slot_back(lab: Lab) -> None:
    first, second = lab.begin(participant="anna7"), lab.begin(participant="bert8")
    for session in (first, second):
        lab.end(session)
    export = lab.folder.path / "export.csv"
    export.write_text("anna7,1\n")
    kept = {}
    for scenario in ("small", "other"):
        run = RunFolder.create(f"{scenario}-1", base=lab.base / "runs", scenario=scenario)
        kept[scenario] = run.participants_path / "anna7.jsonl"
        kept[scenario].write_text('{"sera_participant": 1, "participant": "anna7"}\n')
    done = erase(
        lab.folder,
        "Anna7",
        scenario="small",
        runs=lab.base / "runs",
        memory_folders=[lab.base / "runs" / "memories"],
        now=lab.now,
    )
    assert done.sessions == 1
    assert done.still_named == [export]
    export.unlink()
    assert [name for name, path in kept.items() if path.exists()] == ["other"]
    assert [session.head.participant for session in lab.folder.sessions()] == ["bert8"]
    assert (second.folder / "inputs/scenarios/small/mine.py").read_text() == "from .helper import x"
    assert "anna7" not in lab.folder.assignment_path.read_text()
    taken = [entry["what"] for entry in lab.ledger() if "what" in entry]
    assert taken.count("released") == 1
    assert lab.begin().head.slot == first.head.slot


def test_a_session_under_way_is_not_erased(lab: Lab) -> None:
    session = lab.begin()
    with locked(session.lock_path), pytest.raises(SessionError, match="end it first"):
        erase(
            lab.folder,
            "p01",
            scenario="small",
            runs=lab.base / "runs",
            memory_folders=[],
            now=lab.now,
        )
