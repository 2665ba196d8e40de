"""Topics: `sera/<run>/<character>/<MessageName>/<source>`.

The source stands in the topic because a broker keeps one retained message and one last will
a topic: with it every module has its own State and its own last will.
"""

from __future__ import annotations

from typing import NamedTuple

from sera.messages import WORLD

ROOT = "sera"


class Topic(NamedTuple):
    """The parts of a topic."""

    run: str
    character: str
    type: str
    source: str

    def __str__(self) -> str:
        return f"{ROOT}/{self.run}/{self.character}/{self.type}/{self.source}"

    @classmethod
    def parse(cls, text: str) -> Topic | None:
        """The parts of a topic of ours, or None for anything else."""
        parts = text.split("/")
        if len(parts) != 5 or parts[0] != ROOT or not all(parts):
            return None
        return cls(*parts[1:])


def filters(run: str, types: list[str] | None, characters: list[str] | None) -> list[str]:
    """Subscription filters for message types (None: all) of some characters (None: of everybody).

    Filters for all types hear topics of another shape too, so that these can be reported.
    """
    if types is None and characters is None:
        return [f"{ROOT}/{run}/#"]
    who = ["+"] if characters is None else list(dict.fromkeys([*characters, WORLD]))
    if types is None:
        return [f"{ROOT}/{run}/{character}/#" for character in who]
    return [f"{ROOT}/{run}/{character}/{name}/+" for name in types for character in who]


def matches(pattern: str, topic: str) -> bool:
    """Whether a subscription filter (with + and #) covers a topic."""
    pattern_parts = pattern.split("/")
    topic_parts = topic.split("/")
    for index, part in enumerate(pattern_parts):
        if part == "#":
            return True
        if index >= len(topic_parts) or part not in ("+", topic_parts[index]):
            return False
    return len(pattern_parts) == len(topic_parts)
