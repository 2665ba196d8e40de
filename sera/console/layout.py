"""The console's layout: panels and buttons of a scenario, and what each desk may do.

`console.toml` beside the scenario (see docs/console-layout.md):

    [[panels]]
    title = "Lesson"
    [[panels.groups]]
    title = "Praise"
    [[panels.groups.buttons]]
    label = "Well done"
    key = "Alt+1"
    send = "PerformUtterance"
    with = { category = "praise" }
    locked_for = ["helper"]

    [desks.helper]
    title = "Helper"

Threading: reading blocks; a `Layout` is immutable.
Safety: locks are for the server to keep (`Layout.lock_for`), pages only show them. Stops are
never locked, whatever the file says, and a file with mistakes takes away what is wrong in it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from sera.console._layout_file import NEVER_LOCKED, Button, DeskTable, Panel, read_file
from sera.messages import Message, UnknownMessageType, find_message_type
from sera.runtime.located import FileProblem

FILE_NAME = "console.toml"
_STOPS = frozenset(NEVER_LOCKED) - {"EmergencyRelease"}
"""What a desk may send whatever else it may not; letting a robot move again is not among it."""
_SIGNED = "by"
"""Who sends it, which the server fills in."""

Why = Callable[[Button], str | None]
"""Why a button cannot be used in this run; None: it can."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The panels of a scenario's console."""

    title: str | None = None
    filler_category: str | None = None
    panels: tuple[Panel, ...] = ()
    desks: dict[str, DeskTable] = field(default_factory=dict)
    problems: tuple[FileProblem, ...] = ()
    """What is wrong in the file."""
    desk: str | None = None
    """For whom `told` shows locks; None: for nobody in particular."""

    @property
    def is_readable(self) -> bool:
        """False where the file is no TOML at all, so that nothing is known of its locks."""
        return bool(self.panels or self.desks or not self.problems)

    @property
    def buttons(self) -> list[Button]:
        """All of them, in the order of the file."""
        return [one for panel in self.panels for group in panel.groups for one in group.buttons]

    def lock_for(
        self,
        desk: str,
        message_type: str,
        data: dict[str, Any],
        character: str | None = None,
    ) -> str | None:
        """Why a desk may not send this; None: it may, as far as the layout goes.

        A lock holds for the button's message with whatever further fields, so that it cannot be
        passed by adding one, unless another button that is not locked sends exactly that.

        Args:
            desk: which desk.
            message_type: name of the type.
            data: its fields.
            character: whom it is for; None: not known, so that locks for any character count.
        """
        if message_type in _STOPS:
            return None
        table = self.desks.get(desk)
        if table is not None and table.may_send is not None and message_type not in table.may_send:
            listed = ", ".join(table.may_send) or "nothing but the stops"
            return f"the desk '{desk}' sends no {message_type}: the layout lets it send {listed}"
        if message_type in NEVER_LOCKED:
            return None
        sent = _fields(message_type, data)
        found: Button | None = None
        for button in self.buttons:
            if button.message is None or type(button.message).__name__ != message_type:
                continue
            if character is not None and button.character not in (None, character):
                continue
            exact = _whole(button.message) == sent
            if desk in button.locked_for and (exact or _covers(button.message, sent)):
                if exact:
                    return _locked(button, desk)
                found = found or button
            elif exact:
                return None
        return None if found is None else _locked(found, desk)

    def told(self, why: Why = lambda _button: None) -> dict[str, Any]:
        """The layout for a page: every button, in its place, whether it can be used or not."""
        return {
            "title": self.title,
            "filler_category": self.filler_category,
            "panels": [
                {
                    "title": panel.title,
                    "groups": [
                        {
                            "title": group.title,
                            "buttons": [self._told(button, why) for button in group.buttons],
                        }
                        for group in panel.groups
                    ],
                }
                for panel in self.panels
            ],
        }

    def told_desks(self) -> dict[str, Any]:
        """What each desk is for, by name."""
        return {
            name: {
                "title": desk.title or name,
                "channels": [str(channel) for channel in desk.channels],
                "may_send": desk.may_send,
            }
            for name, desk in self.desks.items()
        }

    def _told(self, button: Button, why: Why) -> dict[str, Any]:
        message, lock = button.message, None
        type_name = "" if message is None else type(message).__name__
        data = {} if message is None else _given(message)
        if self.desk is not None and message is not None:
            lock = self.lock_for(self.desk, type_name, data, button.character)
        return {
            "id": button.id,
            "label": button.label,
            "key": button.key,
            "colour": button.colour,
            "type": type_name,
            "data": data,
            "character": button.character,
            "confirm": button.confirm,
            "locked": lock is not None,
            "locked_for": list(button.locked_for),
            "why": button.wrong or lock or why(button),
        }


def load_layout(
    folder: Path | None, desk: str | None = None, *, characters: Collection[str] | None = None
) -> Layout:
    """The layout beside a scenario; an empty one where there is none. Never raises.

    Args:
        folder: of the scenario; None without one.
        desk: for whom locks are shown.
        characters: of the scenario, in any condition; None: not known, so not checked.
    """
    path = None if folder is None else folder / FILE_NAME
    if path is None or not path.exists():
        return Layout(desk=desk)
    try:
        found = read_file(path, characters)
    except FileProblem as problem:
        return Layout(problems=(problem,), desk=desk)
    return Layout(
        found.title,
        found.filler_category,
        tuple(found.panels),
        dict(found.desks),
        tuple(found.problems),
        desk,
    )


def _locked(button: Button, desk: str) -> str:
    return f"'{button.label}' is locked for the desk '{desk}'"


def _given(message: Message) -> dict[str, Any]:
    """The fields that the file gives."""
    return message.model_dump(mode="json", exclude_unset=True)


def _whole(message: Message) -> dict[str, Any]:
    """All fields, with what holds where they are not given."""
    return message.model_dump(mode="json", exclude={_SIGNED})


def _fields(message_type: str, data: dict[str, Any]) -> dict[str, Any]:
    """The same for what a page sends; what is no message is compared as it is."""
    try:
        return _whole(find_message_type(message_type).model_validate(data))
    except (UnknownMessageType, ValidationError):
        return data


def _covers(message: Message, sent: dict[str, Any]) -> bool:
    """Whether somebody sends what the button sends, and more; a button without fields is exact."""
    wanted = {key: value for key, value in _given(message).items() if key != _SIGNED}
    return bool(wanted) and all(sent.get(key) == value for key, value in wanted.items())
