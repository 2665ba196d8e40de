"""The envelope: who said it, when it was observed, and which message led to it."""

from __future__ import annotations

import re
from typing import NamedTuple

from sera.messages._base import PROTOCOL_VERSION, Message

WORLD = "world"
"""Stands for the character where a fact belongs to nobody."""

_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


def check_name(name: str, what: str) -> str:
    """Return a character, module or scenario name unchanged, or say what is wrong with it."""
    if not _NAME.match(name):
        proposal = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        if not proposal or not proposal[0].isalpha():
            proposal = f"{what.rsplit(maxsplit=1)[-1]}_{proposal}".rstrip("_")
        raise ValueError(
            f"{what} {name!r}: use lower-case letters, digits and _ and begin with a letter, "
            f"for example {proposal!r}"
        )
    return name


class MessageId(NamedTuple):
    """`source-boot-sequence`: ordered within a source, so one high-water mark finds repeats."""

    source: str
    boot: int
    sequence: int

    @classmethod
    def parse(cls, text: str) -> MessageId:
        source, boot, sequence = text.rsplit("-", 2)
        return cls(source, int(boot), int(sequence))

    def __str__(self) -> str:
        return f"{self.source}-{self.boot}-{self.sequence}"


class Envelope(NamedTuple):
    """A message on its way. `character` comes from the topic, everything else from the payload."""

    message: Message
    id: str
    """`source-boot-sequence`, see `MessageId`."""
    time: float
    """When the fact was observed or the order given, seconds (clock of the run)."""
    source: str
    """`<character>.<module>`; the character is `world` for modules that belong to nobody."""
    character: str
    """Under whose name it was published: a character, or `world`."""
    cause: str | None = None
    """Id of the message that led to this one."""
    protocol: int = PROTOCOL_VERSION
    after: dict[str, int] | None = None
    """Actions only: per receiver, sequence of the pending Action that must come before this one."""

    @property
    def type(self) -> str:
        return type(self.message).__name__
