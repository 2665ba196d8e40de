"""Questionnaires as a study uses them: other points, anchors, order or fewer scales.

The files say how an instrument was published; `[[forms]]` in `study.toml` says what a study does
otherwise, and everybody who shows, checks or scores a form takes it from here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sera.runtime.located import nearest_name
from sera.study._questionnaire_tables import POINT_KINDS, Item
from sera.study.design_tables import FormWish
from sera.study.drawings import MOST_PICTURES
from sera.study.plan import StudyPlan
from sera.study.questionnaire import Questionnaire, find_questionnaire, load_questionnaire


@dataclass(frozen=True, slots=True)
class WishProblem:
    """What a form cannot do of what a study wants."""

    key: str
    """Key of the wish."""
    message: str
    place: int | None = None
    """Which one of the key's values."""
    nearest: str | None = None
    fix: str | None = None

    def __str__(self) -> str:
        near = f"; did you mean '{self.nearest}'?" if self.nearest else ""
        return f"{self.key}: {self.message}{near}{f' ({self.fix})' if self.fix else ''}"


def adapted(form: Questionnaire, wish: FormWish) -> Questionnaire:
    """The form as the study wants it.

    Raises:
        ValueError: the form cannot be like that, with every reason.
    """
    if problems := wish_problems(form, wish):
        told = "; ".join(map(str, problems))
        raise ValueError(f"the questionnaire '{wish.name}' cannot be used like that: {told}")
    items = [_adapted_item(item, wish) for item in form.items]
    scales = form.scales
    if wish.scales:
        kept = {item for scale in wish.scales for item in form.items_of(scale)}
        items = [item for item in items if item.id in kept or not item.is_asked]
        # A scale of which all items are left can still be scored, such as one made of two parts.
        scales = [scale for scale in scales if kept.issuperset(form.items_of(scale.name))]
    return form.model_copy(update={"items": items, "scales": scales})


def _adapted_item(item: Item, wish: FormWish) -> Item:
    change: dict[str, Any] = {}
    if wish.points is not None and item.kind in POINT_KINDS:
        change["points"] = wish.points
    if wish.anchors and _takes_anchors(item):
        change["anchors"] = {**item.anchors, **wish.anchors}
    if wish.shuffle is not None and item.is_asked:
        change["shuffle"] = wish.shuffle
    return item.model_copy(update=change)


def _takes_anchors(item: Item) -> bool:
    return item.kind in POINT_KINDS and not item.is_differential


def wish_problems(form: Questionnaire, wish: FormWish) -> list[WishProblem]:
    """What the form cannot do of what the study wants."""
    return [*_wrong_scales(form, wish), *_wrong_points(form, wish), *_wrong_anchors(form, wish)]


def _wrong_scales(form: Questionnaire, wish: FormWish) -> Iterator[WishProblem]:
    known = [scale.name for scale in form.scales]
    for place, name in enumerate(wish.scales):
        if name not in known:
            message = f"'{wish.name}' has no scale '{name}'"
            there = f"there are {', '.join(known)}" if known else "it has no scales at all"
            yield WishProblem("scales", message, place, nearest_name(name, known), there)


def _wrong_points(form: Questionnaire, wish: FormWish) -> Iterator[WishProblem]:
    if wish.points is None:
        return
    with_points = [item for item in form.items if item.kind in POINT_KINDS]
    if not with_points:
        yield WishProblem("points", f"'{wish.name}' has no items with points")
    for item in with_points:
        if item.kind == "picture_scale" and wish.points > MOST_PICTURES:
            message = f"'{item.id}' has pictures, and at most {MOST_PICTURES} are drawn"
            yield WishProblem("points", message)
            return


def _wrong_anchors(form: Questionnaire, wish: FormWish) -> Iterator[WishProblem]:
    tags = list(form.languages)
    for tag in wish.anchors:
        if tag not in tags:
            near = nearest_name(tag, tags)
            there = f"there are {', '.join(tags)}"
            yield WishProblem(
                "anchors", f"'{wish.name}' has no language '{tag}'", None, near, there
            )
    if wish.anchors and not any(map(_takes_anchors, form.items)):
        message = f"the items of '{wish.name}' have no anchors that could be others"
        yield WishProblem("anchors", message, fix="a semantic differential asks with its anchors")
        return
    for item in form.items:
        changed = _adapted_item(item, wish)
        if item.kind not in POINT_KINDS:
            continue
        for tag, anchors in changed.anchors.items():
            if tag in tags and len(anchors) not in (2, changed.points):
                message = f"{len(anchors)} anchors in '{tag}' for {changed.points} points"
                fix = "give anchors for each language: two, or one for each point"
                yield WishProblem("anchors" if wish.anchors else "points", message, fix=fix)
                return


def wish_for(plan: StudyPlan | None, name: str) -> FormWish:
    """What a study wants of a form; nothing special where it does not say."""
    wishes = () if plan is None else plan.forms
    return next((wish for wish in wishes if wish.name == name), FormWish(name=name))


def study_form(name: str, folder: Path | None, plan: StudyPlan | None = None) -> Questionnaire:
    """A form as the study in that folder uses it.

    Args:
        name: of the form.
        folder: of the scenario, whose own forms go before ours.
        plan: its study file.

    Raises:
        LookupError: there is no such form.
        QuestionnaireError: its file is wrong.
        ValueError: the form cannot do what the study wants.
    """
    return adapted(load_questionnaire(find_questionnaire(name, folder)), wish_for(plan, name))


def forms_of_plan(plan: StudyPlan, folder: Path | None) -> dict[str, Questionnaire]:
    """All forms that a study's steps offer, as it uses them, by name, in the order of the steps.

    Raises:
        LookupError: there is no such form.
        QuestionnaireError: a form's file is wrong.
        ValueError: a form cannot do what the study wants.
    """
    names = dict.fromkeys(step.form for _, step in plan.steps() if step.form is not None)
    return {name: study_form(name, folder, plan) for name in names}


def asked_once(plan: StudyPlan, form: str) -> bool:
    """Whether a participant who meets several conditions fills a form in only once."""
    held = {
        phase.conditions for phase in plan.phases if any(step.form == form for step in phase.steps)
    }
    return bool(held) and "every" not in held and len(held) == 1
