"""Writes the log of a run.

Design overview: every message becomes one line at once, in memory; lines are handed to the
operating system when they are older than `flush_every_s` or fill 64 KiB, so that kill -9 of the
process costs less than the last second and the file still opens. Somebody calls `flush` on a timer
for the quiet times. Most messages are written by their type's own serialiser without a second
look; only those that hold personal fields, or a name that was marked before, are taken apart.

JSONL rather than MCAP: see `_format`.

Units and frames: `received_s`, `time` and `clock_now` are seconds on the clock of the run.

Threading: one thread; no call blocks longer than the operating system takes to accept a write.

Safety: `write` never raises. What a full disk refuses waits in memory, then is counted as lost, is
reported once, and is noted in the log when there is space again. The original of a pseudonym is
handed over before the line that uses it.
"""

from __future__ import annotations

import base64
import logging
import re
from collections.abc import Callable
from json.encoder import encode_basestring_ascii as quote
from math import isfinite
from pathlib import Path
from typing import Any, Literal, NamedTuple

from sera.messages import Envelope, Message, UnknownMessageType, find_message_type
from sera.recording._anonymise import Anonymiser
from sera.recording._erase import forget_all, keeps_anything
from sera.recording._format import LogHeader, json_bytes, json_line, participants_folder
from sera.recording._line_file import LineFile
from sera.recording._lines import raw_lines
from sera.recording._marks import OPENS_SESSION, marks_of
from sera.recording._participants import ParticipantFiles
from sera.recording._pseudonyms import Pseudonyms
from sera.recording._reader import parse_line

FLUSH_BYTES = 64 * 1024
RAW_LIMIT_BYTES = 4 * 1024

_QUOTES_FROM_PAYLOAD = re.compile(r"['\"\[{`]|\bgot\b|\binput_value\b")


class _Head(NamedTuple):
    opening: str
    middle: str
    type_name: str


