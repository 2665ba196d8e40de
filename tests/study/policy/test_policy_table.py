"""From recordings to cases: what was seen, what was chosen, and what was let pass."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sera.recording import RunFolder, UnknownRun
from sera.study.policy import (
    NOTHING,
    NotLearnable,
    PolicyTable,
    Recording,
    find_recordings,
    read_table,
    scenario_of,
)


class Book:
    """Writes a log by hand."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lines: list[dict[str, Any]] = []

    def add(self, kind: str, time_s: float, data: dict[str, Any], who: str = "world") -> str:
        name = f"world.x-0-{len(self._lines) + 1}"
        self._lines.append(
            {
                "received": time_s,
                "topic": f"sera/run/{who}/{kind}/x",
                "type": kind,
                "id": name,
                "time": time_s,
                "source": "world.x",
                "character": who,
                "cause": None,
                "protocol": 1,
                "data": data,
            }
        )
        return name

    def heard(self, time_s: float, confidence: float) -> str:
        data = {"text": "~t1", "confidence": confidence, "final": True}
        return self.add("SpeechHeard", time_s, data)

    def moved(self, time_s: float, x_m: float) -> str:
        data = {"person": "p", "position": {"x_m": x_m, "y_m": 1.0, "z_m": 1.0}}
        return self.add("PersonMoved", time_s, data)

    def decided(
        self, time_s: float, posture: str, seen: list[str], *, restricted: bool = True
    ) -> None:
        order = self.add("SetPosture", time_s, {"posture": posture, "blend_s": 0.5}, "ada")
        data = {
            "action": order,
            "action_type": "SetPosture",
            "by": "wizard",
            "restricted": restricted,
            "seen": seen,
        }
        self.add("OperatorDecided", time_s, data, "ada")

    def close(self) -> Path:
        self._lines.sort(key=lambda line: line["received"])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self._lines))
        return self.path


def table_of(book: Book, **options: Any) -> PolicyTable:
    return read_table([Recording(book.close(), "one")], **options)


def told(table: PolicyTable) -> list[tuple[float, str]]:
    return [(row.moment.facts["SpeechHeard"]["confidence"], row.choice.label) for row in table.rows]


HOT, COLD = (f"SetPosture posture={name} blend_s=0.5" for name in ("hot", "cold"))


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "log.jsonl")


def test_a_decision_answers_the_newest_perception_and_silence_is_a_choice(book: Book) -> None:
    first = book.heard(1.0, 0.9)
    book.decided(2.5, "hot", [first])
    book.heard(5.0, 0.2)
    third = book.heard(9.0, 0.4)
    book.decided(10.2, "cold", [first, third])
    table = table_of(book)
    assert table.acts_on == "SpeechHeard"
    assert told(table) == [(0.9, HOT), (0.2, NOTHING), (0.4, COLD)]
    assert table.choices == {HOT: 1, NOTHING: 1, COLD: 1}


def test_what_came_too_late_to_be_reacted_to_is_not_what_was_answered(book: Book) -> None:
    first = book.heard(1.0, 0.9)
    second = book.heard(2.3, 0.1)
    book.decided(2.5, "hot", [first, second])
    book.decided(4.0, "cold", [first, second])
    assert told(table_of(book)) == [(0.9, HOT), (0.1, COLD)]


def test_a_row_holds_what_was_known_when_the_perception_came_and_not_when_the_key_was_pressed(
    book: Book,
) -> None:
    book.moved(0.5, 1.0)
    asked = book.heard(1.0, 0.9)
    later = book.moved(2.0, 7.0)
    book.decided(2.5, "hot", [asked, later])
    (row,) = table_of(book).rows
    assert row.moment.facts["PersonMoved"]["position"]["x_m"] == 1.0
    assert row.moment.ages_s == {"PersonMoved": 0.5, "SpeechHeard": 0.0}


def test_kinds_of_facts_that_were_not_on_the_page_are_in_no_row(book: Book) -> None:
    book.add("SoundLevel", 0.9, {"loudness_dbfs": [-20.0]})
    asked = book.heard(1.0, 0.9)
    book.decided(2.5, "hot", [asked])
    (row,) = table_of(book).rows
    assert set(row.moment.facts) == {"SpeechHeard"}


def test_of_two_orders_after_the_same_perception_the_second_put_the_first_right(
    book: Book,
) -> None:
    asked = book.heard(1.0, 0.9)
    book.decided(2.0, "cold", [asked])
    book.decided(2.8, "hot", [asked])
    table = table_of(book)
    assert told(table) == [(0.9, HOT)]
    assert table.left_out == {"an earlier order after the same SpeechHeard": 1}


