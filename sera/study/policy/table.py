"""From recordings to a table: what an operator could see, and what the operator chose.

Design overview
    `OperatorDecided` names the order and the ids of what stood on the page. The newest perception
    that the operator can have reacted to is what the choice answers. The row holds what was known
    when *it* came, and not when the key was pressed, because a policy acts at once and would
    otherwise be taught with facts from its own future; kinds of facts that were never on the
    operator's page are in no row.
    A perception of that kind that nobody answered is a row, too: to do nothing is a choice.
    Orders that were cancelled or marked as a mistake are left out; of several after the same
    perception the last one counts, since it put the others right.

Units and frames: seconds on the clock of each run.
Threading: pure apart from reading the logs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sera.messages import (
    Action,
    PeopleState,
    Perception,
    UnknownMessageType,
    find_message_type,
    personal_fields,
)
from sera.recording import MALFORMED_TYPE, LogReader, Record
from sera.recording.wizard import analyse
from sera.study.policy.features import Moment, moment_of
from sera.study.policy.policy import Choice
from sera.study.policy.visible import Seen, Visible

_MOST_TOLD = 10
SOONEST_S = 0.4
"""Nobody sees, chooses and presses faster: what is newer than this is not what was answered."""
_NOT_A_CHOICE = frozenset({"by"})


class NotLearnable(ValueError):
    """Nothing can be learned from these recordings; says in one sentence why."""


class Row(NamedTuple):
    """One case."""

    group: str
    """Whose it is: a participant, or a run. A group is never in training and test at once."""
    moment: Moment
    choice: Choice


class Recording(NamedTuple):
    """A log, and whose it is."""

    log: Path
    group: str


@dataclass(slots=True)
class PolicyTable:
    """Cases of one kind of decision."""

    acts_on: str
    """Type of the perception that is answered."""
    rows: list[Row]
    decided: int = 0
    """How many decisions of operators the recordings hold."""
    left_out: dict[str, int] = field(default_factory=dict)
    """How many of them are no rows, by reason."""
    warnings: list[str] = field(default_factory=list)

    @property
    def choices(self) -> Counter[str]:
        """How often each choice was made, the most frequent first."""
        counted = Counter(row.choice.label for row in self.rows)
        return Counter(dict(counted.most_common()))


@dataclass(slots=True)
class _Decision:
    at_s: float
    action: str
    action_type: str
    restricted: bool
    seen: frozenset[str]


@dataclass(slots=True)
class _Log:
    """What one recording holds."""

    group: str
    facts: dict[str, Seen] = field(default_factory=dict)
    """Perceptions by id, in the order of their coming."""
    sources: dict[str, str] = field(default_factory=dict)
    decisions: list[_Decision] = field(default_factory=list)
    orders: dict[str, Record] = field(default_factory=dict)
    taken_back: frozenset[str] = frozenset()
    unknown: set[str] = field(default_factory=set)
    """Types of messages that nobody here knows."""
    damaged: int = 0
    """Lines that could not be read."""


def read_table(
    recordings: Sequence[Recording],
    *,
    only: Collection[str] = (),
    acts_on: str | None = None,
    also_unrestricted: bool = False,
    soonest_s: float = SOONEST_S,
) -> PolicyTable:
    """Make the table.

    Args:
        recordings: logs with the groups to which they belong.
        only: types of the orders to learn; left out: the most frequent one.
        acts_on: type of the perception that is answered; left out: the one that most often was.
        also_unrestricted: whether decisions count that were made with picture and sound.
        soonest_s: how long at least it takes to answer.

    Raises:
        NotLearnable: there is nothing to learn from.
    """
    logs = [_read(one) for one in recordings]
    left_out: Counter[str] = Counter()
    every = [(log, one) for log in logs for one in log.decisions]
    if not every:
        raise NotLearnable(
            f"no operator decided anything in {_runs(len(recordings))}: record a run with "
            "`sera run NAME --console` in which a wizard gives orders"
        )
    usable = [(log, one) for log, one in every if one.restricted or also_unrestricted]
    left_out["made with picture and sound"] = len(every) - len(usable)
    if not usable:
        raise NotLearnable(
            f"all {len(every)} decisions were made with picture and sound of the room, so that "
            "what the wizard knew is not in the recordings: record in restricted perception, or "
            "take them with --also-unrestricted"
        )
    wanted = set(only) or {_most_frequent(one.action_type for _, one in usable)}
    chosen = [(log, one) for log, one in usable if one.action_type in wanted]
    for _, one in usable:
        if one.action_type not in wanted:
            left_out[f"other orders ({one.action_type})"] += 1
    if not chosen:
        there = ", ".join(sorted({one.action_type for _, one in usable}))
        raise NotLearnable(f"nobody ordered {', '.join(sorted(wanted))}; there is {there}")
    kind = acts_on or _answered_kind(chosen, soonest_s)
    rows: list[Row] = []
    for log in logs:
        mine = [one for owner, one in chosen if owner is log]
        rows += _rows(log, mine, kind, soonest_s, left_out)
    if not rows:
        raise NotLearnable(
            f"none of {len(chosen)} decisions answers a {kind} that stood on the page"
        )
    table = PolicyTable(kind, rows, len(every), {k: n for k, n in left_out.items() if n})
    if also_unrestricted and any(not one.restricted for _, one in chosen):
        table.warnings.append(
            "some decisions were made with picture and sound: what the wizard saw or heard there "
            "is in no row, and a policy cannot know it"
        )
    table.warnings += _shortcomings(logs)
    return table


def _shortcomings(logs: Sequence[_Log]) -> list[str]:
    """What the recordings held that is in no row, in sentences."""
    told = []
    unknown = sorted({kind for log in logs for kind in log.unknown})
    if unknown:
        told.append(
            f"nobody here knows the messages {', '.join(unknown[:_MOST_TOLD])}, so that they are "
            "in no row: call it in the workspace whose scenario says them"
        )
    damaged = sum(log.damaged for log in logs)
    if damaged:
        told.append(f"{damaged} damaged lines of the recordings could not be read")
    return told


def _rows(
    log: _Log, decisions: list[_Decision], kind: str, soonest_s: float, left_out: Counter[str]
) -> list[Row]:
    """Cases of one log: what was answered, and what was let pass while the operator was at work.

    What was on the page when a perception came is made again in the same way for both, so that
    nothing but the facts themselves can tell an answer from silence.
    """
    answers: dict[str, Choice] = {}
    seen_kinds: set[str] = set()
    for one in decisions:
        order = log.orders.get(one.action)
        if one.action in log.taken_back:
            left_out["taken back at once"] += 1
            continue
        if order is None:
            left_out["their order is not in the recording"] += 1
            continue
        seen = [log.facts[name] for name in one.seen if name in log.facts]
        seen_kinds |= {fact.type for fact in seen}
        asked = _answers(seen, kind, one.at_s - soonest_s)
        if asked is None:
            left_out[f"no {kind} was on the page"] += 1
            continue
        if asked.id in answers:
            left_out[f"an earlier order after the same {kind}"] += 1
        answers[asked.id] = _choice(order)
    if not answers:
        return []
    first_s = min(log.facts[name].time_s for name in answers)
    last_s = max(one.at_s for one in decisions)
    page, rows = Visible(), []
    for name, fact in log.facts.items():
        if fact.type in seen_kinds:
            page.take(fact, log.sources[name])
        if fact.type == kind and first_s <= fact.time_s <= last_s:
            moment = moment_of(page.at(fact.time_s), fact.time_s)
            rows.append(Row(log.group, moment, answers.get(name, Choice())))
    return rows


def _answers(seen: Iterable[Seen], kind: str, until_s: float) -> Seen | None:
    """The newest of that kind that the operator can have reacted to."""
    found = [fact for fact in seen if fact.type == kind and fact.time_s <= until_s]
    return max(found, key=lambda fact: fact.time_s, default=None)


def _answered_kind(chosen: Sequence[tuple[_Log, _Decision]], soonest_s: float) -> str:
    """The type that was most often the newest thing on the page."""
    counted: Counter[str] = Counter()
    for log, one in chosen:
        news = [
            fact
            for name in one.seen
            if (fact := log.facts.get(name)) is not None
            and not fact.lasts
            and fact.time_s <= one.at_s - soonest_s
        ]
        if news:
            order = {name: place for place, name in enumerate(log.facts)}
            counted[max(news, key=lambda fact: (fact.time_s, order[fact.id])).type] += 1
    if not counted:
        raise NotLearnable("no perception stood on the page when operators decided")
    return counted.most_common(1)[0][0]


def _choice(order: Record) -> Choice:
    try:
        secret = frozenset(personal_fields(find_message_type(order.type)))
    except UnknownMessageType:
        secret = frozenset()
    given = {
        key: value
        for key, value in order.data.items()
        if key not in secret and key not in _NOT_A_CHOICE and value is not None
    }
    return Choice(type=order.type, fields=given)


def _read(recording: Recording) -> _Log:
    log = _Log(recording.group)
    reader = LogReader(recording.log)
    wanted: set[str] = set()
    kept: dict[str, Record] = {}
    is_seen: dict[str, bool | None] = {}
    is_order: dict[str, bool] = {}
    for record in reader:
        kind = record.type
        if kind not in is_seen:  # looking an unknown type up takes a while
            is_seen[kind], is_order[kind] = _is_seen(kind), _may_be_an_order(kind)
            if not _is_known(kind):
                log.unknown.add(kind)
        if record.type == "OperatorDecided":
            decision = _decision(record)
            if decision is not None:
                log.decisions.append(decision)
                wanted.add(decision.action)
        elif (lasts := is_seen[kind]) is not None:
            fact = Seen(record.id, record.type, float(record.time), record.data, lasts)
            log.facts[record.id] = fact
            log.sources[record.id] = record.source
        elif is_order[kind]:
            kept[record.id] = record
    log.damaged = reader.damaged
    log.orders = {name: kept[name] for name in wanted if name in kept}
    log.taken_back = frozenset(
        correction.order
        for correction in analyse(reader, reader.origin_s()).corrections
        if correction.kind != "replaced"
    )
    return log


def _decision(record: Record) -> _Decision | None:
    data: dict[str, Any] = record.data
    action, kind, seen = data.get("action"), data.get("action_type"), data.get("seen")
    if not isinstance(action, str) or not isinstance(kind, str) or not isinstance(seen, list):
        return None
    ids = frozenset(name for name in seen if isinstance(name, str))
    return _Decision(float(record.time), action, kind, data.get("restricted") is True, ids)


def _is_known(kind: str) -> bool:
    try:
        find_message_type(kind)
    except UnknownMessageType:
        return kind == MALFORMED_TYPE
    return True


def _is_seen(kind: str) -> bool | None:
    """None where a message of this type is on no page; else whether its newest value lasts."""
    try:
        known = find_message_type(kind)
    except UnknownMessageType:
        return None
    if issubclass(known, PeopleState):
        return True
    return known.stream if issubclass(known, Perception) else None


def _may_be_an_order(kind: str) -> bool:
    try:
        return issubclass(find_message_type(kind), Action)
    except UnknownMessageType:
        return True


def _most_frequent(kinds: Iterable[str]) -> str:
    return Counter(kinds).most_common(1)[0][0]


def _runs(count: int) -> str:
    return "the recording" if count == 1 else f"{count} recordings"
