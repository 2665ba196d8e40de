"""The guide through a session: whatever is pressed in whatever order, the records agree."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sera.messages import PhaseStatus, SessionMark, SessionPhase
from sera.study import Guide, NotNow, Phase, PlannedStep, Press, StudyFacts, StudyPlan
from sera.study.guide import Do

PLAN = StudyPlan(
    study=StudyFacts(title="Play", languages=["en", "pt"]),
    phases=[
        Phase(
            name="before",
            steps=[
                PlannedStep(name="welcome", title="Welcome", planned_s=10),
                PlannedStep(name="about", title="Form", form="demographics", goes_on=True),
            ],
        ),
        Phase(
            name="during",
            steps=[
                PlannedStep(
                    name="play", title="Play", planned_s=20, early_before_s=5, late_after_s=30
                ),
                PlannedStep(name="after", title="Form", form="comments"),
            ],
        ),
    ],
)
STARTS = (PhaseStatus.STARTED, PhaseStatus.REPEATED)
ENDS = (PhaseStatus.FINISHED, PhaseStatus.SKIPPED, PhaseStatus.ABORTED)
STEPS = st.sampled_from([None, "welcome", "about", "play", "after", "pley", "before", "during"])
FORMS = st.sampled_from([None, "demographics", "comments"])
PRESSES = st.lists(
    st.tuples(st.sampled_from(get_args(Do)), st.floats(0, 25), STEPS, FORMS), max_size=40
)


def guide() -> Guide:
    return Guide(PLAN, session="s1", participant="p01")


def pressed(guided: Guide, *presses: tuple[Any, ...]) -> list[Any]:
    said: list[Any] = []
    for do, at_s, *rest in presses:
        said += guided.take(Press(do, at_s, *rest))
    return said


def notes(said: list[Any]) -> list[str]:
    return [one.note for one in said if isinstance(one, SessionMark)]


def steps_said(said: list[Any]) -> list[tuple[str | None, str]]:
    return [(one.step, str(one.status)) for one in said if isinstance(one, SessionPhase)]


@settings(max_examples=300, deadline=None)
@given(PRESSES)
def test_whatever_is_pressed_every_started_step_ends_once_and_deviations_are_counted(
    presses: list[Any],
) -> None:
    guided, said, now_s = guide(), [], 0.0
    expected: Counter[str] = Counter()
    for do, pause_s, step, form in presses:
        now_s += pause_s
        try:
            said += guided.take(Press(do, now_s, step=step, questionnaire=form))
        except NotNow:
            continue
        expected[do] += 1
    open_steps: Counter[tuple[str, str]] = Counter()
    open_phases: Counter[str] = Counter()
    for record in said:
        if not isinstance(record, SessionPhase):
            continue
        place: Any = record.phase if record.step is None else (record.phase, record.step)
        opened: Counter[Any] = open_phases if record.step is None else open_steps
        if record.status in STARTS:
            opened[place] += 1
        elif record.status in ENDS:
            assert opened[place] > 0, "something ends that did not begin"
            opened[place] -= 1
        assert sum(open_steps.values()) <= 2
        assert sum(open_phases.values()) <= 1
    under_way = [step for step in guided.steps() if step.status == "under_way"]
    assert sum(open_steps.values()) == len(under_way)
    assert (guided.outcome is None) == (bool(under_way) or guided.began_s is None)
    deviations = [note for note in notes(said) if "aborted" not in note.split("(")[0]]
    assert guided.deviations == len(deviations)
    for how, do in (("skipped", "skip"), ("repeated", "repeat"), ("extra", "extra")):
        assert sum(f"' {how} (" in note for note in deviations) == expected[do]
    goes = sum(isinstance(r, SessionPhase) and r.status in STARTS and bool(r.step) for r in said)
    assert sum("' late (" in note for note in deviations) <= goes
    assert sum("' early (" in note for note in deviations) <= goes


@settings(max_examples=60, deadline=None)
@given(PRESSES)
def test_the_same_presses_lead_to_the_same_place(presses: list[Any]) -> None:
    one, other, now_s = guide(), guide(), 0.0
    kept: list[Press] = []
    for do, pause_s, step, form in presses:
        now_s += pause_s
        press = Press(do, now_s, step=step, questionnaire=form)
        try:
            one.take(press)
        except NotNow:
            continue
        kept.append(press)
    for press in kept:
        other.take(press)
    assert (one.steps(), one.form(), one.deviations) == (
        other.steps(),
        other.form(),
        other.deviations,
    )
    assert one.step_began_s == other.step_began_s


def test_a_session_in_order_has_no_deviation() -> None:
    guided = guide()
    said = pressed(guided, ("begin", 0.0), ("next", 9.0))
    assert guided.form().questionnaire == "demographics"
    assert guided.form().language == "en"
    answered = Press("answered", 20.0, questionnaire="demographics")
    said += guided.take(answered)  # it goes on by itself
    assert guided.step == "play"
    assert guided.form().questionnaire is None
    said += pressed(guided, ("next", 40.0))
    said += guided.take(Press("answered", 45.0, questionnaire="comments"))
    assert guided.step == "after", "this form waits for the operator"
    assert guided.form().questionnaire is None
    said += pressed(guided, ("next", 50.0))
    assert guided.outcome == "completed"
    assert guided.deviations == 0
    assert notes(said) == []
    assert steps_said(said)[:3] == [
        (None, "started"),
        ("welcome", "started"),
        ("welcome", "finished"),
    ]
    assert [step.took_s for step in guided.steps()] == [9.0, 11.0, 20.0, 10.0]


def test_lateness_counts_once_and_not_the_time_of_pauses_and_extra_steps() -> None:
    guided = guide()
    pressed(guided, ("begin", 0.0), ("pause", 8.0), ("resume", 100.0))
    assert guided.late_at_s() == pytest.approx(102.0)
    assert guided.take(Press("look", 101.9)) == []
    pressed(guided, ("extra", 101.9, "play"))
    assert guided.take(Press("look", 130.0)) == []
    pressed(guided, ("next", 131.0))
    assert guided.step == "welcome"
    assert guided.late_at_s() == pytest.approx(131.1)
    assert "late (more than 10 s)" in notes(guided.take(Press("look", 131.2)))[0]
    assert guided.take(Press("look", 150.0)) == []
    assert guided.deviations == 2


def test_an_extra_step_interrupts_and_stands_before_the_one_it_interrupts() -> None:
    guided = guide()
    said = pressed(guided, ("begin", 0.0), ("extra", 4.0, None, "a phone rang"))
    assert steps_said(said)[-2:] == [("welcome", "paused"), ("extra_1", "started")]
    assert notes(said) == ["Step 'extra_1' extra (outside of the plan's order): a phone rang."]
    assert [(step.step, step.status, step.took_s) for step in guided.steps()][:2] == [
        ("extra_1", "under_way", None),
        ("welcome", "under_way", 4.0),
    ]
    with pytest.raises(NotNow, match="finish it first"):
        pressed(guided, ("extra", 5.0))
    said = pressed(guided, ("next", 10.0))
    assert steps_said(said) == [("extra_1", "finished"), ("welcome", "resumed")]
    assert guided.step_began_s == 6.0


def test_what_cannot_be_done_is_refused_in_a_sentence() -> None:
    guided = guide()
    with pytest.raises(NotNow, match="begin one"):
        pressed(guided, ("next", 0.0))
    pressed(guided, ("begin", 0.0))
    with pytest.raises(NotNow, match="did you mean 'play'"):
        pressed(guided, ("extra", 1.0, "pley"))
    pressed(guided, ("pause", 1.0))
    with pytest.raises(NotNow, match="paused: resume it"):
        pressed(guided, ("skip", 2.0))
    said = pressed(guided, ("abort", 3.0, None, "felt ill"))
    assert guided.outcome == "aborted"
    assert notes(said) == ["The session was aborted: felt ill."]
    with pytest.raises(NotNow, match="begin one"):
        pressed(guided, ("next", 4.0))


def states(guided: Guide) -> list[str]:
    return [step.status for step in guided.steps()]


def test_a_phase_that_is_skipped_ends_as_a_whole_and_its_other_steps_do_not_begin() -> None:
    guided = guide()
    said = pressed(guided, ("begin", 0.0), ("skip", 4.0, "before", "no time"))
    assert steps_said(said)[2:] == [
        ("welcome", "skipped"),
        (None, "skipped"),
        (None, "started"),
        ("play", "started"),
    ]
    assert notes(said) == ["Phase 'before' skipped (1 of 2 steps not begun): no time."]
    assert states(guided) == ["skipped", "skipped", "under_way", "to_come"]
    pressed(guided, ("skip", 10.0, "during"))
    assert guided.outcome == "completed"
    assert guided.deviations == 2


def test_a_phase_that_is_repeated_begins_with_its_first_step() -> None:
    guided = guide()
    pressed(guided, ("begin", 0.0), ("next", 9.0))
    said = pressed(guided, ("repeat", 12.0, "before", "the fire alarm"))
    assert steps_said(said) == [
        ("about", "finished"),
        (None, "finished"),
        (None, "repeated"),
        ("welcome", "repeated"),
    ]
    assert notes(said) == ["Phase 'before' repeated (2 of 2 steps begun): the fire alarm."]
    assert states(guided) == ["under_way", "to_come", "to_come", "to_come"]
    pressed(guided, ("next", 20.0))
    assert guided.form().questionnaire == "demographics", "it is asked again"


def test_a_phase_that_is_aborted_does_not_end_the_session() -> None:
    guided = guide()
    pressed(guided, ("begin", 0.0), ("next", 9.0), ("next", 10.0))
    said = pressed(guided, ("abort", 12.0, "during", "felt ill"))
    assert steps_said(said) == [("play", "aborted"), (None, "aborted")]
    assert notes(said) == ["Phase 'during' ended early (1 of 2 steps not begun): felt ill."]
    assert states(guided) == ["done", "done", "aborted", "skipped"]
    assert guided.outcome == "completed"


def test_only_the_phase_under_way_can_be_meant_and_not_during_an_extra_step_or_a_pause() -> None:
    guided = guide()
    pressed(guided, ("begin", 0.0))
    with pytest.raises(NotNow, match="only the phase under way, 'before'"):
        pressed(guided, ("skip", 1.0, "during"))
    pressed(guided, ("pause", 1.0))
    with pytest.raises(NotNow, match="paused: resume it"):
        pressed(guided, ("abort", 1.0, "before"))
    pressed(guided, ("resume", 2.0), ("extra", 2.0))
    with pytest.raises(NotNow, match="extra step is under way: finish it first"):
        pressed(guided, ("repeat", 3.0, "before"))
    assert guided.deviations == 1


def test_whoever_is_through_too_soon_was_early() -> None:
    guided = guide()
    pressed(guided, ("begin", 0.0), ("next", 3.0), ("next", 4.0))
    said = pressed(guided, ("next", 8.0))
    assert notes(said) == ["Step 'play' early (less than 5 s)."]
    assert guided.deviations == 1
    guided = guide()
    pressed(guided, ("begin", 0.0), ("next", 3.0), ("next", 4.0))
    assert notes(pressed(guided, ("next", 9.0))) == []
