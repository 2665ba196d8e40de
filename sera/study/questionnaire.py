"""Forms as data files: `questionnaires/<name>.toml` beside the scenario, or those that SERA has.

A file says where its items come from, under which licence, and for each language whether the
wording was validated (with the citation) or is a translation of ours. What a person types goes
into `free_answers`, everything else into `answers` of QuestionnaireAnswered; an item of kind
`multiple` has one answer for each choice, `item.choice`, true or false. `[[scales]]` say which
items measure something together; `sera.study.scoring` makes scores of them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name
from sera.study._questionnaire_answers import LONGEST_TEXT, problems_with_answers
from sera.study._questionnaire_check import form_problems
from sera.study._questionnaire_page import shown_item
from sera.study._questionnaire_tables import (
    Answer,
    Choice,
    FormFacts,
    Group,
    Item,
    ScaleTable,
    Wording,
    with_group_defaults,
)
from sera.study._table import LanguageTag, Table
from sera.study.design._complaints import in_words

__all__ = [
    "FOLDER_NAME",
    "LONGEST_TEXT",
    "OWN_FOLDER",
    "Answer",
    "Choice",
    "FormFacts",
    "Group",
    "Item",
    "Questionnaire",
    "QuestionnaireError",
    "ScaleTable",
    "Wording",
    "find_questionnaire",
    "known_questionnaires",
    "load_questionnaire",
]

OWN_FOLDER = Path(__file__).parent / "questionnaires"
FOLDER_NAME = "questionnaires"
_FILE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class QuestionnaireError(FileProblems):
    """Everything that is wrong in a questionnaire."""

    what = "questionnaire"


class Questionnaire(Table):
    """A form."""

    questionnaire: FormFacts
    languages: dict[LanguageTag, Wording] = Field(min_length=1)
    groups: list[Group] = Field(default_factory=list)
    items: list[Item] = Field(min_length=1)
    scales: list[ScaleTable] = Field(default_factory=list)

    def language(self, wanted: str | None) -> str:
        """The wanted language, or one near it (`pt` for `pt-BR`), or the first one."""
        if wanted in self.languages:
            return str(wanted)
        short = (wanted or "").split("-")[0]
        return next((tag for tag in self.languages if tag.split("-")[0] == short), self.first)

    @property
    def first(self) -> str:
        return next(iter(self.languages))

    def item(self, name: str) -> Item:
        """The item of that id.

        Raises:
            LookupError: with the nearest id.
        """
        by_id = {item.id: item for item in self.items}
        if name in by_id:
            return by_id[name]
        raise LookupError(f"the form has no item '{name[:40]}'{_hint(name, by_id)}")

    def items_of(self, scale: str) -> list[str]:
        """Ids of a scale's items, or of those of its parts.

        Raises:
            LookupError: there is no such scale, with the nearest name.
        """
        by_name = {table.name: table for table in self.scales}
        if scale not in by_name:
            raise LookupError(f"the form has no scale '{scale[:40]}'{_hint(scale, by_name)}")
        table = by_name[scale]
        inside = [item for part in table.parts for item in self.items_of(part)]
        return list(dict.fromkeys([*table.items, *inside]))

    def order(self, name: str, participant: str | None) -> list[str]:
        """Ids in the order in which a participant meets them.

        Items marked `shuffle` trade places within their group, by participant and form, so that
        page and paper of one participant have the same order; without a participant the order is
        that of the file.

        Args:
            name: of the form.
            participant: the pseudonym.
        """
        order = [item.id for item in self.items]
        if participant is None:
            return order
        moving: dict[str | None, list[int]] = {}
        for place, item in enumerate(self.items):
            if item.shuffle:
                moving.setdefault(item.group, []).append(place)
        for places in moving.values():
            drawn = sorted(
                (order[place] for place in places),
                key=lambda item: _lot(participant, name, item),
            )
            for place, one in zip(places, drawn, strict=True):
                order[place] = one
        return order

    def instruction(self, item: Item, tag: str) -> str:
        """What stands above an item for its whole group."""
        texts = (group.text for group in self.groups if group.name == item.group)
        return next(texts, {}).get(tag, "")

    def shown(
        self, name: str, wanted: str | None, participant: str | None = None
    ) -> dict[str, Any]:
        """What a page shows: texts of one language; what is for the analysis stays out.

        Args:
            name: of the form.
            wanted: language.
            participant: whose order the items have; None: the file's.
        """
        tag = self.language(wanted)
        facts = self.questionnaire
        items = [self.item(one) for one in self.order(name, participant)]
        return {
            "name": name,
            "language": tag,
            "title": facts.title[tag],
            "intro": facts.intro.get(tag, ""),
            "source": facts.source,
            "licence": facts.licence,
            "wording": str(self.languages[tag]),
            "items": [shown_item(item, tag, self.instruction(item, tag)) for item in items],
        }

    def problems_with(
        self, answers: Mapping[str, Answer], free_answers: Mapping[str, str]
    ) -> list[str]:
        """What is wrong with answers, one sentence each; they are complete and valid if nothing."""
        return problems_with_answers(self.items, answers, free_answers)


def _lot(participant: str, form: str, item: str) -> bytes:
    """What is sorted by: the same everywhere and always, and not to be guessed from the ids."""
    return hashlib.sha256(f"{participant}\n{form}\n{item}".encode()).digest()


def _hint(name: str, known: Mapping[str, Any]) -> str:
    near = nearest_name(name[:60], known)
    return f"; did you mean '{near}'?" if near else f" (there are {', '.join(known) or 'none'})"


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
    data = with_group_defaults(document.data)
    try:
        form = Questionnaire.model_validate(data)
    except ValidationError as error:
        found = problems_of(error, document, Questionnaire, data)
        raise QuestionnaireError([in_words(problem) for problem in found]) from None
    if problems := form_problems(document, form):
        raise QuestionnaireError(sorted(problems, key=lambda problem: problem.line or 0))
    return form
