"""From rows to results: which rows count, which tests are taken, what hypotheses become."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from scipy import stats

from sera.study.analysis import AnalysisRefused, analyse
from sera.study.data import Participation

WITHIN = """
[study]
title = "Within"
[design]
assignment = "latin_square"
[[design.factors]]
name = "voice"
kind = "within"
levels = ["low", "middle", "high"]
[[design.conditions]]
name = "a"
levels = { voice = "low" }
[[design.conditions]]
name = "b"
levels = { voice = "middle" }
[[design.conditions]]
name = "c"
levels = { voice = "high" }
[[phases]]
name = "one"
[[phases.steps]]
name = "play"
title = "Play"
[[measures]]
name = "Score"
how = "count"
message = "SessionMark"
[analysis]
groups = { raised = ["b", "c"] }
compare = [["a", "b"], ["raised", "a"]]
"""


def within_rows(lost: tuple[str, str] | None = None) -> list[Participation]:
    random = np.random.default_rng(12)
    rows = []
    for number in range(12):
        level = random.normal(20, 6)
        for period, condition in enumerate("abc", 1):
            value = level + 2 * period + random.normal()
            if lost == (f"P{number}", condition):
                continue
            rows.append(
                Participation(
                    f"P{number}",
                    f"s{number}",
                    "study",
                    "completed",
                    condition,
                    period=period,
                    measures={"Score": float(value)},
                )
            )
    return rows


def test_only_completed_sessions_of_the_study_count(plan, scales, make_rows):
    rows = make_rows(kind="study", per_condition=6)
    rows[0] = replace(rows[0], fate="excluded", exclusion="did not follow the instructions")
    rows[1] = replace(rows[1], kind="pilot")
    rows[2] = replace(rows[2], kind="rehearsal")
    rows[3] = replace(rows[3], fate="under_way")
    found = analyse(plan, rows, scales)
    assert found.participants == 14
    assert not found.simulated
    assert found.flow["study", "excluded"] == 1
    assert found.flow["pilot", "completed"] == 1
    assert {row.participant for row in found.counted}.isdisjoint({"P000", "P001", "P002", "P003"})


def test_simulated_rows_alone_are_analysed_and_stay_marked(plan, scales, make_rows):
    found = analyse(plan, make_rows(), scales)
    assert found.simulated
    assert found.participants == 57
    with pytest.raises(FrozenInstanceError):
        found.simulated = False
    with pytest.raises(TypeError):
        replace(found, simulated=False)
    told = found.as_json()
    assert told["simulated"] is True
    for part in ("variables", "hypotheses", "correlations"):
        assert told[part]
        assert all(one["simulated"] is True for one in told[part])
    json.dumps(told, allow_nan=False)


@pytest.mark.parametrize("kind", ["study", "pilot", "rehearsal"])
def test_simulated_and_real_rows_are_never_analysed_together(plan, make_rows, kind):
    rows = make_rows(per_condition=4)
    rows[5] = replace(rows[5], kind=kind)
    with pytest.raises(AnalysisRefused, match="11 of 12 rows are simulated"):
        analyse(plan, rows)


def test_no_rows_at_all_are_refused_with_a_sentence(plan):
    with pytest.raises(AnalysisRefused, match="nothing to analyse"):
        analyse(plan, [])


def test_a_study_of_which_nothing_is_completed_has_a_note_and_no_figures(plan, scales, make_rows):
    rows = [replace(row, kind="pilot") for row in make_rows(per_condition=3)]
    found = analyse(plan, rows, scales)
    assert found.participants == 0
    assert "No completed session of kind study" in found.notes[-1]
    assert {one.verdict for one in found.hypotheses} == {"cannot be judged"}
    assert found.variables[0].descriptions[0].n == 0


def test_figures_of_groups_are_those_of_numpy_and_scipy(plan, scales, make_rows):
    rows = make_rows()
    found = analyse(plan, rows, scales)
    wrong = found.variable("WrongTotal")
    by_condition = {
        name: [row.measures["WrongTotal"] for row in rows if row.condition == name]
        for name in ("c_erik", "c_ebps", "c_control")
    }
    both = by_condition["c_erik"] + by_condition["c_ebps"]
    together = next(one for one in wrong.descriptions if one.group.name == "enhanced")
    assert together.n == 38
    assert together.mean == pytest.approx(np.mean(both))
    assert together.sd == pytest.approx(np.std(both, ddof=1))
    comparison = wrong.comparison("c_control", "enhanced")
    assert comparison.first.name == "enhanced"
    assert comparison.higher.name == "c_control"
    normal = all(stats.shapiro(one).pvalue > 0.05 for one in (both, by_condition["c_control"]))
    theirs = (
        stats.ttest_ind(both, by_condition["c_control"])
        if normal
        else stats.mannwhitneyu(both, by_condition["c_control"])
    )
    assert comparison.result.p == pytest.approx(float(theirs.pvalue))
    assert wrong.omnibus.df[0] == 2


def test_the_documents_kinds_and_hypotheses_follow(plan, scales, make_rows):
    found = analyse(plan, make_rows(gap=14, seed=2), scales)
    wrong = found.variable("WrongTotal")
    assert str(wrong.difference.kind) == "Strong E-D"
    assert [one.verdict for one in found.hypotheses] == ["supported"] * 3
    assert (
        "C-Control is higher than enhanced (enhanced less C-Control: " in found.hypotheses[0].why[0]
    )
    assert "does not show that they are equal" in found.hypotheses[1].why[0]
    nothing = analyse(plan, make_rows(gap=0, seed=3), scales)
    assert nothing.hypotheses[0].verdict == "not supported"
    assert str(nothing.variable("WrongTotal").difference.kind) == "no difference"


def test_a_negatively_scored_scale_is_turned_round_before_it_is_compared(plan, scales, make_rows):
    found = analyse(plan, make_rows(), scales)
    discomfort = found.variable("RD")
    assert discomfort.inverted
    means = {one.group.name: one.mean for one in discomfort.descriptions}
    assert means["enhanced"] > means["c_control"]
    polarities = {one.group.name: one.polarity for one in discomfort.against_middle}
    assert polarities["enhanced"] == "positive"
    assert not found.variable("RW").inverted


@pytest.mark.parametrize("expects", ["lower", "higher"])
def test_a_hypothesis_speaks_of_what_the_scale_is_called_although_it_is_turned_round(
    plan_of, plan_text, scales, make_rows, expects
):
    asked = f"""
