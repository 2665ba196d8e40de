"""Who speaks on the bus."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sera.messages import check_name

_LEVEL = re.compile(r"[^/+#\s\0]+\Z")  # what can stand between two slashes of a topic


@dataclass(frozen=True, slots=True)
class Identity:
    """Who is speaking: a module of a character (or of `world`) in a run."""

    run: str
    character: str
    module: str
    boot: int = 0
    """Grows with every start of this module, so that ids of two starts never meet."""

    def __post_init__(self) -> None:
        check_name(self.character, "character")
        for what, name in (("run", self.run), ("module", self.module)):
            if not _LEVEL.match(name):
                raise ValueError(
                    f"{what} {name!r} cannot stand in a topic: it is empty or has blanks, /, + or #"
                )

    @property
    def source(self) -> str:
        return f"{self.character}.{self.module}"
