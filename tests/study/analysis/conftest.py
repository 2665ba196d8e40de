"""A study of three conditions and simulated data for it, made here and nowhere else."""

from __future__ import annotations

import tomllib
from collections.abc import Callable

import numpy as np
import pytest

from sera.study.data import Kind, Participation
from sera.study.form_wish import forms_of_plan
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire
from sera.study.scoring import Scale, scales_of

PLAN = """
[study]
title = "Hints & <postures>"
languages = ["en", "pt"]

[design]
assignment = "blocked"
[[design.factors]]
name = "hints"
levels = ["erik", "ebps", "none"]
[[design.conditions]]
name = "c_erik"
title = "C-ERIK"
levels = { hints = "erik" }
[[design.conditions]]
name = "c_ebps"
title = "C-EBPS"
levels = { hints = "ebps" }
[[design.conditions]]
name = "c_control"
title = "C-Control"
levels = { hints = "none" }
[design.sample]
per_condition = 19
power = { test = "mann_whitney", effect = 0.5 }

[[phases]]
name = "questions"
[[phases.steps]]
name = "attributes"
title = "Attributes"
form = "rosas"
[[phases.steps]]
name = "closeness"
title = "Closeness"
form = "ios"
[[phases.steps]]
name = "about"
title = "About you"
form = "demographics"

[[measures]]
name = "WrongTotal"
title = "Wrong guesses"
unit = "guesses"
how = "count"
message = "GuessJudged"
better = "lower"
[[measures]]
name = "Time"
title = "Time spent guessing"
unit = "s"
how = "count"
message = "GuessJudged"

[analysis]
correction = "none"
control = "c_control"
groups = { enhanced = ["c_erik", "c_ebps"] }
compare = [
  ["c_erik", "c_control"], ["c_ebps", "c_control"], ["enhanced", "c_control"], ["c_erik", "c_ebps"],
]
[[analysis.hypotheses]]
name = "H1"
text = "The control makes more mistakes."
measures = ["WrongTotal"]
groups = ["c_control", "enhanced"]
expects = "higher"
[[analysis.hypotheses]]
name = "H2"
text = "The two enhanced conditions do not differ."
measures = ["WrongTotal"]
groups = ["c_erik", "c_ebps"]
expects = "no_difference"
[[analysis.hypotheses]]
name = "H3"
text = "The robot is warm."
measures = ["RW"]
groups = ["enhanced"]
expects = "above_middle"
"""
CONDITIONS = ("c_erik", "c_ebps", "c_control")
LEVELS = dict(zip(CONDITIONS, ("erik", "ebps", "none"), strict=True))

MakeRows = Callable[..., list[Participation]]


@pytest.fixture(scope="session")
def plan_of() -> Callable[[str], StudyPlan]:
    """Reads a plan without the checks that `load_plan` adds: an analysis has to bear any."""
    return lambda text: StudyPlan.model_validate(tomllib.loads(text))


@pytest.fixture(scope="session")
def plan(plan_of: Callable[[str], StudyPlan]) -> StudyPlan:
    return plan_of(PLAN)


@pytest.fixture(scope="session")
def plan_text() -> str:
    return PLAN


@pytest.fixture(scope="session")
def forms(plan: StudyPlan) -> dict[str, Questionnaire]:
    return forms_of_plan(plan, None)


@pytest.fixture(scope="session")
def scales(forms: dict[str, Questionnaire]) -> list[Scale]:
    return scales_of(forms)


@pytest.fixture(scope="session")
def make_rows(scales: list[Scale]) -> MakeRows:
    """Rows of participants whose control group makes more mistakes and likes the robot less."""

    def make(
        per_condition: int = 19, seed: int = 7, kind: Kind = "simulated", gap: float = 12.0
    ) -> list[Participation]:
        random = np.random.default_rng(seed)
        rows = []
        for number in range(per_condition * len(CONDITIONS)):
            condition = CONDITIONS[number % len(CONDITIONS)]
            worse = condition == "c_control"
            liking = random.normal(-0.6 if worse else 0.9)
            answers: dict[str, dict[str, int]] = {}
            for scale in scales:
                for item in scale.items:
                    want = (-liking if scale.negative else liking) + random.normal(0, 0.8)
                    want = -want if item.reversed else want
                    middle = (item.lowest + item.highest) / 2
                    value = round(np.clip(middle + want * 1.3, item.lowest, item.highest))
                    answers.setdefault(scale.questionnaire, {})[item.item] = int(value)
            answers["demographics"] = {
                "age": int(random.integers(18, 60)),
                "gender": str(random.choice(["woman", "man"])),
            }
            rows.append(
                Participation(
                    participant=f"P{number:03d}",
                    session=f"s{number:03d}",
                    kind=kind,
                    fate="completed",
                    condition=condition,
                    factors={"hints": LEVELS[condition]},
                    seed=seed,
                    language="en" if number % 4 else "pt",
                    measures={
                        "WrongTotal": int(random.poisson(30 + (gap if worse else 0))),
                        "Time": float(random.gamma(9, 30 if worse else 38)),
                    },
                    answers=answers,
                )
            )
        return rows

    return make
