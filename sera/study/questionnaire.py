"""Forms as data files: `questionnaires/<name>.toml` beside the scenario, or those that SERA has.

A file says where its items come from, under which licence, and for each language whether the
wording was validated (with the citation) or is a translation of ours. What a person types goes
into `free_answers`, everything else into `answers` of QuestionnaireAnswered; an item of kind
`multiple` has one answer for each choice, `item.choice`, true or false.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, KeyPath, LocatedToml, nearest_name
from sera.study.plan import LanguageTag, PlanName

OWN_FOLDER = Path(__file__).parent / "questionnaires"
FOLDER_NAME = "questionnaires"
LONGEST_TEXT = 10_000
_FILE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")

Words = dict[LanguageTag, Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]]
"""A text by language."""
Answer = bool | int | float | str | None


class QuestionnaireError(FileProblems):
    """Everything that is wrong in a questionnaire."""

    what = "questionnaire"


class _Table(BaseModel):
    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )


class Wording(_Table):
    """Where the wording in one language comes from."""

    validated: str | None = None
    """Citation of its validation."""
    ours: Literal["wording", "translation"] = "translation"
    """Where it is not validated: whether the items are ours or only their translation."""

    def __str__(self) -> str:
        if self.validated:
            return f"validated ({self.validated})"
        return f"our {'own wording' if self.ours == 'wording' else 'translation'}, not validated"


class Choice(_Table):
    """One of several answers."""

    key: PlanName
    """What stands in the data."""
    text: Words
    """What the participant reads."""


class Item(_Table):
    """A question."""

    id: PlanName
    """Name in the data."""
    kind: Literal["scale", "choice", "multiple", "number", "text"]
    """How it is answered."""
    text: Words
    """What the participant reads."""
    help: Words = Field(default_factory=dict)
    """A line below it."""
    required: bool = False
    """Whether the form can be sent without an answer."""
    reversed: bool = False
    """Whether a high answer means little of what is measured; for the analysis."""
    shuffle: bool = False
    """Items with this mark trade places among themselves at random."""
    points: int = Field(default=7, ge=2, le=21)
    """How many points a scale has, counted from 1."""
    anchors: dict[LanguageTag, list[str]] = Field(default_factory=dict)
    """Words of a scale: for its two ends, or one for each point."""
    choices: list[Choice] = Field(default_factory=list)
    """Answers to choose from."""
    least: float | None = None
    """The smallest number."""
    most: float | None = None
    """The largest number."""
    whole: bool = True
    """Whether numbers have no decimals."""


class FormFacts(_Table):
    """What the form is."""

    title: Words
    intro: Words = Field(default_factory=dict)
    """What stands before the first item."""
    source: str
    """Where the items come from."""
    licence: str
    """Under which terms they may be used."""


class Questionnaire(_Table):
    """A form."""

    questionnaire: FormFacts
    languages: dict[LanguageTag, Wording] = Field(min_length=1)
    items: list[Item] = Field(min_length=1)

    def language(self, wanted: str | None) -> str:
        """The wanted language, or one near it (`pt` for `pt-BR`), or the first one."""
        if wanted in self.languages:
            return str(wanted)
        short = (wanted or "").split("-")[0]
        return next((tag for tag in self.languages if tag.split("-")[0] == short), self.first)

    @property
    def first(self) -> str:
        return next(iter(self.languages))

    def shown(self, name: str, wanted: str | None) -> dict[str, Any]:
        """What a page shows: texts of one language; what is for the analysis stays out."""
        tag = self.language(wanted)
        facts = self.questionnaire
        return {
            "name": name,
            "language": tag,
            "title": facts.title[tag],
            "intro": facts.intro.get(tag, ""),
            "source": facts.source,
            "licence": facts.licence,
            "wording": str(self.languages[tag]),
            "items": [_shown_item(item, tag) for item in self.items],
        }

    def problems_with(
        self, answers: Mapping[str, Answer], free_answers: Mapping[str, str]
    ) -> list[str]:
        """What is wrong with answers, one sentence each; they are complete and valid if nothing."""
        problems: list[str] = []
        known: set[str] = set()
        free = {item.id for item in self.items if item.kind == "text"}
        for item in self.items:
            names = [item.id]
            if item.kind == "multiple":
                names = [f"{item.id}.{choice.key}" for choice in item.choices]
            known.update(names)
            given = free_answers if item.kind == "text" else answers
            values = [given.get(name) for name in names]
            wrong = [
                f"{name}: {why}"
                for name, value in zip(names, values, strict=True)
                if value is not None and (why := _wrong_answer(item, value)) is not None
            ]
            problems += wrong
            if item.required and not wrong and not any(map(_is_given, values)):
                problems.append(f"{item.id}: an answer is required")
        for name in sorted({*answers, *free_answers} - known):
            problems.append(f"{name}: the form has no such item")
        misplaced = [*(free & set(answers)), *((known - free) & set(free_answers))]
        problems += [
            f"{name}: what is typed belongs into free_answers, the rest into answers"
            for name in sorted(misplaced)
        ]
        return problems


def _is_given(value: Answer) -> bool:
    return value not in (None, False) and not (isinstance(value, str) and not value.strip())


def _wrong_answer(item: Item, value: Answer) -> str | None:
    if item.kind == "choice":
        keys = [choice.key for choice in item.choices]
        return None if value in keys else f"{value!r} is none of {', '.join(keys)}"
    if item.kind == "multiple":
        return None if isinstance(value, bool) else f"{value!r} is neither true nor false"
    if item.kind == "text":
        fits = isinstance(value, str) and len(value) <= LONGEST_TEXT
        return None if fits else f"no text of at most {LONGEST_TEXT} characters"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"{value!r} is no number"
    return _wrong_number(item, float(value))


def _wrong_number(item: Item, value: float) -> str | None:
    scale = item.kind == "scale"
    least, most = (1, item.points) if scale else (item.least, item.most)
    if (scale or item.whole) and not value.is_integer():
        return f"{value:g} is no whole number"
    if least is not None and value < least:
        return f"{value:g} is less than {least:g}"
    if most is not None and value > most:
        return f"{value:g} is more than {most:g}"
    return None


def _shown_item(item: Item, tag: str) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "id": item.id,
        "kind": item.kind,
        "text": item.text[tag],
        "help": item.help.get(tag, ""),
        "required": item.required,
        "shuffle": item.shuffle,
    }
    if item.kind == "scale":
        shown |= {"points": item.points, "anchors": item.anchors.get(tag, [])}
    elif item.kind == "number":
        shown |= {"least": item.least, "most": item.most, "whole": item.whole}
    elif item.kind in ("choice", "multiple"):
        shown["choices"] = [{"key": one.key, "text": one.text[tag]} for one in item.choices]
    return shown


def find_questionnaire(name: str, folder: Path | None) -> Path:
    """The file of a form: the scenario's own before ours.

    Raises:
        LookupError: there is none, with the nearest name.
    """
    known = known_questionnaires(folder)
    if name in known:
        return known[name]
    near = nearest_name(name, known) if _FILE_NAME.fullmatch(name) else None
    hint = f"; did you mean '{near}'?" if near else f" (known: {', '.join(sorted(known))})"
    raise LookupError(f"there is no questionnaire {name[:40]!r}{hint}")


def known_questionnaires(folder: Path | None) -> dict[str, Path]:
    """All forms that a scenario in this folder may use, by name."""
    folders = [OWN_FOLDER, *([] if folder is None else [folder / FOLDER_NAME])]
    return {
        file.stem: file
        for place in folders
        if place.is_dir()
        for file in sorted(place.glob("*.toml"))
        if _FILE_NAME.fullmatch(file.stem)
    }


def load_questionnaire(path: Path) -> Questionnaire:
    """Read a form.

    Raises:
        QuestionnaireError: with every problem, by line.
    """
    try:
        document = LocatedToml.load(path)
    except FileProblem as problem:
        raise QuestionnaireError([problem]) from None
    try:
        form = Questionnaire.model_validate(document.data)
    except ValidationError as error:
        raise QuestionnaireError(
            problems_of(error, document, Questionnaire, document.data)
        ) from None
    if problems := _Check(document, form).problems():
        raise QuestionnaireError(sorted(problems, key=lambda problem: problem.line or 0))
    return form


class _Check:
    """What pydantic cannot see: languages that lack words, and kinds that lack their keys."""

    def __init__(self, document: LocatedToml, form: Questionnaire) -> None:
        self._document = document
        self._form = form
        self._found: list[FileProblem] = []

    def problems(self) -> list[FileProblem]:
        facts = self._form.questionnaire
        self._words(("questionnaire", "title"), facts.title)
        if facts.intro:
            self._words(("questionnaire", "intro"), facts.intro)
        ids: dict[str, int] = {}
        for number, item in enumerate(self._form.items):
            if ids.setdefault(item.id, number) != number:
                line = self._document.line_of(("items", ids[item.id], "id"))
                self._say(("items", number, "id"), f"'{item.id}' is taken by line {line}")
            self._item(("items", number), item)
        return self._found

    def _say(self, path: KeyPath, message: str, fix: str | None = None) -> None:
        self._found.append(self._document.problem(path, message, fix=fix))

    def _words(self, path: KeyPath, words: Mapping[str, Any]) -> None:
        for tag in self._form.languages:
            if tag not in words:
                self._say(path, f"no words in '{tag}'", "every text is in all languages")
        for tag in words:
            if tag not in self._form.languages:
                self._say(path, f"'{tag}' is not among the form's languages", f"[languages.{tag}]")

    def _item(self, path: KeyPath, item: Item) -> None:
        self._words((*path, "text"), item.text)
        if item.help:
            self._words((*path, "help"), item.help)
        if item.kind == "scale":
            self._words((*path, "anchors"), item.anchors)
            for tag, anchors in item.anchors.items():
                if len(anchors) not in (2, item.points):
                    self._say(
                        (*path, "anchors"),
                        f"{len(anchors)} anchors in '{tag}' for {item.points} points",
                        "give two, or one for each point",
                    )
        elif item.reversed:
            self._say((*path, "reversed"), f"only a scale is reversed, not a {item.kind}")
        if item.kind in ("choice", "multiple"):
            self._choices(path, item)
        elif item.choices:
            self._say((*path, "choices"), f"an item of kind {item.kind} has no choices")
        if item.least is not None and item.most is not None and item.least > item.most:
            self._say((*path, "least"), f"least is {item.least:g}, but most is {item.most:g}")

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
