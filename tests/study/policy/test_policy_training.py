"""Growing trees: by group, against a baseline, and honest where there is little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sera.study.policy import (
    Choice,
    Moment,
    NotLearnable,
    PolicyTable,
    Row,
    encode,
    learn,
    told,
)
from sera.study.policy import training as training_module

A, B = (Choice(type="SetPosture", fields={"posture": name}) for name in ("hot", "cold"))


def row(group: str, choice: Choice, **facts: float) -> Row:
    return Row(group, Moment({"SpeechHeard": dict(facts)}, {"SpeechHeard": 0.0}), choice)


def table(rows: list[Row]) -> PolicyTable:
    return PolicyTable("SpeechHeard", rows)


def ruled(count: int, groups: int, seed: int = 0) -> list[Row]:
    random = np.random.default_rng(seed)
    values = random.uniform(size=count)
    return [
        row(f"p{n % groups}", A if value > 0.5 else B, confidence=float(value))
        for n, value in enumerate(values)
    ]


def test_a_rule_in_the_facts_is_found_and_its_figures_add_up() -> None:
    learned = learn(table(ruled(300, 6)))
    checked = learned.validation
    assert checked is not None
    assert checked.accuracy > 0.97
    assert checked.baseline < 0.65
    assert checked.accuracy_low < checked.accuracy < checked.accuracy_high
    confusion = np.array(checked.confusion)
    assert confusion.sum() == 300
    assert np.trace(confusion) / 300 == pytest.approx(checked.accuracy)
    assert confusion.sum(axis=1).tolist() == list(learned.choices.values())
    assert learned.warnings == []
    (question,) = [node for node in learned.policy.trees[0].nodes if node.feature is not None]
    assert question.up_to == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize("forest", [False, True])
def test_the_policy_predicts_what_scikit_learn_would(
    forest: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Any] = []
    original = training_module._trees

    def keep(grown: Any, choices: int) -> Any:
        kept.append(grown)
        return original(grown, choices)

    monkeypatch.setattr(training_module, "_trees", keep)
    random = np.random.default_rng(3)
    rows = [
        row(f"p{n % 5}", (A, B, Choice())[int(random.integers(3))], x=float(x), y=float(y))
        for n, (x, y) in enumerate(random.normal(size=(200, 2)))
    ]
    policy = learn(table(rows), forest=forest).policy
    (model,) = kept
    numbers = np.array([encode(policy.features, one.moment) for one in rows])
    ours = np.array([policy.shares(list(each)) for each in numbers])
    assert np.allclose(ours, model.predict_proba(numbers), atol=1e-9)


def test_nobody_is_in_training_and_test_at_once() -> None:
    """Each group has a rule of its own, so that a fold that peeks would do well."""
    random = np.random.default_rng(5)
    rows = []
    for group in range(8):
        for _ in range(25):
            value = float(random.uniform())
            high = value > 0.5
            rows.append(row(f"p{group}", A if high == (group % 2 == 0) else B, g=group, x=value))
    checked = learn(table(rows), depth=12).validation
    assert checked is not None
    assert checked.accuracy < 0.65


def test_chance_is_not_sold_as_a_policy() -> None:
    random = np.random.default_rng(6)
    rows = [
        row(f"p{n % 6}", (A, B)[int(random.integers(2))], x=float(random.uniform()))
        for n in range(240)
    ]
    learned = learn(table(rows))
    assert any("does not do better than always" in one for one in learned.warnings)


def test_little_data_is_said_to_be_little() -> None:
    alone = learn(table(ruled(30, 1)))
    assert alone.validation is None
    text = told(alone)
    assert "not cross-validated" in text
    assert "30 cases are few" in text
    assert "one participant or run" in text
    few = learn(table([*ruled(200, 3), *[row("p0", Choice(), confidence=0.5)] * 4]))
    assert any("of 3 participants or runs only" in one for one in few.warnings)
    assert any("'(nothing)' was chosen 4 times only" in one for one in few.warnings)


def test_a_choice_of_one_participant_only_is_named() -> None:
    odd = [row("p1", Choice(), confidence=0.2 + 0.001 * n) for n in range(12)]
    learned = learn(table([*ruled(200, 6), *odd]))
    assert any("in one participant's or run's cases only" in one for one in learned.warnings)


def test_where_there_is_nothing_to_tell_apart_it_says_so() -> None:
    with pytest.raises(NotLearnable, match="always chose the same"):
        learn(table([row("p", A, x=1.0), row("p", A, x=2.0)]))
    with pytest.raises(NotLearnable, match="never varied"):
        learn(table([row("p", A, x=1.0), row("p", B, x=1.0)]))


def test_the_same_seed_grows_the_same_forest() -> None:
    rows = table(ruled(120, 5))
    first, again = (learn(rows, forest=True, seed=4).policy for _ in range(2))
    assert first == again


def test_what_is_printed_has_size_figures_confusions_and_tree() -> None:
    text = told(learn(table(ruled(300, 6))))
    assert "300 cases of 6 participants or runs" in text
    assert "cross-validated over 5 folds" in text
    assert "wizard \\ policy" in text
    assert "SpeechHeard.confidence above" in text