def test_an_order_that_was_marked_as_a_mistake_is_left_out(book: Book) -> None:
    asked = book.heard(1.0, 0.9)
    book.decided(2.0, "hot", [asked])
    wrong = book.heard(5.0, 0.1)
    book.decided(6.0, "hot", [asked, wrong])
    order = book._lines[-2]["id"]
    mark = {"label": "wizard_error", "by": "wizard", "about": order}
    book.add("SessionMark", 6.8, mark)
    table = table_of(book)
    assert told(table) == [(0.9, HOT), (0.1, NOTHING)]
    assert table.left_out == {"taken back at once": 1}


def test_decisions_with_picture_and_sound_are_not_taken_unless_asked_for(book: Book) -> None:
    asked = book.heard(1.0, 0.9)
    book.decided(2.5, "hot", [asked], restricted=False)
    with pytest.raises(NotLearnable, match="restricted perception"):
        table_of(book)
    table = table_of(book, also_unrestricted=True)
    assert len(table.rows) == 1
    assert "a policy cannot know it" in table.warnings[0]


def test_only_one_kind_of_order_is_learned_and_the_others_are_counted(book: Book) -> None:
    asked = book.heard(1.0, 0.9)
    book.decided(2.5, "hot", [asked])
    gaze = book.add("GazeAt", 3.0, {"target": "p"}, "ada")
    book.add(
        "OperatorDecided",
        3.0,
        {"action": gaze, "action_type": "GazeAt", "by": "w", "restricted": True, "seen": [asked]},
    )
    again = book.heard(6.0, 0.8)
    book.decided(7.0, "hot", [again])
    assert table_of(book).left_out == {"other orders (GazeAt)": 1}
    both = table_of(book, only=["GazeAt", "SetPosture"])
    assert "GazeAt target=p" in both.choices
    with pytest.raises(NotLearnable, match="nobody ordered Highlight"):
        table_of(book, only=["Highlight"])


def test_a_log_without_operators_says_what_to_record(book: Book) -> None:
    book.heard(1.0, 0.9)
    with pytest.raises(NotLearnable, match="no operator decided anything"):
        table_of(book)


def test_damaged_lines_and_strange_decisions_do_no_harm(book: Book) -> None:
    asked = book.heard(1.0, 0.9)
    book.decided(2.5, "hot", [asked, "nobody-0-1"])
    book.add("OperatorDecided", 3.0, {"action": 5, "seen": "all"})
    path = book.close()
    path.write_text(path.read_text() + '{"type": "Opera')
    table = read_table([Recording(path, "one")])
    assert told(table) == [(0.9, HOT)]
    assert any("1 damaged lines" in warning for warning in table.warnings)


def test_messages_that_nobody_knows_are_told(book: Book) -> None:
    asked = book.heard(1.0, 0.9)
    book.add("CardTurnedOver", 1.2, {"card": 3})
    book.decided(2.5, "hot", [asked])
    (warning,) = table_of(book).warnings
    assert "nobody here knows the messages CardTurnedOver" in warning


# -- which recordings --------------------------------------------------------------------------


def test_sessions_of_one_participant_are_one_group(tmp_path: Path) -> None:
    for session, participant in (("s1", "p1"), ("s2", "p1"), ("s3", "p2")):
        folder = tmp_path / "studies" / "ahoy" / "sessions" / session
        Book(folder / "runs" / "1" / "log.jsonl").close()
        (folder / "session.json").write_text(json.dumps({"participant": participant}))
    found = find_recordings(["ahoy"], tmp_path)
    assert [one.group for one in found] == [
        "participant p1",
        "participant p1",
        "participant p2",
    ]


def test_logs_that_lie_in_one_folder_stand_for_themselves_and_say_their_scenario(
    tmp_path: Path,
) -> None:
    for name in ("r1", "r2"):
        path = Book(tmp_path / "lg" / f"{name}.jsonl").close()
        head = {"sera_log": 1, "run": "ahoy_virtual", "scenario": "ahoy"}
        path.write_text(json.dumps(head) + "\n" + path.read_text())
    found = find_recordings([str(tmp_path / "lg" / f"r{n}.jsonl") for n in (1, 2)], tmp_path)
    assert [one.group for one in found] == ["r1", "r2"]
    assert {scenario_of(one) for one in found} == {"ahoy"}


def test_trainings_are_not_learned_from(tmp_path: Path) -> None:
    for name, more in (("a", {}), ("b", {"training_of": "a"})):
        run = RunFolder.create(name, scenario="ahoy", base=tmp_path, **more)
        Book(run.path / "log.jsonl").close()
    assert [one.group for one in find_recordings(["ahoy"], tmp_path)] == ["a"]


def test_runs_of_a_scenario_are_found_by_its_name_each_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        scenario = "ahoy" if name != "c" else "hello"
        run = RunFolder.create(name, scenario=scenario, base=tmp_path)
        Book(run.path / "log.jsonl").close()
    assert {one.group for one in find_recordings(["ahoy", "a"], tmp_path)} == {"a", "b"}
    assert [one.group for one in find_recordings(["c"], tmp_path)] == ["c"]
    with pytest.raises(UnknownRun, match="no log or run 'nobody'"):
        find_recordings(["nobody"], tmp_path)
