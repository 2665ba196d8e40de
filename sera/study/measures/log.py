"""The log of a session as measures see it: messages by type, stretches of time, phases.

Design overview
    A session is one run, or several where it was resumed after a crash: these are laid end to end,
    so that the time between them counts for nothing. Only what is asked for is parsed.

Units and frames
    Seconds from the beginning of the session.

Threading
    None of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import Path
from typing import Any

from sera.messages import Envelope, message_types
from sera.recording import Record
from sera.runtime.located import nearest_name
from sera.study.measures._fields import fits
from sera.study.measures._phases import Interval, Phases, common_s, phases_of, without
from sera.study.measures._runs import LogEntry, Run, RunInFile, RunInMemory, when

PHASE_TYPE = "SessionPhase"
CONDITION_TYPE = "ConditionAssigned"
Moment = tuple[float, float]
"""A time, and a place among the messages of that time."""
Window = tuple[Moment, Moment]


@dataclass(frozen=True, slots=True)
class Stretch:
    """The time from one message to another."""

    from_s: float
    to_s: float
    duration_s: float
    """Without pauses, and only as far as it lies in the phases that were asked for."""
    ended: bool = True
    """False: nothing ended it, so that it lasts to the end of its run."""
    begun_again: int = 0
    """How many further beginnings came before its end."""


@dataclass(frozen=True, slots=True)
class Period:
    """The part of a session that was spent in one condition."""

    condition: str
    from_s: float
    to_s: float


class SessionLog:
    """What happened in a session."""

    def __init__(
        self,
        runs: Sequence[Run],
        *,
        window: Window | None = None,
        also_known: Collection[str] = (),
        asked: set[str | None] | None = None,
    ) -> None:
        """Look at runs; `from_files` and `from_memory` are easier to call.

        Args:
            runs: of the session, in order.
            window: only what happened from and to then.
            also_known: types of messages that may be asked for although nobody sent any.
            asked: takes note of the types that somebody asked for; left out: one of its own.
        """
        self._runs = list(runs)
        self._window = window
        self.also_known = frozenset(also_known)
        self.asked: set[str | None] = set() if asked is None else asked
        """Types of messages that somebody has asked for; None: for all that there are."""

    @classmethod
    def from_file(cls, path: Path | str, *, restore: bool = False) -> SessionLog:
        """The log in a file, plain or compressed.

        Args:
            path: the log.
            restore: put originals back in place of pseudonyms, where they are still kept.

        Raises:
            FileNotFoundError: there is no such file.
        """
        return cls([RunInFile(path, restore=restore)])

    @classmethod
    def from_files(cls, paths: Iterable[Path | str], *, restore: bool = False) -> SessionLog:
        """The logs of one session that was resumed, in order.

        Raises:
            FileNotFoundError: one of them is not there.
        """
        return cls([RunInFile(path, restore=restore) for path in paths])

    @classmethod
    def from_memory(
        cls,
        messages: Iterable[Envelope | Record],
        *,
        name: str = "memory",
        origin_s: float = 0.0,
        length_s: float | None = None,
    ) -> SessionLog:
        """Messages that were never written.

        Args:
            messages: in the order in which they were sent.
            name: what sentences call the log.
            origin_s: beginning of the run on their clock.
            length_s: how long the run was; None: to the last message.
        """
        return cls([RunInMemory(messages, name=name, origin_s=origin_s, length_s=length_s)])

    # -- what it is ---------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What sentences call it."""
        return ", ".join(run.name for run in self._runs) or "an empty log"

    @property
    def duration_s(self) -> float:
        """How long it is; the time between runs does not count, pauses do."""
        start_s, end_s = self._whole
        return end_s - start_s

    @property
    def types(self) -> frozenset[str]:
        """Types of its messages."""
        self.asked.add(None)
        return self._types

    @property
    def has_end(self) -> bool:
        """Whether its last run ended in an orderly way; False where there is none."""
        return bool(self._runs) and self._runs[-1].has_end

    def lacks(self, *types: str | None) -> str | None:
        """Why not all messages of these types can be read; None where they can.

        Args:
            types: of messages; None: all that there are.
        """
        told = (run.lacks(one) for run in self._runs for one in types)
        return next((why for why in told if why is not None), None)

    @property
    def phases(self) -> Phases:
        """When phases and steps took place."""
        self.asked.add(PHASE_TYPE)
        return self._phases

    @cached_property
    def _phases(self) -> Phases:
        records = ((entry.time_s, entry.data) for entry in self._entries(PHASE_TYPE))
        return phases_of(records, self._ends_s[-1] if self._ends_s else 0.0)

    @property
    def _types(self) -> frozenset[str]:
        return frozenset().union(*(run.types for run in self._runs))

    def periods(self) -> list[Period]:
        """The parts of the session by condition, from its ConditionAssigned records."""
        told = [entry for entry in self._entries(CONDITION_TYPE) if self._in_window(entry)]
        found: list[Period] = []
        for entry in told:
            condition = str(entry.data.get("condition"))
            if found and found[-1].condition == condition:
                continue  # said again by a run that resumed the session
            if found:
                found[-1] = Period(found[-1].condition, found[-1].from_s, entry.time_s)
            found.append(Period(condition, entry.time_s, self._whole[1]))
        return found

    def within(self, from_s: float, to_s: float) -> SessionLog:
        """The part between two times, which keep counting from the beginning of the session."""
        return self._part(((from_s, -inf), (to_s, -inf)))

    def between(self, first: LogEntry, last: LogEntry | None = None) -> SessionLog:
        """The part from one message to another, or to the end; the first is in it.

        What was said at the same time as either is told apart by its place in the log: what leads
        to a message may come at the very moment of it.
        """
        end = (inf, inf) if last is None else when(last)
        return self._part((when(first), end))

    def fresh(self, also_known: Collection[str] = ()) -> SessionLog:
        """The same log for somebody who may change what it gives."""
        return SessionLog(
            [run.fresh() for run in self._runs],
            window=self._window,
            also_known={*self.also_known, *also_known},
        )

    # -- what happened --------------------------------------------------------------------------

    def messages(
        self,
        type_name: str,
        where: Mapping[str, Any] | None = None,
        during: str | Sequence[str] | None = None,
    ) -> list[LogEntry]:
        """Messages of a type, in order.

        Args:
            type_name: of the messages.
            where: only those whose fields are that, or one of a list; dots for what lies inside.
            during: only in these phases or steps, pauses taken out.

        Raises:
            LookupError: nobody knows that type, or the session has no such phase.
        """
        self._check_type(type_name)
        spans = self._spans(during)
        return [
            entry
            for entry in self._entries(type_name)
            if self._in_window(entry)
            and (spans is None or any(start <= entry.time_s <= stop for start, stop in spans))
            and fits(entry.data, where)
        ]

    def stretches(
        self,
        begin: str,
        end: str,
        *,
        where: Mapping[str, Any] | None = None,
        end_where: Mapping[str, Any] | None = None,
        during: str | Sequence[str] | None = None,
    ) -> list[Stretch]:
        """The times from each message of one type to the next one of another.

        A beginning before the end of the one under way changes nothing, unless a run ended in
        between: then the former lasted to the end of its run.

        Args:
            begin: type of the message that begins one.
            end: type of the message that ends it.
            where: only beginnings whose fields are that.
            end_where: only ends whose fields are that.
            during: counts only time in these phases or steps.

        Raises:
            LookupError: nobody knows one of the types, or the session has no such phase.
        """
        begins, ends = self.messages(begin, where), self.messages(end, end_where)
        spans = self._spans(during)
        found = list(self._paired(begins, ends))
        return [
            Stretch(from_s, to_s, self._counted_s((from_s, to_s), spans), ended, again)
            for from_s, to_s, ended, again in found
        ]

    def _paired(
        self, begins: list[LogEntry], ends: list[LogEntry]
    ) -> Iterator[tuple[float, float, bool, int]]:
        may_begin, may_end = set(map(_key, begins)), set(map(_key, ends))
        events = {_key(entry): entry for entry in (*begins, *ends)}
        since_s, again = None, 0
        for key, event in sorted(events.items(), key=lambda item: when(item[1])):
            time_s = event.time_s
            if since_s is None:
                since_s, again = (time_s, 0) if key in may_begin else (None, 0)
            elif key in may_end:
                yield since_s, time_s, True, again
                since_s = None
            elif (broken_s := self._end_of_run(since_s)) < time_s:
                yield since_s, broken_s, False, again
                since_s, again = time_s, 0
            elif key in may_begin:
                again += 1
        if since_s is not None:
            yield since_s, max(self._whole[1], since_s), False, again

    # -- inside -----------------------------------------------------------------------------------

    def _part(self, window: Window) -> SessionLog:
        return SessionLog(self._runs, window=window, also_known=self.also_known, asked=self.asked)

    def _check_type(self, type_name: str) -> None:
        if type_name in self._types or type_name in self.also_known:
            return
        known = {*message_types(), *self._types, *self.also_known}
        if type_name in known:
            return
        near = nearest_name(type_name, known)
        hint = f"; did you mean '{near}'?" if near else " (`sera messages` lists all types)"
        raise LookupError(f"there is no message type '{type_name}'{hint}")

    def _spans(self, during: str | Sequence[str] | None) -> list[Interval] | None:
        names = [during] if isinstance(during, str) else list(during or ())
        if not names:
            return None
        known = self.phases.intervals
        for name in names:
            if name not in known:
                near = nearest_name(name, known)
                hint = f"; did you mean '{near}'?" if near else _listed(known)
                raise LookupError(f"the session had no phase or step '{name}'{hint}")
        return self.phases.during(names)

    def _counted_s(self, stretch: Interval, spans: list[Interval] | None) -> float:
        if spans is not None:  # pauses are taken out of these already
            return common_s(stretch, spans)
        return sum(stop_s - start_s for start_s, stop_s in without([stretch], self.phases.pauses))

    @cached_property
    def _ends_s(self) -> list[float]:
        """Where each run ends."""
        ends: list[float] = []
        for run in self._runs:
            ends.append((ends[-1] if ends else 0.0) + run.length_s)
        return ends

    def _end_of_run(self, time_s: float) -> float:
        """Where the run broke off that was under way at a time; the last one did not."""
        return next((end_s for end_s in self._ends_s[:-1] if time_s <= end_s), inf)

    @property
    def _whole(self) -> Interval:
        end_s = self._ends_s[-1] if self._ends_s else 0.0
        if self._window is None:
            return 0.0, end_s
        (start_s, _), (stop_s, _) = self._window
        return start_s, max(start_s, min(end_s, stop_s))

    def _in_window(self, entry: LogEntry) -> bool:
        if self._window is None:
            return True
        start, end = self._window
        if not start <= when(entry):
            return False
        # What comes at the very end of the log belongs to the last part.
        return when(entry) < end or (end[1] == -inf and end[0] >= self._ends_s[-1])

    def _entries(self, type_name: str) -> list[LogEntry]:
        self.asked.add(type_name)
        if len(self._runs) == 1:
            return self._runs[0].entries(type_name)
        return [
            entry._replace(time_s=entry.time_s + begin_s, order=entry.order + (number << 40))
            for number, (run, begin_s) in enumerate(
                zip(self._runs, (0.0, *self._ends_s), strict=False)
            )
            for entry in run.entries(type_name)
        ]


def _key(entry: LogEntry) -> tuple[int, float, str]:
    return entry.order, entry.time_s, entry.type


def _listed(names: Collection[str]) -> str:
    return f" (it had {', '.join(sorted(names))})" if names else " (its log tells of no phases)"