class LogWriter:
    """The log of one run, being written."""

    def __init__(
        self,
        path: Path | str,
        *,
        header: LogHeader,
        clock_now: Callable[[], float],
        flush_every_s: float = 0.25,
        on_problem: Callable[[str], None] | None = None,
        if_exists: Literal["refuse", "replace", "append"] = "refuse",
    ) -> None:
        """Open the log and write its header.

        Args:
            path: the log; its folder is created.
            header: which run it is.
            clock_now: the clock of the run.
            flush_every_s: how long a line may wait in memory.
            on_problem: hears one sentence when writing fails and when it succeeds again; it
                must not raise. Without it, problems go to the program's log.
            if_exists: what to do with a log of that name: `refuse` it, `replace` it together
                with its participants' originals, or `append` (after a crash of the recorder).

        Raises:
            FileExistsError: there is a log of that name and it is to be refused.
            OSError: the file cannot be opened.
        """
        self.path = Path(path)
        self.header = header
        self.counts: dict[str, int] = {}
        """Messages by type."""
        self.malformed = 0
        self._clock_now = clock_now
        self._flush_every_s = flush_every_s
        self._on_problem = on_problem or logging.getLogger("sera.recording").warning
        self._heads: dict[tuple[type[Message], str, str], _Head] = {}
        self._lost_noted = 0
        self._late = 0
        self._closed = False
        folder = participants_folder(self.path)
        resumed = self._prepare(folder, if_exists)
        self._participants = ParticipantFiles(folder, self._on_problem)
        self._pseudonyms = Pseudonyms(self._participants)
        if resumed and (participant := _last_participant(self.path)):
            self._pseudonyms.note_participant(participant, current=True)
        self._anonymiser = Anonymiser(self._pseudonyms)
        self._log = LineFile(self.path, on_problem=self._on_problem)
        self._log.open()
        self._log.add(header.line(resumed=True) if resumed else header.line())
        self.flush()

    @property
    def lost(self) -> int:
        """Lines that could not be written, and originals that could not be kept."""
        return self._log.lost + self._participants.lost + self._late

    def write(self, envelope: Envelope, received_s: float, *, must_keep: bool = False) -> None:
        """Add a message to the log. Never raises.

        Args:
            envelope: the message.
            received_s: when it came.
            must_keep: it is never given up, however much a full disk keeps waiting.
        """
        message = envelope.message
        key = (type(message), envelope.source, envelope.character)
        head = self._heads.get(key) or self._new_head(key)
        self._participants.must_keep = must_keep
        try:
            data = self._data(message)
        except Exception as error:
            topic = self._topic(head.type_name, envelope)
            why = f"cannot be written as JSON: {error}"
            self.write_raw(topic, repr(message).encode(errors="replace"), received_s, why)
            return
        time = envelope.time
        if type(time) is not float or not isfinite(time):
            time = _finite(time)
        if type(received_s) is not float or not isfinite(received_s):
            received_s = _finite(received_s)
        cause = "null" if envelope.cause is None else quote(envelope.cause)
        line = (
            f'{{"received":{received_s!r}{head.opening}{quote(envelope.id)},"time":{time!r}'
            f'{head.middle}{cause},"protocol":{envelope.protocol},"data":'
        )
        self.counts[head.type_name] = self.counts.get(head.type_name, 0) + 1
        self._add(line.encode() + data + b"}\n", must_keep=must_keep)

    def write_raw(self, topic: str, payload: bytes, received_s: float, why: str) -> None:
        """Keep what arrived although it was no message. Never raises.

        Of a payload that may hold personal data (its type has personal fields, or is unknown) the
        log holds a pseudonym, and of `why` no more than what cannot quote the payload.
        """
        beginning = payload[:RAW_LIMIT_BYTES]
        text, encoding = _as_text(beginning, cut=len(payload) > RAW_LIMIT_BYTES)
        harmless = _is_harmless(topic)
        entry: dict[str, Any] = {"why": self._without_names(why, "why")}
        if harmless:
            entry["payload"] = self._without_names(text, "payload")
        else:
            entry["payload"] = self._hidden(text, "payload")
            quoted = _QUOTES_FROM_PAYLOAD.search(why)
            if quoted:
                entry["why"] = f"{why[: quoted.start()].rstrip(' ,:;')} …"
                entry["full_why"] = self._hidden(why, "why")
        entry |= {"encoding": encoding, "bytes": len(payload)}
        self.malformed += 1
        self._add(json_line({"received": _finite(received_s), "topic": topic, "malformed": entry}))

    def flush(self) -> bool:
        """Hand everything to the operating system: originals first, then the lines using them.

        Returns:
            False where the disk refused something, which waits.
        """
        kept = self._participants.flush()
        taken = self._log.flush()
        if taken and self._log.lost > self._lost_noted:
            self._log.add(json_line({"lost": self._log.lost - self._lost_noted}))
            self._lost_noted = self._log.lost
            self._log.flush()
        self._flushed_at_s = self._clock_now()
        return kept and taken

    @property
    def files(self) -> list[Path]:
        """The log and the originals, for whoever must know that they are on the disk."""
        return [*self._participants.paths, self.path]

    def close(self) -> None:
        """Write the last line and close; a second call does nothing."""
        if self._closed:
            return
        self._closed = True
        self.flush()
        counts = dict(sorted(self.counts.items()))
        end = {"end": _finite(self._clock_now()), "malformed": self.malformed, "lost": self.lost}
        self._log.add(json_line({**end, "counts": counts}))
        self._participants.close()
        self._log.close()

    def _prepare(self, folder: Path, if_exists: str) -> bool:
        """Deal with an earlier log of that name; True where it is continued."""
        log_exists = self.path.exists() and self.path.stat().st_size > 0
        if if_exists == "append":
            return log_exists
        if not log_exists and not keeps_anything(folder):
            return False
        if if_exists == "refuse":
            raise FileExistsError(
                f"{self.path if log_exists else folder} exists already and would be lost: "
                "give the log another name, or move the old one away"
            )
        forget_all(folder)
        self.path.unlink(missing_ok=True)
        return False

    def _add(self, line: bytes, *, must_keep: bool = False) -> None:
        if self._closed:
            if not self._late:
                self._on_problem(f"{self.path} is closed; messages that come now are not recorded")
            self._late += 1
            return
        log = self._log
        log.add(line, must_keep=must_keep)
        waited_s = self._clock_now() - self._flushed_at_s
        # A clock that was set back counts as due, so that nothing waits for it to catch up.
        if not 0 <= waited_s < self._flush_every_s or (
            log.waiting_bytes > FLUSH_BYTES and not log.refused
        ):
            self.flush()

    def _data(self, message: Message) -> bytes:
        marks = marks_of(type(message))
        pseudonyms = self._pseudonyms
        owner = pseudonyms.participant
        if marks.has_person and (person := message.person):  # type: ignore[attr-defined]
            pseudonyms.note_person(str(person))
        if marks.has_participant and (participant := message.participant):  # type: ignore[attr-defined]
            owner = str(participant)
            pseudonyms.note_participant(owner, current=marks.opens_session)
        if not marks.personal:
            try:
                data = marks.to_json(message)
            except Exception:  # half a surrogate pair: only the long way can write it
                return json_bytes(self._anonymiser.data(message, owner))
            if not (marks.holds_text and pseudonyms.knows_names):
                return data
            if not pseudonyms.may_hold_name(data.decode()):
                return data
        return json_bytes(self._anonymiser.data(message, owner))

    def _new_head(self, key: tuple[type[Message], str, str]) -> _Head:
        message_type, source, character = key
        name = message_type.__name__
        topic = f"sera/{self.header.run}/{character}/{name}/{source}"
        head = self._heads[key] = _Head(
            f',"topic":{quote(topic)},"type":{quote(name)},"id":',
            f',"source":{quote(source)},"character":{quote(character)},"cause":',
            name,
        )
        return head

    def _topic(self, type_name: str, envelope: Envelope) -> str:
        return f"sera/{self.header.run}/{envelope.character}/{type_name}/{envelope.source}"

    def _hidden(self, text: str, field: str) -> Any:
        pseudonyms = self._pseudonyms
        return pseudonyms.text(text, pseudonyms.participant, f"(malformed).{field}")

    def _without_names(self, text: str, field: str) -> str:
        return self._pseudonyms.without_names(text, f"(malformed).{field}")


def _last_participant(path: Path) -> str | None:
    """Who took part when an earlier writer of the log stopped."""
    participant: str | None = None
    for line in raw_lines(path):
        if b'"participant":"' in line:
            fields = parse_line(line) or {}
            if fields.get("type") in OPENS_SESSION:
                participant = str(fields.get("data", {}).get("participant") or "") or participant
    return participant


def _finite(seconds: Any) -> float:
    number = float(seconds)
    return number if isfinite(number) else 0.0


def _as_text(payload: bytes, *, cut: bool) -> tuple[str, str]:
    """The payload as text, and how: as it is, or in base64 where it is not UTF-8."""
    for shorter in range(4 if cut else 1):  # the limit may have cut a character in two
        try:
            return payload[: len(payload) - shorter].decode(), "utf-8"
        except UnicodeDecodeError:
            continue
    return base64.b64encode(payload).decode(), "base64"


def _is_harmless(topic: str) -> bool:
    """Whether a topic names a message type without personal fields."""
    parts = topic.split("/")
    try:
        return not marks_of(find_message_type(parts[3] if len(parts) == 5 else "")).personal
    except UnknownMessageType:
        return False
