"""Reads `console.toml` and says by line what is wrong in it.

Each table is checked by itself, so that one mistake takes away one button and not the console: a
button that cannot be used keeps its place and says why.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, create_model

from sera.console._layout_keys import clash, key_of
from sera.messages import Channel, Message, UnknownMessageType, find_message_type
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name
from sera.web._roles import PageRole, may_send, sendable

NEVER_LOCKED = ("EmergencyStop", "EmergencyRelease", "StopSpeaking", "CancelUtterance")
"""What ends something: no button may keep a desk from it."""
USUAL_DESKS = ("wizard", "observer")
"""Desks that are there without being named."""
MOST_BUTTONS = 300
_DESK_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}\Z")
_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=80)]
_Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]
_STRICT = ConfigDict(
    extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
)


class _Table(BaseModel):
    model_config = _STRICT


class LayoutFile(_Table):
    """The file as a whole; tables inside are checked one by one."""

    title: _Text | None = None
    """What the console is called here; None: as the scenario."""
    filler_category: _Text | None = None
    """Category of the lines that the key *hold on* says one of."""
    panels: list[dict[str, Any]] = Field(default_factory=list)
    desks: dict[str, Any] = Field(default_factory=dict)


class PanelTable(_Table):
    """`[[panels]]`."""

    title: _Text
    groups: list[dict[str, Any]] = Field(default_factory=list)
    buttons: list[dict[str, Any]] = Field(default_factory=list)
    """Buttons that are in no group."""


class GroupTable(_Table):
    """`[[panels.groups]]`."""

    title: str = ""
    buttons: list[dict[str, Any]] = Field(default_factory=list)


# The key is called `with`, which is a word of Python: only a made model can have such a field.
_WITH: dict[str, Any] = {"with": (dict[str, Any], Field(default_factory=dict))}
_WithFields: Any = create_model("_WithFields", __base__=_Table, **_WITH)


class ButtonTable(_WithFields):  # type: ignore[misc]
    """`[[panels.groups.buttons]]` or `[[panels.buttons]]`."""

    label: _Text
    send: str
    """Type of a message that a wizard may send."""
    key: str | None = None
    colour: Literal["plain", "accent", "good", "warn", "bad"] = "plain"
    character: _Text | None = None
    """Whom it is for; None: whoever is chosen at the desk."""
    confirm: bool | _Sentence = False
    """Whether it asks before it sends; a text is the question."""
    locked_for: list[str] = Field(default_factory=list)
    """Desks that may not use it."""


class DeskTable(_Table):
    """`[desks.NAME]`."""

    title: _Text | None = None
    channels: list[Channel] = Field(default_factory=list)
    """What the desk is for."""
    may_send: list[str] | None = None
    """Types of messages that it may send, beside the stops; None: all of a wizard's."""


@dataclass(frozen=True, slots=True)
class Button:
    """One button that can be pressed, or that says why it cannot."""

    id: str
    label: str
    key: str | None = None
    colour: str = "plain"
    message: Message | None = None
    """What it sends; None where the file has a mistake there."""
    character: str | None = None
    confirm: bool | str = False
    locked_for: tuple[str, ...] = ()
    wrong: str = ""
    """The mistake in the file, in one sentence."""


