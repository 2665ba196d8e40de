"""A learned policy at work: it sees what a wizard in restricted perception would see, and acts.

Design overview
    The policy is a JSON file of `sera study learn`. Whenever the perception comes that it acts on,
    it chooses from what is on the page at that moment. What it does are orders like everybody's:
    the autonomy dial lets them pass, makes suggestions of them, with the way through the tree as
    the reason, or withholds them.

Units and frames
    Seconds on the clock of the run.

Threading
    The event loop's thread.

Safety
    The file is data and is checked as a whole before it chooses anything: it must act on a
    perception and ask for fields that its messages have. Orders in it must be Actions with a
    channel, so that it can neither release a stop nor speak for the system.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from pydantic import Field, ValidationError

from sera import Module
from sera.messages import (
    Action,
    Envelope,
    Message,
    PeopleState,
    Perception,
    UnknownMessageType,
    find_message_type,
)
from sera.study.policy import Choice, Chosen, Policy, PolicyFileError, Visible, misfit, moment_of


class LearnedPolicy(Module):
    """Chooses as the wizard did from whom it was learned."""

    class Settings(Module.Settings):
        """Which policy, and how sure it must be."""

        policy: str = "policy.json"
        """File beside the scenario; `sera study learn` writes it."""
        least_share: float = Field(default=0.0, ge=0, le=1)
        """It does nothing where it is less sure than this."""
        delay_s: float = Field(default=0.0, ge=0, le=60)
        """How long it waits before it acts; people are not faster than 0.4 s."""

    async def start(self) -> None:
        path = (self.context.folder or Path()) / self.settings.policy
        self._policy = Policy.load(path)
        self._orders = {choice.label: _order(choice, path) for choice in self._policy.choices}
        self._page = Visible()
        self._due: set[asyncio.Task[None]] = set()
        kinds = [_known(name, path) for name in self._policy.hears]
        _check_features(self._policy, path)
        await self.bus.subscribe(kinds, self._see, everyone=True)

    async def stop(self) -> None:
        for task in self._due:
            task.cancel()

    def _see(self, envelope: Envelope) -> None:
        self._page.see(envelope)
        if envelope.type == self._policy.acts_on:
            facts = self._page.at(envelope.time)
            chosen = self._policy.choose(moment_of(facts, envelope.time))
            task = asyncio.get_running_loop().create_task(self._act(chosen, envelope.id))
            self._due.add(task)
            task.add_done_callback(self._due.discard)

    async def _act(self, chosen: Chosen, cause: str) -> None:
        order = self._orders[chosen.choice.label]
        if order is None or chosen.share < self.settings.least_share:
            return
        if self.settings.delay_s:
            await self.clock.sleep(self.settings.delay_s)
        await self.publish(order, cause=cause, reason=chosen.reason)


def _known(name: str, path: Path) -> type[Message]:
    try:
        return find_message_type(name)
    except UnknownMessageType as error:
        raise PolicyFileError(
            f"{path}: the policy looks at {name}, which nobody here publishes: {error}"
        ) from None


def _check_features(policy: Policy, path: Path) -> None:
    """Refuse a policy that looks at what its messages do not have: it would always see nothing."""
    kind = _known(policy.acts_on, path)
    if not issubclass(kind, Perception | PeopleState):
        raise PolicyFileError(
            f"{path}: the policy acts on {policy.acts_on}, which is no perception that a Wizard "
            "answers"
        )
    for feature in policy.features:
        problem = misfit(feature, _known(feature.type, path))
        if problem is not None:
            raise PolicyFileError(f"{path}: {problem}")


def _order(choice: Choice, path: Path) -> Action | None:
    """The Action of a choice, checked; None: to do nothing."""
    if choice.type is None:
        return None
    kind = _known(choice.type, path)
    if not issubclass(kind, Action) or kind.channel is None:
        raise PolicyFileError(f"{path}: {choice.type} is no order that a policy may give")
    try:
        return kind.model_validate(choice.fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PolicyFileError(f"{path}: {choice.label}: {where}: {first['msg']}") from None
