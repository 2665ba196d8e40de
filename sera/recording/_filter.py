"""Picks records by what they are, who sent them, when, and which words they hold."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from fnmatch import fnmatchcase

from sera.recording._reader import Record


def filter_records(
    records: Iterable[Record],
    *,
    types: Collection[str] = (),
    sources: Collection[str] = (),
    characters: Collection[str] = (),
    from_s: float | None = None,
    to_s: float | None = None,
    text: str | None = None,
    ids: Collection[str] | None = None,
) -> Iterator[Record]:
    """The records to which everything applies that is asked for.

    Args:
        records: a `LogReader`, or any records.
        types: message types, with `*` and `?` for any characters; one of them must fit.
        sources: sources such as `ada.speech` or `*.speech`; one of them must fit.
        characters: characters or `world`; one of them must fit.
        from_s: received at this time or later, on the clock of the log.
        to_s: received at this time or earlier.
        text: words anywhere in the fields, in any case.
        ids: only these messages, such as those of a `trace`.
    """
    words = text.casefold() if text else None
    for record in records:
        if (
            (from_s is None or record.received_s >= from_s)
            and (to_s is None or record.received_s <= to_s)
            and (ids is None or record.id in ids)
            and _fits(record.type, types)
            and _fits(record.source, sources)
            and _fits(record.character, characters)
            and (words is None or words in _all_text(record))
        ):
            yield record


def _fits(value: str, patterns: Collection[str]) -> bool:
    return not patterns or any(fnmatchcase(value, pattern) for pattern in patterns)


def _all_text(record: Record) -> str:
    return json.dumps(record.data, ensure_ascii=False).casefold()
