"""How a trainee's decisions compare with those of the wizard in the recording.

Each recorded decision is one task. Within a window around its moment the trainee made the same
decision, another one on the same channel, or none (missed); what belongs to no task is extra.
Pure: from two lists of choices to a score.

Units and frames: seconds from the beginning of the run, on the recording's own clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

from sera.recording._reader import Record
from sera.recording.wizard import Spread
from sera.recording.wizard._orders import channel_of

WINDOW_S = 3.0
_ESSENTIAL = {
    "PerformUtterance": ("line", "category", "subcategory", "text"),
    "Speak": ("text",),
    "GazeAt": ("target",),
    "Glance": ("target",),
    "PointAt": ("target",),
    "PlayAnimation": ("animation",),
    "SetPosture": ("posture",),
    "SetFace": ("face",),
    "SetGazePolicy": ("policy",),
    "ActivityCommand": ("command", "arguments"),
    "SuggestionResolved": ("suggestion", "outcome"),
    "Highlight": ("element",),
}
"""Fields that make a decision what it is; of other types all fields count."""
_NOT_DECISIONS = frozenset({"AutonomyChanged", "SessionMark", "SessionPhase", "GuideSession"})


class Choice(NamedTuple):
    """One decision of an operator."""

    at_s: float
    type: str
    character: str
    what: str
    """What was chosen, in words; two equal ones are the same decision."""
    reaction_s: float | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """One recorded decision and what the trainee did about it."""

    verdict: str
    """`same`, `other`, `missed` or `extra`."""
    at_s: float
    recorded: Choice | None
    trainee: Choice | None
    later_s: float | None
    """How much later than the recorded wizard; below 0: earlier."""


@dataclass(slots=True)
class TrainingScore:
    """How a trainee did."""

    tasks: int = 0
    same: int = 0
    other: int = 0
    missed: int = 0
    extra: int = 0
    later: Spread = field(default_factory=Spread)
    """How much later than the recorded wizard, of the same decisions; earlier counts as 0."""
    reaction: Spread = field(default_factory=Spread)
    """The trainee's own reaction times."""
    recorded_reaction: Spread = field(default_factory=Spread)
    window_s: float = WINDOW_S
    judged: list[Judged] = field(default_factory=list)

    @property
    def agreement(self) -> float | None:
        """Share of recorded decisions that the trainee made too; None: there were none."""
        return round(self.same / self.tasks, 4) if self.tasks else None

    def as_dict(self) -> dict[str, Any]:
        told = asdict(self)
        told["judged"] = [
            {
                "verdict": one.verdict,
                "at_s": one.at_s,
                "recorded": None if one.recorded is None else one.recorded._asdict(),
                "trainee": None if one.trainee is None else one.trainee._asdict(),
                "later_s": one.later_s,
            }
            for one in self.judged
        ]
        return {**told, "agreement": self.agreement}


def choices_of(
    records: Iterable[Record], origin_s: float, character: str | None = None
) -> list[Choice]:
    """Decisions of operators in a log: every order that an `OperatorDecided` tells of.

    Args:
        records: of one log, in its order.
        origin_s: beginning of the run on their clock.
        character: only orders to this character.
    """
    orders: dict[str, Record] = {}
    decided: dict[str, tuple[float | None, str]] = {}
    for record in records:
        if record.type == "OperatorDecided":
            action = str(record.data.get("action") or "")
            reaction = record.data.get("reaction_s")
            known = isinstance(reaction, int | float) and not isinstance(reaction, bool)
            decided[action] = (float(reaction) if known else None, record.id)  # type: ignore[arg-type]  # checked
        elif channel_of(record.type) != "other" or record.type in _ESSENTIAL:
            orders[record.id] = record
    found = []
    for action, (reaction_s, _) in decided.items():
        order = orders.get(action)
        if order is None or order.type in _NOT_DECISIONS:
            continue
        if character is not None and order.character != character:
            continue
        at_s = round(order.received_s - origin_s, 4)
        found.append(Choice(at_s, order.type, order.character, what_of(order), reaction_s))
    return sorted(found)


def what_of(order: Record) -> str:
    """A decision in words."""
    keys = _ESSENTIAL.get(order.type, tuple(order.data))
    told = [f"{key} {order.data[key]}" for key in keys if order.data.get(key) not in (None, "", {})]
    return ", ".join(told) or order.type


def score(
    recorded: Sequence[Choice], trainee: Sequence[Choice], *, window_s: float = WINDOW_S
) -> TrainingScore:
    """Judge a trainee against the recorded wizard.

    The nearest equal decision counts first, so that two of the same in a row find each their own;
    then what else was decided on the same channel for the same character.

    Args:
        recorded: the wizard's decisions.
        trainee: the trainee's.
        window_s: how far apart in time two decisions may be and still belong together.

    Raises:
        ValueError: the window is not above 0.
    """
    if not window_s > 0:
        raise ValueError(f"a window of {window_s:g} s: give a number of seconds above 0")
    left = dict(enumerate(sorted(trainee)))
    judged: list[Judged] = []
    open_tasks = sorted(recorded)
    for same in (True, False):
        waiting = []
        for task in open_tasks:
            fitting = [
                (abs(one.at_s - task.at_s), key)
                for key, one in left.items()
                if abs(one.at_s - task.at_s) <= window_s and _belongs(task, one, same=same)
            ]
            if not fitting:
                waiting.append(task)
                continue
            choice = left.pop(min(fitting)[1])
            later_s = round(choice.at_s - task.at_s, 4)
            verdict = "same" if same else "other"
            judged.append(Judged(verdict, task.at_s, task, choice, later_s))
        open_tasks = waiting
    judged += [Judged("missed", task.at_s, task, None, None) for task in open_tasks]
    judged += [Judged("extra", one.at_s, None, one, None) for one in left.values()]
    judged.sort(key=lambda one: one.at_s)
    counts = {name: sum(one.verdict == name for one in judged) for name in _VERDICTS}
    return TrainingScore(
        tasks=len(recorded),
        **counts,
        later=Spread.of(
            [
                max(0.0, one.later_s)
                for one in judged
                if one.verdict == "same" and one.later_s is not None
            ]
        ),
        reaction=Spread.of([one.reaction_s for one in trainee if one.reaction_s is not None]),
        recorded_reaction=Spread.of(
            [one.reaction_s for one in recorded if one.reaction_s is not None]
        ),
        window_s=window_s,
        judged=judged,
    )


_VERDICTS = ("same", "other", "missed", "extra")


def _belongs(task: Choice, choice: Choice, *, same: bool) -> bool:
    if task.character != choice.character:
        return False
    if same:
        return (task.type, task.what) == (choice.type, choice.what)
    channel = channel_of(task.type)
    return channel == channel_of(choice.type) if channel != "other" else task.type == choice.type
