"""What is wrong in a questionnaire's file beyond its single values, by line.

Languages that lack words, kinds that lack their keys or have those of others, scales of unknown
items, and names that are taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil, floor
from typing import TYPE_CHECKING, Any

from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name
from sera.study._questionnaire_scales import scale_problems
from sera.study._questionnaire_tables import RATED_KINDS, Item
from sera.study.drawings import MOST_PICTURES

if TYPE_CHECKING:
    from sera.study.questionnaire import Questionnaire

_BELONGS = {
    "choices": ("choice", "multiple"),
    "least": ("number", "slider"),
    "most": ("number", "slider"),
    "step": ("slider",),
    "drawing": ("picture_scale",),
    "labels": ("picture_scale",),
    "body": ("info", "agreement"),
}
"""Keys that only some kinds have."""
MOST_STEPS = 100_000
"""More than this no hand can set, and no screen can show."""


def form_problems(document: LocatedToml, form: Questionnaire) -> list[FileProblem]:
    """Everything that is wrong in a form whose single values are right."""
    return [*_Check(document, form).problems(), *scale_problems(document, form)]


class _Check:
    def __init__(self, document: LocatedToml, form: Questionnaire) -> None:
        self._document = document
        self._form = form
        self._found: list[FileProblem] = []

    def problems(self) -> list[FileProblem]:
        facts = self._form.questionnaire
        self._words(("questionnaire", "title"), facts.title)
        if facts.intro:
            self._words(("questionnaire", "intro"), facts.intro)
        self._once("groups", "name", [group.name for group in self._form.groups])
        for number, group in enumerate(self._form.groups):
            if group.text:
                self._words(("groups", number, "text"), group.text)
        self._once("items", "id", [item.id for item in self._form.items])
        for number, item in enumerate(self._form.items):
            self._item(("items", number), item)
        return self._found

    def _say(
        self, path: KeyPath, message: str, fix: str | None = None, nearest: str | None = None
    ) -> None:
        self._found.append(self._document.problem(path, message, fix=fix, nearest=nearest))

    def _once(self, table: str, key: str, names: Iterable[str]) -> None:
        first: dict[str, int] = {}
        for number, name in enumerate(names):
            if first.setdefault(name, number) != number:
                line = self._document.line_of((table, first[name], key))
                self._say((table, number, key), f"'{name}' is taken by line {line}")

    def _words(self, path: KeyPath, words: Mapping[str, Any]) -> None:
        for tag in self._form.languages:
            if tag not in words:
                self._say(path, f"no words in '{tag}'", "every text is in all languages")
        for tag in words:
            if tag not in self._form.languages:
                self._say(path, f"'{tag}' is not among the form's languages", f"[languages.{tag}]")

    def _item(self, path: KeyPath, item: Item) -> None:
        # Two anchors of an item's own can be what it asks; those of its whole group cannot.
        asks_with_anchors = item.is_differential and self._document.has((*path, "anchors"))
        if not asks_with_anchors:
            self._words((*path, "text"), item.text)
        for key, words in (("help", item.help), ("body", item.body)):
            if words:
                self._words((*path, key), words)
        groups = [group.name for group in self._form.groups]
        if item.group is not None and item.group not in groups:
            near = nearest_name(item.group, groups)
            fix = f"there are {', '.join(groups)}" if groups else "add [[groups]]"
            self._say((*path, "group"), f"there is no group '{item.group}'", fix, near)
        self._keys_of_kind(path, item)
        if item.kind in RATED_KINDS:
            self._rated(path, item)
        elif item.reversed:
            self._say((*path, "reversed"), f"only a scale is reversed, not a {item.kind}")
        if item.kind in ("choice", "multiple"):
            self._choices(path, item)
        if item.kind == "info" and item.required:
            self._say((*path, "required"), "what is only read needs no answer")
        self._bounds(path, item)

    def _keys_of_kind(self, path: KeyPath, item: Item) -> None:
        for key, kinds in _BELONGS.items():
            if item.kind not in kinds and key in item.model_fields_set:
                given = getattr(item, key)
                if given not in (None, [], {}):
                    whose = " and ".join(kinds)
                    message = f"an item of kind {item.kind} has no {key}"
                    self._say((*path, key), message, f"only {whose} have it")

    def _rated(self, path: KeyPath, item: Item) -> None:
        needs_anchors = item.kind == "scale" or item.anchors
        if needs_anchors:
            self._words((*path, "anchors"), item.anchors)
        # A differential's item is its two ends: words in between would have no place.
        only_two = item.kind == "slider" or item.is_differential
        counts = {2} if only_two else {2, item.points}
        for tag, anchors in item.anchors.items():
            if len(anchors) not in counts:
                many = f"{len(anchors)} anchor{'' if len(anchors) == 1 else 's'} in '{tag}'"
                what = {"slider": "a slider"}.get(item.kind, f"{item.points} points")
                fix = "give two" if only_two else "give two, or one for each point"
                self._say((*path, "anchors"), f"{many} for {what}", fix)
            elif not all(isinstance(word, str) and word.strip() for word in anchors):
                self._say((*path, "anchors"), f"an anchor in '{tag}' is empty")
        if item.kind == "picture_scale":
            self._pictures(path, item)

    def _pictures(self, path: KeyPath, item: Item) -> None:
        if item.drawing is None:
            fix = 'add drawing = "ios", "sam_pleasure", "sam_arousal" or "sam_dominance"'
            self._say((*path, "drawing"), "a picture scale needs a drawing", fix)
        if item.points > MOST_PICTURES:
            message = f"{item.points} points, but at most {MOST_PICTURES} pictures are drawn"
            self._say((*path, "points"), message)
        if item.labels:
            self._words((*path, "labels"), item.labels)
            for tag, labels in item.labels.items():
                if len(labels) != 2:
                    self._say((*path, "labels"), f"{len(labels)} labels in '{tag}' for two circles")

    def _choices(self, path: KeyPath, item: Item) -> None:
        if len(item.choices) < 2:
            self._say((*path, "choices"), "at least two choices are needed")
        keys: set[str] = set()
        for number, choice in enumerate(item.choices):
            place = (*path, "choices", number)
            if choice.key in keys:
                self._say((*place, "key"), f"the key '{choice.key}' is there twice")
            keys.add(choice.key)
            self._words((*place, "text"), choice.text)

    def _bounds(self, path: KeyPath, item: Item) -> None:
        least, most = item.bounds
        if least is None or most is None or item.kind not in ("number", "slider"):
            return
        if least > most or (item.kind == "slider" and least == most):
            self._say((*path, "least"), f"least is {least:g}, but most is {most:g}")
        elif item.kind == "slider":
            self._steps(path, item, least, most)
        elif item.whole and ceil(least) > floor(most):
            message = f"no whole number lies between {least:g} and {most:g}"
            self._say((*path, "least"), message, "other ends, or whole = false")

    def _steps(self, path: KeyPath, item: Item, least: float, most: float) -> None:
        steps = (most - least) / item.slider_step
        if steps > MOST_STEPS:  # also where they are too many to be counted at all
            message = f"from {least:g} to {most:g} in steps of {item.slider_step:g} is too fine"
            self._say((*path, "step"), message, f"a slider has at most {MOST_STEPS:,} steps")
        elif steps < 1 or abs(steps - round(steps)) > 1e-6:
            message = f"steps of {item.slider_step:g} do not lead from {least:g} to {most:g}"
            self._say((*path, "step"), message)
        elif item.whole and "whole" in item.model_fields_set:
            parts = (least, item.slider_step)
            if not all(float(one).is_integer() for one in parts):
                message = f"from {least:g} in steps of {item.slider_step:g} are no whole numbers"
                self._say((*path, "whole"), message, "other ends and steps, or whole = false")
