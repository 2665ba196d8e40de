"""Each participant's originals lie in a file of their own, which can be erased alone."""

from __future__ import annotations

import re
import sys

import pytest

from sera.messages import (
    ConditionAssigned,
    PersonDetected,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
    Speak,
    SpeechHeard,
    SpeechWord,
)
from sera.recording import (
    UnknownParticipant,
    erase_participant,
    list_participants,
    participants_folder,
)

NAME = "Placeholder"


def assign(participant: str) -> ConditionAssigned:
    return ConditionAssigned(session="s1", participant=participant, condition="a")


def test_originals_go_to_the_participant_of_the_session_or_of_the_message(recording):
    recording.say(SpeechHeard(text="before"))
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="during"))
    recording.say(SessionPhase(session="s2", phase="talk", status="started", participant="P08"))
    recording.say(SessionMark(label="note", note="odd"))
    recording.say(SessionPhase(session="s2", phase="talk", status="finished"))
    recording.say(
        QuestionnaireAnswered(
            questionnaire="q", participant="P07", answers={"i1": 3}, free_answers={"i2": "late"}
        )
    )
    recording.say(SpeechHeard(text="still the second"))
    data = recording.data()
    assert [data[0]["text"], data[2]["text"]] == ["~unassigned.1", "~P07.1"]
    assert data[4]["note"] == "~P08.1"
    assert data[6]["answers"] == {"i1": 3}
    assert data[6]["free_answers"] == {"i2": "~P07.2"}
    assert data[7]["text"] == "~P08.2"
    assert [one.participant for one in list_participants(participants_folder(recording.path))] == [
        "P07",
        "P08",
        "unassigned",
    ]


def test_the_same_name_belongs_to_each_participant_who_has_it(recording):
    recording.say(assign("P07"))
    recording.say(PersonDetected(person="visitor_1", name=NAME))
    recording.say(assign("P08"))
    recording.say(Speak(text=f"Like {NAME}"))
    recording.say(PersonDetected(person="visitor_2", name=NAME))
    recording.say(Speak(text=f"Hello {NAME}"))
    data = recording.data()
    assert [data[1]["name"], data[3]["text"]] == ["~P07.1", "Like ~P07.1"]
    assert [data[4]["name"], data[5]["text"]] == ["~P08.1", "Hello ~P08.1"]


def test_one_participant_is_erased_alone_and_the_log_stays_as_it_is(recording):
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="first secret"))
    recording.say(assign("P08"))
    recording.say(SpeechHeard(text="second secret"))
    log_text = recording.log_text()
    erased = erase_participant(recording.path, "P07")
    assert (erased.participant, erased.originals) == ("P07", 1)
    assert not erased.path.exists()
    assert recording.log_text() == log_text
    texts = [data["text"] for data in recording.data(restore=True) if "text" in data]
    assert texts == ["~P07.1", "second secret"]
    with pytest.raises(UnknownParticipant, match=r"'P07' in .* are erased already"):
        erase_participant(recording.path, "P07")
    with pytest.raises(UnknownParticipant, match=r"no participant 'P09' .* kept of P08"):
        erase_participant(recording.path, "P09")


def test_after_an_erasure_no_pseudonym_is_given_out_twice(recording):
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="one"))
    recording.writer.flush()
    erase_participant(recording.path, "P07")
    recording.say(SpeechHeard(text="two"))
    recording.writer.close()
    erase_participant(recording.path, "P07")
    recording.writer = recording.open("append")
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="three"))
    texts = [data["text"] for data in recording.data(restore=True) if "text" in data]
    assert texts == ["~P07.1", "~P07.2", "three"]


def test_a_recorder_that_starts_again_still_knows_all_names(recording):
    recording.say(PersonDetected(person="visitor_1", name="Placeholder Example"))
    recording.say(Speak(text="PLACEHOLDER EXAMPLE"))
    recording.say(SpeechWord(speech="s", index=0, text="Example", start_s=0))
    recording.writer.flush()
    recording.writer = recording.open("append")
    recording.say(Speak(text="Placeholder Example, PLACEHOLDER EXAMPLE, placeholder example"))
    recording.say(SpeechWord(speech="s", index=0, text="Example", start_s=0))
    data = recording.data()
    assert data[3]["text"] == "~unassigned.1, ~unassigned.1v2, ~unassigned.1v3"
    assert data[4]["text"] == data[2]["text"] == "~unassigned.2"


def test_a_recorder_that_starts_again_still_knows_who_takes_part(recording):
    recording.say(assign("P07"))
    recording.say(SpeechHeard(text="one"))
    recording.say(SessionPhase(session="s1", phase="talk", status="finished"))
    recording.writer.flush()
    recording.writer = recording.open("append")
    recording.say(SpeechHeard(text="two"))
    assert recording.data()[-1]["text"] == "~P07.2"


def test_an_original_is_on_disk_no_later_than_the_line_that_uses_it(recording):
    seen: list[bool] = []
    flush_log = recording.writer._log.flush

    def flush() -> bool:
        seen.append(
            "the original"
            in recording.path.with_name("test.jsonl.participants")
            .joinpath("unassigned.jsonl")
            .read_text(encoding="utf-8")
        )
        return flush_log()

    recording.writer._log.flush = flush
    recording.now_s = 10.0
    recording.say(SpeechHeard(text="the original"))
    assert seen == [True]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_originals_are_for_the_eyes_of_their_owner_only(recording):
    recording.say(SpeechHeard(text="words"))
    recording.writer.flush()
    (one,) = list_participants(participants_folder(recording.path))
    assert one.path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "participant",
    [
        "../../escape",
        "/etc/x",
        "a/b",
        "..",
        "con",
        "NUL",
        "erased",
        "p 07",
        "x" * 300,
        "\u00e9\u0000",
    ],
)
def test_no_id_of_a_participant_leads_out_of_the_folder_or_to_a_device(recording, participant):
    recording.say(assign(participant))
    recording.say(SpeechHeard(text="words"))
    recording.writer.flush()
    folder = participants_folder(recording.path)
    (one,) = list_participants(folder)
    assert one.participant == participant
    assert [path.name for path in folder.iterdir()] == [one.path.name]
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,41}\.jsonl", one.path.name)
    assert one.path.stem.lower() not in ("con", "nul", "erased")
    assert recording.data(restore=True)[1]["text"] == "words"


def test_ids_that_look_alike_as_file_names_get_files_of_their_own(recording):
    for participant in ("p/1", "p_1", "P_1"):
        recording.say(assign(participant))
        recording.say(SpeechHeard(text=f"words of {participant}"))
    recording.writer.flush()
    labels = [one.label for one in list_participants(participants_folder(recording.path))]
    assert sorted(labels) == ["P_1_3", "p_1", "p_1_2"]
    texts = [data["text"] for data in recording.data(restore=True) if "text" in data]
    assert texts == ["words of p/1", "words of p_1", "words of P_1"]


def test_a_study_that_uses_names_as_ids_does_not_bring_them_into_the_log(recording):
    recording.say(PersonDetected(person="visitor_1", name=NAME))
    recording.say(assign(NAME))
    recording.say(SpeechHeard(text="words"))
    assert NAME not in recording.log_text()
    assert recording.data()[2]["text"] == "~participant.1"