@dataclass(frozen=True, slots=True)
class Group:
    """Buttons that belong together."""

    title: str
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel of the page."""

    title: str
    groups: tuple[Group, ...] = ()


@dataclass(slots=True)
class Reader:
    """Reads one file; afterwards `problems` has everything that is wrong in it.

    Args:
        document: the file.
        characters: of the scenario, in any condition; None: not known, so not checked.
    """

    document: LocatedToml
    characters: Collection[str] | None = None
    problems: list[FileProblem] = field(default_factory=list)
    title: str | None = None
    filler_category: str | None = None
    panels: list[Panel] = field(default_factory=list)
    desks: dict[str, DeskTable] = field(default_factory=dict)
    _keys: dict[str, str] = field(default_factory=dict)
    _buttons: int = 0

    def read(self) -> None:
        """Read everything that can be read."""
        data = self.document.data
        file = self._checked(LayoutFile, data, ())
        if isinstance(file, LayoutFile):
            self.title, self.filler_category = file.title, file.filler_category
        desks, panels = data.get("desks"), data.get("panels")
        for name, table in desks.items() if isinstance(desks, dict) else ():
            self._read_desk(name, table)
        for index, table in enumerate(panels if isinstance(panels, list) else ()):
            if isinstance(table, dict):
                self.panels.append(self._panel(table, ("panels", index)))
        self._unlike([panel.title for panel in self.panels], ("panels",), "panel", "title")
        self.problems.sort(key=lambda problem: problem.line or 0)

    # -- tables -----------------------------------------------------------------------------

    def _read_desk(self, name: str, table: Any) -> None:
        place: KeyPath = ("desks", name)
        if not _DESK_NAME.match(name):
            fix = "lower-case letters, digits, - and _, as in the address of the page: desk=helper"
            self._wrong(place, f"a desk cannot be called '{name[:60]}'", fix=fix)
            return
        desk = self._checked(DeskTable, table, place)
        if not isinstance(desk, DeskTable):
            # What the desk may not do cannot be read: it is left with the stops.
            desk = DeskTable(may_send=[])
        for index, kind in enumerate(desk.may_send or ()):
            self._type(kind, (*place, "may_send", index))
        self.desks[name] = desk

    def _panel(self, table: dict[str, Any], place: KeyPath) -> Panel:
        panel = self._checked(PanelTable, table, place)
        title = panel.title if isinstance(panel, PanelTable) else _text(table.get("title"))
        groups = []
        alone = self._buttons_of(table, place)
        if alone:
            groups.append(Group("", alone))
        inside = table.get("groups")
        for index, one in enumerate(inside if isinstance(inside, list) else ()):
            if not isinstance(one, dict):
                continue
            where = (*place, "groups", index)
            group = self._checked(GroupTable, one, where)
            named = group.title if isinstance(group, GroupTable) else _text(one.get("title"))
            groups.append(Group(named, self._buttons_of(one, where)))
        return Panel(title, tuple(groups))

    def _buttons_of(self, table: dict[str, Any], place: KeyPath) -> tuple[Button, ...]:
        given = table.get("buttons")
        found = []
        for index, one in enumerate(given if isinstance(given, list) else ()):
            if not isinstance(one, dict):
                continue
            where = (*place, "buttons", index)
            self._buttons += 1
            if self._buttons == MOST_BUTTONS + 1:
                self._wrong(
                    where, f"a console has {MOST_BUTTONS} buttons at most; the rest is gone"
                )
            if self._buttons <= MOST_BUTTONS:
                found.append(self._button(one, where))
        self._unlike([each.label for each in found], (*place, "buttons"), "button", "label")
        return tuple(found)

    def _button(self, table: dict[str, Any], place: KeyPath) -> Button:
        before = len(self.problems)
        identity = "button." + ".".join(str(each + 1) for each in place if isinstance(each, int))
        button: Any = self._checked(ButtonTable, table, place)
        if button is None:
            wrong = _short(self.problems[before:])
            return Button(identity, _text(table.get("label")), wrong=wrong)
        message = self._message(button, place)
        key = self._key(button.key, button.label, place)
        self._check_locks(button, place)
        if button.character is not None and self.characters is not None:
            self._name(button.character, self.characters, (*place, "character"), "character")
        return Button(
            identity,
            button.label,
            key,
            button.colour,
            message,
            button.character,
            button.confirm,
            tuple(button.locked_for),
            _short(self.problems[before:]) if message is None else "",
        )

    # -- what is in a button ----------------------------------------------------------------

    def _message(self, button: Any, place: KeyPath) -> Message | None:
        kind = self._type(button.send, (*place, "send"))
        if kind is None:
            return None
        given = getattr(button, "with")
        try:
            return kind.model_validate(given)
        except ValidationError as error:
            self.problems += problems_of(
                error, self.document, kind, given, relocate=lambda path: (*place, "with", *path)
            )
        return None

    def _type(self, name: str, place: KeyPath) -> type[Message] | None:
        # Messages of the scenario's own modules are known, since the scenario was loaded before.
        allowed = sendable(PageRole.WIZARD)
        try:
            kind: type[Message] | None = find_message_type(name)
        except UnknownMessageType:
            kind = None
        if kind is None:
            fix = "`sera messages` lists all"
            near = nearest_name(name, allowed)
            self._wrong(place, f"there is no message '{name[:60]}'", nearest=near, fix=fix)
            return None
        if not may_send(PageRole.WIZARD, kind):
            self._wrong(place, f"a wizard may not send {name}", nearest=nearest_name(name, allowed))
            return None
        return kind

    def _key(self, written: str | None, label: str, place: KeyPath) -> str | None:
        if written is None:
            return None
        place = (*place, "key")
        try:
            key = key_of(written)
        except ValueError as error:
            self._wrong(place, str(error))
            return None
        for other, whose in self._keys.items():
            if clash(key, other):
                shared = (
                    "is also the key" if key == other else f"cannot be told from {other}, the key"
                )
                self._wrong(place, f"{key} {shared} of '{whose}'", fix="take another one")
                return None
        self._keys[key] = label
        return key

    def _check_locks(self, button: Any, place: KeyPath) -> None:
        if button.send == "EmergencyStop" and button.confirm:
            self._wrong((*place, "confirm"), "a stop never asks first", fix="take the line away")
        if button.locked_for and button.send in NEVER_LOCKED:
            self._wrong(
                (*place, "locked_for"),
                f"{button.send} can never be locked: everybody at a console can end things",
                fix="take the line away",
            )
        known = [*USUAL_DESKS, *self.desks]
        for index, desk in enumerate(button.locked_for):
            self._name(desk, known, (*place, "locked_for", index), "desk")

    # -- sentences --------------------------------------------------------------------------

    def _name(self, name: str, known: Collection[str], place: KeyPath, what: str) -> None:
        if name not in known:
            near = nearest_name(name, known)
            fix = f"there are {', '.join(known)}" if known else f"there is no {what}"
            self._wrong(place, f"there is no {what} '{name[:60]}'", nearest=near, fix=fix)

    def _unlike(self, names: list[str], place: KeyPath, what: str, key: str) -> None:
        """Two of one name cannot be told apart, least of all by who hears them read aloud."""
        for index, name in enumerate(names):
            if name and name in names[:index]:
                fix = f"give one another {key}"
                self._wrong((*place, index, key), f"there is a {what} '{name}' already", fix=fix)

    def _checked(self, model: type[BaseModel], data: Any, place: KeyPath) -> BaseModel | None:
        try:
            return model.model_validate(data)
        except ValidationError as error:
            self.problems += problems_of(
                error, self.document, model, data, relocate=lambda path: (*place, *path)
            )
        return None

    def _wrong(
        self, place: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> None:
        self.problems.append(self.document.problem(place, message, nearest=nearest, fix=fix))


def _short(problems: list[FileProblem]) -> str:
    """The mistakes of one button, for the button itself."""
    sentences = (
        f"{problem.key.rpartition('.')[2]}: {problem.message}"
        + (f"; did you mean '{problem.nearest}'?" if problem.nearest else "")
        for problem in problems
    )
    return f"console.toml, line {problems[0].line}: {'; '.join(sentences)}"


def _text(value: Any) -> str:
    """What a title says, where its table is wrong."""
    return value.strip()[:80] if isinstance(value, str) and value.strip() else "(no name)"


def read_file(path: Path, characters: Collection[str] | None = None) -> Reader:
    """Read a file; FileProblem where it is missing or no TOML."""
    reader = Reader(LocatedToml.load(path), characters)
    reader.read()
    return reader
