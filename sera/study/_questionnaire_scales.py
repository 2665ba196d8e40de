"""What is wrong with the scales in a questionnaire's file, by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name
from sera.study._questionnaire_tables import RATED_KINDS, ScaleTable

if TYPE_CHECKING:
    from sera.study.questionnaire import Questionnaire


def scale_problems(document: LocatedToml, form: Questionnaire) -> list[FileProblem]:
    """Scales without items, of unknown items or parts, and of items that do not fit together."""
    return _ScaleCheck(document, form).problems()


class _ScaleCheck:
    def __init__(self, document: LocatedToml, form: Questionnaire) -> None:
        self._document = document
        self._form = form
        self._items = {item.id: item for item in form.items}
        self._scales: dict[str, ScaleTable] = {}
        for scale in form.scales:
            self._scales.setdefault(scale.name, scale)
        self._found: list[FileProblem] = []

    def problems(self) -> list[FileProblem]:
        first: dict[str, int] = {}
        for number, scale in enumerate(self._form.scales):
            path: KeyPath = ("scales", number)
            if first.setdefault(scale.name, number) != number:
                line = self._document.line_of(("scales", first[scale.name], "name"))
                self._say((*path, "name"), f"'{scale.name}' is taken by line {line}")
            for tag in self._form.languages:
                if tag not in scale.title:
                    fix = "every text is in all languages"
                    self._say((*path, "title"), f"no words in '{tag}'", fix)
            self._content(path, scale)
        return self._found

    def _say(
        self, path: KeyPath, message: str, fix: str | None = None, nearest: str | None = None
    ) -> None:
        self._found.append(self._document.problem(path, message, fix=fix, nearest=nearest))

    def _content(self, path: KeyPath, scale: ScaleTable) -> None:
        if bool(scale.items) == bool(scale.parts):
            has = "both items and parts" if scale.items else "neither items nor parts"
            self._say(path, f"the scale '{scale.name}' has {has}", 'give items = ["…"] or parts')
        before = len(self._found)
        for number, name in enumerate(scale.items):
            self._item((*path, "items", number), scale, name)
        for number, part in enumerate(scale.parts):
            place = (*path, "parts", number)
            if part not in self._scales:
                near = nearest_name(part, self._scales)
                fix = f"there are {', '.join(self._scales)}"
                self._say(place, f"there is no scale '{part}'", fix, near)
            elif scale.name in self._below(part):
                self._say(place, f"the scale '{scale.name}' is a part of itself")
            if part in scale.parts[:number]:
                self._say(place, f"'{part}' is there twice")
        if len(self._found) == before:
            self._same_range(path, scale)

    def _item(self, place: KeyPath, scale: ScaleTable, name: str) -> None:
        item = self._items.get(name)
        if item is None:
            near = nearest_name(name, self._items)
            self._say(place, f"there is no item '{name}'", nearest=near)
        elif item.kind not in RATED_KINDS:
            message = f"'{name}' is of kind {item.kind}, which has no place on a scale"
            self._say(place, message, f"a scale is made of {', '.join(RATED_KINDS)}")
        index = place[-1]
        assert isinstance(index, int)
        if name in scale.items[:index]:
            self._say(place, f"'{name}' is there twice")

    def _below(self, name: str) -> set[str]:
        """The scale and all that are inside of it."""
        seen: set[str] = set()
        open_ones = [name]
        while open_ones:
            one = open_ones.pop()
            if one not in seen and one in self._scales:
                seen.add(one)
                open_ones += self._scales[one].parts
        return seen

    def _same_range(self, path: KeyPath, scale: ScaleTable) -> None:
        inside = [self._scales[name] for name in sorted(self._below(scale.name))]
        names = dict.fromkeys(item for one in inside for item in one.items)
        ranges = {
            self._items[name].bounds: name
            for name in names
            if name in self._items and self._items[name].kind in RATED_KINDS
        }
        if len(ranges) > 1:
            told = [
                f"'{name}' goes from {bounds[0]:g} to {bounds[1]:g}"
                for bounds, name in ranges.items()
            ]
            message = f"the items of '{scale.name}' differ: {', '.join(told[:2])}"
            self._say(path, message, "a score is a mean of items on one range")
