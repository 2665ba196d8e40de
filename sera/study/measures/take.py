"""Takes the measures of a study from the log of a session.

A measure that cannot be taken is None, and one sentence says why; the others still count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import fsum, isfinite
from pathlib import Path
from typing import Any

from sera.messages import UnknownMessageType, find_message_type
from sera.runtime.located import nearest_name
from sera.study.design_tables import Measure
from sera.study.measures._fields import MISSING, field_at, paths_in
from sera.study.measures._functions import MeasureFailed, OwnFunctions
from sera.study.measures._own_types import types_declared_in
from sera.study.measures._runs import LogEntry
from sera.study.measures.log import SessionLog

Number = float | int | None


@dataclass(slots=True)
class TakenMeasures:
    """What was measured in one session."""

    values: dict[str, Number] = field(default_factory=dict)
    """By name; None where a measure could not be taken."""
    problems: list[str] = field(default_factory=list)
    """What went wrong, and what one should know of a value; one sentence each."""


def take_measures(
    measures: Iterable[Measure], log: SessionLog, folder: Path | None = None
) -> TakenMeasures:
    """Take all measures; never raises for what is wrong with one of them or with the log.

    Args:
        measures: of the study file.
        log: of one session.
        folder: of the scenario, for its functions and message types; None: it has none.
    """
    own = frozenset() if folder is None else types_declared_in(folder)
    functions = OwnFunctions(folder or Path())
    known = log.fresh(also_known=own)
    taken = TakenMeasures()
    for measure in measures:
        taken.values[measure.name] = None
        try:
            remark = None
            if measure.function is not None:
                # A log of its own: what one function changes must not reach the next measure.
                looked_at = log.fresh(also_known=own)
                value = functions.call(measure.function, looked_at)
            else:
                looked_at = known
                looked_at.asked.clear()
                value, remark = _Way(measure, known).take()
            _check_whole(looked_at)
            if remark:
                taken.problems.append(f"measure '{measure.name}': {remark}")
            taken.values[measure.name] = _reckonable(value)
        except MeasureFailed as failed:
            taken.problems.append(f"measure '{measure.name}': {failed}")
        except LookupError as error:
            taken.problems.append(f"measure '{measure.name}': {error}, in {log.name}")
        except ArithmeticError:  # numbers beyond all measure, which a damaged log may hold
            taken.problems.append(
                f"measure '{measure.name}': the numbers are too large to reckon with, in {log.name}"
            )
        except OSError as error:
            reason = error.strerror or error
            taken.problems.append(f"measure '{measure.name}': {log.name} cannot be read: {reason}")
    return taken


def _check_whole(log: SessionLog) -> None:
    """See that everything could be read that a measure has asked for.

    Raises:
        MeasureFailed: it could not, so that the measure would be wrong.
    """
    if (lacks := log.lacks(*log.asked)) is not None:
        raise MeasureFailed(f"it is left empty, since {lacks}")


def _reckonable(value: Number) -> Number:
    """The number itself.

    Raises:
        OverflowError: a sum of whole numbers that no table can hold.
    """
    if value is not None:
        float(value)
    return value


class _Way:
    """One of the built-in ways."""

    def __init__(self, measure: Measure, log: SessionLog) -> None:
        self._measure = measure
        self._log = log

    def take(self) -> tuple[Number, str | None]:
        """The value, and what one should know of it.

        Raises:
            MeasureFailed: it cannot be taken.
            LookupError: nobody knows the type of message or the phase.
        """
        measure = self._measure
        if measure.how is None or measure.message is None:
            raise MeasureFailed("the study file does not say how it is taken")
        self._check_fields(measure.message, measure.where)
        if measure.how == "time_between":
            return self._time_between(measure.message)
        during = measure.during or None
        found = self._log.messages(measure.message, measure.where, during)
        if measure.how == "count":
            return len(found), None
        return self._of_values(found)

    def _time_between(self, begin: str) -> tuple[Number, str | None]:
        measure = self._measure
        if measure.until is None:
            raise MeasureFailed("the study file does not say what ends its time")
        self._check_fields(measure.until, measure.until_where)
        stretches = self._log.stretches(
            begin,
            measure.until,
            where=measure.where,
            end_where=measure.until_where,
            during=measure.during or None,
        )
        remarks = []
        if endless := [one for one in stretches if not one.ended]:
            remarks.append(
                f"{_some(len(endless), len(stretches))} of '{begin}' had no '{measure.until}' "
                f"after it, the first at {endless[0].from_s:.1f} s: counted to the end of its run, "
                f"in {self._log.name}"
            )
        if again := sum(one.begun_again for one in stretches):
            remarks.append(
                f"'{begin}' came {again} times more before '{measure.until}': counted once, "
                f"in {self._log.name}"
            )
        return fsum(one.duration_s for one in stretches), "; ".join(remarks) or None

    def _of_values(self, found: list[LogEntry]) -> tuple[Number, str | None]:
        path = self._measure.value
        if path is None:
            raise MeasureFailed("the study file does not say of which field it is")
        type_name = str(self._measure.message)
        self._check_fields(type_name, {path: None})
        values = [number for entry in found if (number := self._number(entry, path)) is not None]
        empty = len(found) - len(values)
        remark = None
        if empty:
            remark = (
                f"{_some(empty, len(found))} of '{type_name}' without '{path}': left out, "
                f"in {self._log.name}"
            )
        ways: dict[str, Callable[[list[float | int]], Number]] = {
            "sum": lambda all_: sum(all_) if all(isinstance(x, int) for x in all_) else fsum(all_),
            "mean": lambda all_: fsum(all_) / len(all_) if all_ else None,
            "last": lambda all_: all_[-1] if all_ else None,
        }
        value = ways[str(self._measure.how)](values)
        if value is None and remark is None:
            remark = f"no '{type_name}' that counts in {self._log.name}"
        return value, remark

    def _number(self, entry: LogEntry, path: str) -> float | int | None:
        value = field_at(entry.data, path)
        if value is MISSING or value is None:
            return None
        if isinstance(value, bool):
            return int(value)
        if not isinstance(value, int | float) or not isfinite(value):
            raise MeasureFailed(
                f"'{path}' of the '{entry.type}' at {entry.time_s:.1f} s is {str(value)[:40]!r} "
                f"and no number, in {self._log.name}"
            )
        return value

    def _check_fields(self, type_name: str, where: Mapping[str, Any]) -> None:
        """A field that the type does not have is a mistake, and no reason to count nothing."""
        paths = paths_in(where)
        if not paths:
            return
        known = self._fields_of(type_name)
        if known is None:
            return
        for path in paths:
            first = path.split(".")[0]
            if first not in known:
                near = nearest_name(first, known)
                hint = (
                    f"; did you mean '{near}'?" if near else f" (it has {', '.join(sorted(known))})"
                )
                raise MeasureFailed(f"'{type_name}' has no field '{first}'{hint}")

    def _fields_of(self, type_name: str) -> set[str] | None:
        """Fields of a type; None where nothing tells them."""
        sent = {name for entry in self._log.messages(type_name) for name in entry.data}
        try:
            return sent | set(find_message_type(type_name).model_fields)
        except UnknownMessageType:
            return sent or None


def _some(count: int, whole: int) -> str:
    return f"{count} of {whole}" if whole != 1 else "the only one"
