"""What an instruction in a line may say: verbs, their parameters, their needs and fallbacks.

A verb is looked up by its whole name, so that FACE never hides FACESHIFT. Verbs on a target are
joined with AND (`GAZEANDPOINT`); a name is taken apart only if every part is a verb, so that a
laboratory may call a verb STAND.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

JOINT = "AND"
_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_LONGEST_NAME = 200


class Kind(StrEnum):
    """What a parameter is, which decides how it is read and against what it is checked."""

    TARGET = "target"
    ANIMATION = "animation"
    FACE = "face"
    SOUND = "sound"
    ACTION = "action"
    COUNT = "count"
    NUMBER = "number"
    TEXT = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """One parameter of a verb."""

    name: str
    """Its name, for `name=value` and for who performs it."""
    kind: Kind = Kind.TEXT
    required: bool = False
    default: str | int | float | None = None
    """What holds where it is not given."""
    lower: float = 1
    """Smallest count or number."""
    upper: float = 20
    """Largest count or number."""
    many: bool = False
    """Takes all that are left; only for the last one."""


@dataclass(frozen=True, slots=True)
class Fallback:
    """What is done in place of a verb that a body cannot perform."""

    verb: str
    """The verb that is performed, which may be the same one by other means."""
    means: str | None = None
    """The ability it uses; None: the one that the verb needs."""


@dataclass(frozen=True, slots=True)
class Sending:
    """A message that a verb sends; `{name}` in a field stands for the parameter of that name."""

    message: str
    """Its type, such as `PlayAnimation`."""
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerbSpec:
    """One verb."""

    name: str
    """In capitals; authors may write it in any case."""
    parameters: tuple[Parameter, ...] = ()
    needs: str | None = None
    """The ability a body must have, such as `arms`; None: nothing."""
    fallbacks: tuple[Fallback, ...] = ()
    """What to do without it, the best one first."""
    joins: bool = False
    """May be joined with others by AND; its first parameter is then the shared one."""
    about: str = ""
    """One sentence for help pages and templates."""
    sends: Sending | None = None
    """The message that has it done, for a workspace's own verb."""

    def __post_init__(self) -> None:
        if not _NAME.match(self.name):
            raise ValueError(
                f"a verb is capitals, digits and underscores, beginning with a letter, "
                f"not {self.name!r}"
            )
        names = [parameter.name for parameter in self.parameters]
        if len(set(names)) < len(names):
            raise ValueError(f"the verb {self.name} has two parameters of one name: {names}")
        for parameter in self.parameters[:-1]:
            if parameter.many:
                raise ValueError(
                    f"the parameter `{parameter.name}` of {self.name} takes all that are left, "
                    "so it must be the last one"
                )


class VerbRegistry:
    """The verbs that lines may use.

    Args:
        verbs: each name once.
    """

    def __init__(self, verbs: Iterable[VerbSpec]) -> None:
        self._verbs: dict[str, VerbSpec] = {}
        for verb in verbs:
            if verb.name in self._verbs:
                raise ValueError(
                    f"the verb {verb.name} is there already; take another name, or replace it "
                    "with with_verbs(…, replace=True)"
                )
            self._verbs[verb.name] = verb
        for verb in self._verbs.values():
            for fallback in verb.fallbacks:
                if fallback.verb not in self._verbs:
                    raise ValueError(
                        f"the verb {verb.name} falls back on {fallback.verb}, which is no verb"
                    )

    def __iter__(self) -> Iterator[VerbSpec]:
        return iter(self._verbs.values())

    def __contains__(self, name: str) -> bool:
        return name.upper() in self._verbs

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._verbs)

    def with_verbs(self, *verbs: VerbSpec, replace: bool = False) -> VerbRegistry:
        """These verbs and more, as a workspace adds them."""
        new_names = {verb.name for verb in verbs} if replace else set()
        return VerbRegistry([*(verb for verb in self if verb.name not in new_names), *verbs])

    def find(self, name: str) -> VerbSpec | None:
        """The verb of that name, in any case."""
        return self._verbs.get(name.upper())

    def split(self, name: str) -> tuple[VerbSpec, ...]:
        """The verbs in a name, one or several joined with AND; none where a part is no verb."""
        whole = self.find(name)
        if whole is not None:
            return (whole,)
        upper = name.upper()
        if JOINT not in upper or len(upper) > _LONGEST_NAME:
            return ()
        # ways[i]: the verbs that make up everything from i on.
        ways: dict[int, tuple[VerbSpec, ...]] = {}
        joints = [found.start() for found in re.finditer(JOINT, upper)]
        starts = [0, *(joint + len(JOINT) for joint in joints)]
        ends = [*joints, len(upper)]
        for start in reversed(starts):
            for end in ends:
                verb = self._verbs.get(upper[start:end]) if end > start else None
                if verb is None:
                    continue
                if end == len(upper):
                    ways[start] = (verb,)
                elif end + len(JOINT) in ways:
                    ways[start] = (verb, *ways[end + len(JOINT)])
        return ways.get(0, ())

    def unknown_parts(self, name: str) -> list[str]:
        """The parts of a name that are no verbs, as written; for findings."""
        parts = [part for part in re.split(JOINT, name, flags=re.IGNORECASE) if part]
        return [part for part in parts if part not in self] or [name]