[[analysis.hypotheses]]
name = "H4"
text = "Enhanced conditions cause less discomfort."
measures = ["RD"]
groups = ["enhanced", "c_control"]
expects = "{expects}"
[[analysis.hypotheses]]
name = "H5"
text = "They cause much of it."
measures = ["RD"]
groups = ["enhanced"]
expects = "above_middle"
"""
    found = analyse(plan_of(plan_text + asked), make_rows(), scales)
    fourth, fifth = found.hypotheses[-2:]
    assert fourth.verdict == ("supported" if expects == "lower" else "not supported")
    assert "enhanced is lower than C-Control" in fourth.why[0]
    assert "turned round" in fourth.why[0]
    assert fifth.verdict == "not supported"
    assert "turned round (high is good): enhanced is positive" in fifth.why[0]


def test_a_group_of_conditions_of_which_one_is_empty_is_told(plan, scales, make_rows):
    rows = [row for row in make_rows() if row.condition != "c_ebps"]
    found = analyse(plan, rows, scales)
    assert any("'enhanced' has nobody of C-EBPS" in note for note in found.notes)
    assert not any("has nobody" in note for note in analyse(plan, make_rows(), scales).notes)


def test_who_answers_in_several_conditions_is_one_person_in_reliability(plan_of, scales, make_rows):
    given = make_rows(per_condition=20)
    rows = [
        replace(row, participant=f"P{place // 3}", condition="abc"[place % 3])
        for place, row in enumerate(given)
    ]
    found = analyse(plan_of(WITHIN), rows, scales).variable("RW").reliability
    assert [one.alpha.persons for one in found] == [20] * 5


def test_reliability_is_told_over_all_and_by_group(plan, scales, make_rows):
    warmth = analyse(plan, make_rows(), scales).variable("RW")
    assert [None if one.group is None else one.group.name for one in warmth.reliability] == [
        None,
        "c_erik",
        "c_ebps",
        "c_control",
        "enhanced",
    ]
    assert warmth.reliability[0].reliable is True


def test_many_comparisons_are_corrected_and_hypotheses_count_among_them(
    plan_of, plan_text, make_rows
):
    text = plan_text.replace('correction = "none"', 'correction = "bonferroni"')
    text = text.replace(', ["c_erik", "c_ebps"],', ",")
    found = analyse(plan_of(text), make_rows())
    wrong = found.variable("WrongTotal")
    assert [one.planned for one in wrong.comparisons] == [True, True, True, False]
    for one in wrong.comparisons:
        assert one.p_corrected == pytest.approx(min(1, one.result.p * 4))
    assert len(found.variable("Time").comparisons) == 3


def test_without_wishes_all_pairs_of_conditions_are_compared(plan_of, plan_text, make_rows):
    head = plan_text[: plan_text.index("[analysis]")]
    found = analyse(plan_of(head), make_rows())
    pairs = [(one.first.name, one.second.name) for one in found.variables[0].comparisons]
    assert pairs == [("c_erik", "c_ebps"), ("c_erik", "c_control"), ("c_ebps", "c_control")]


def test_within_designs_are_compared_person_by_person(plan_of):
    rows = within_rows()
    found = analyse(plan_of(WITHIN), rows)
    score = found.variable("Score")
    values = {
        name: [row.measures["Score"] for row in rows if row.condition == name] for name in "abc"
    }
    first = score.comparison("a", "b")
    assert first.paired
    assert first.result.test == "paired_t"
    assert first.result.p == pytest.approx(stats.ttest_rel(values["a"], values["b"]).pvalue)
    raised = np.mean([values["b"], values["c"]], axis=0)
    second = score.comparison("raised", "a")
    assert second.result.p == pytest.approx(stats.ttest_rel(raised, values["a"]).pvalue)
    assert score.omnibus.test in {"repeated_anova", "friedman"}
    assert found.participants == 12


def test_a_person_who_lacks_a_condition_is_left_out_of_its_pairs_only(plan_of):
    found = analyse(plan_of(WITHIN), within_rows(lost=("P3", "b")))
    score = found.variable("Score")
    assert score.comparison("a", "b").result.n == (11,)
    assert score.comparison("raised", "a").result.n == (11,)
    assert score.omnibus.n == (11,)
    assert [one.n for one in score.descriptions if one.group.is_condition] == [12, 11, 12]


def test_what_is_strange_in_the_data_is_told(plan, make_rows):
    rows = make_rows(kind="study", per_condition=5)
    rows[0] = replace(rows[0], condition="c_erick")
    rows[1] = replace(rows[1], participant=rows[4].participant)
    rows[2] = replace(rows[2], participant=rows[3].participant)
    rows[5] = replace(rows[5], measures={"WrongTotal": float("nan"), "Speed": 3})
    rows[6] = replace(rows[6], problems=("Time: no message GuessingBegan",))
    notes = " | ".join(analyse(plan, rows).notes)
    assert "condition 'c_erick', which the plan lacks; did you mean 'c_erik'?" in notes
    assert "completed c_ebps twice (sessions s001 and s004); only the first counts" in notes
    assert "is in c_control and c_erik, but in this design each participant has one" in notes
    assert "a measure 'Speed' that the plan does not name" in notes
    assert "P006, session s006: Time: no message GuessingBegan" in notes


def test_groups_that_cannot_be_compared_are_told(plan_of, plan_text, make_rows):
    text = plan_text.replace(
        '["c_erik", "c_ebps"],\n]', '["enhanced", "c_erik"], ["enhancd", "c_erik"]]'
    )
    text = text.replace('groups = ["c_erik", "c_ebps"]', 'groups = ["enhanced", "c_erik"]')
    text = text.replace('measures = ["RW"]', 'measures = ["WrongTotl"]')
    found = analyse(plan_of(text), make_rows())
    notes = " | ".join(found.notes)
    assert "enhanced and c_erik share conditions" in notes
    assert "'enhancd' to compare; did you mean 'enhanced'?" in notes
    assert found.hypotheses[1].verdict == "cannot be judged"
    assert "did you mean 'WrongTotal'?" in found.hypotheses[2].why[0]


def test_a_measure_has_no_middle_to_be_above(plan_of, plan_text, make_rows):
    found = analyse(plan_of(plan_text.replace('["RW"]', '["Time"]')), make_rows())
    assert found.hypotheses[2].verdict == "cannot be judged"
    assert "no middle" in found.hypotheses[2].why[0]


def test_a_study_without_a_design_is_described(plan_of, plan_text, make_rows):
    text = plan_text[: plan_text.index("[design]")] + plan_text[plan_text.index("[[phases]]") :]
    text = text[: text.index("[analysis]")]
    rows = [replace(row, condition="as_it_stands") for row in make_rows(per_condition=4)]
    found = analyse(plan_of(text), rows)
    assert [one.name for one in found.groups] == ["as_it_stands"]
    assert found.variables[0].descriptions[0].n == 12
    assert found.variables[0].comparisons == ()


def test_in_a_mixed_design_cells_with_nobody_in_common_are_independent(plan_of):
    text = WITHIN.replace(
        "[[design.conditions]]",
        '[[design.factors]]\nname = "age"\nlevels = ["young", "old"]\n[[design.conditions]]',
        1,
    )
    text = text.replace(
        'compare = [["a", "b"], ["raised", "a"]]', 'compare = [["a", "b"], ["a", "c"]]'
    )
    rows = [
        replace(row, participant=f"{row.participant}{'x' if row.condition == 'c' else ''}")
        for row in within_rows()
    ]
    found = analyse(plan_of(text), rows).variable("Score")
    assert found.comparison("a", "b").paired
    assert not found.comparison("a", "c").paired
    assert found.comparison("a", "c").result.n == (12, 12)
    raised = next(one for one in found.descriptions if one.group.name == "raised")
    assert (raised.n, raised.missing) == (24, 0)
    assert "mixed designs are compared in pairs" in found.omnibus.text()
