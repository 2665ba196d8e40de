"""What the console's pages know of the run that they belong to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sera.messages import Message
from sera.web import PageRole
from sera.web._limits import Allowance
from sera.web._ports import Hear

if TYPE_CHECKING:
    from sera.console._fillers import FillerCheck
    from sera.runtime.scenario import Scenario
    from sera.runtime.workspace import Workspace
    from sera.web import Gateway


class Tell(Protocol):
    """Publishes a message under a character's name; returns its id."""

    async def __call__(self, message: Message, *, character: str) -> str | None: ...


@dataclass(frozen=True, slots=True)
class Console:
    """One run, as the routes of the console see it."""

    gateway: Gateway
    """Knows the roles, the tokens and the pages that are connected."""
    now: Callable[[], float]
    """The clock of the run, seconds."""
    tell: Tell
    """Says something to the run."""
    hear: Hear
    """Listens to the run: types (None: all), a function for each envelope, characters (None)."""
    run: str = ""
    """Id of the run."""
    scenario: Scenario | None = None
    """The scenario; None for a gateway that joined a run by itself."""
    workspace: Workspace | None = None
    """Where robots and their animations are found."""
    folder: Path | None = None
    """The scenario's folder."""
    restricted: bool = False
    """Whether wizards see only what the robot perceives."""
    recordings: Path | None = None
    """The folder of recordings; None: where the runs of this machine are."""
    address: Callable[[PageRole, str], str | None] = lambda _role, _path: None
    """The whole address of a page for a role, with its token; None: there is none."""
    beginnings: list[Callable[[], Awaitable[None]]] = field(default_factory=list)
    """What the routes do once, before the first page is served."""
    filler: FillerCheck | None = None
    """Knows whether there are fillers of the layout's category; None: nobody asks."""
    allowances: dict[str, Allowance] = field(default_factory=dict)
    """What each machine may still ask."""
    tasks: set[object] = field(default_factory=set)
    """Keeps work in the background alive."""
