"""What goes over a page's WebSocket: frames of JSON text, one key each that says what it is.

Page to server
    `{"send": {"type", "data", "character"?, "ref"?, "age_s"?}}` says a message. `ref` is the
    page's own number for it and comes back with the answer; a frame that is sent again under the
    same `ref` after a lost connection is answered again, not published again. `age_s` is how
    long ago the fact was observed or the order given.
    `{"subscribe": {"types", "ref"?}}` replaces the list of types that the page wants; `*` is all.
    `{"answers": {"questionnaire", "answers", …, "ref"?}}` hands in a form that was filled in.
    `{"received": {"id"}}` confirms an Action that the page performs.
    `{"ping": {"ref"?}}` asks for a pong.

Server to page
    `hello` once, then `message`, `accepted`, `refused`, `subscribed`, `pong`.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import from_json

from sera.bus import PAYLOAD_LIMIT_BYTES, encode
from sera.messages import Envelope
from sera.messages._explain import explain, hint, shown
from sera.web._refused import Refused

FRAME_LIMIT_BYTES = PAYLOAD_LIMIT_BYTES
EVERY_TYPE = "*"
_DAY_S = 86_400.0

_Ref = Annotated[int, Field(strict=True, ge=0, le=2**53)]
"""JavaScript counts exactly as far as that."""


class _Frame(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Send(_Frame):
    """A message that a page says."""

    type: str = Field(min_length=1)
    data: dict[str, Any] = Field(default_factory=dict)
    character: str | None = None
    ref: _Ref | None = None
    age_s: float = Field(default=0.0, ge=0, le=_DAY_S)


class Subscribe(_Frame):
    """The list of types that a page wants from now on."""

    types: list[str] = Field(max_length=1000)
    ref: _Ref | None = None


class AnswerSheet(_Frame):
    """A form that a participant filled in; the gateway makes the record of it."""

    questionnaire: str = Field(min_length=1)
    answers: dict[str, bool | int | float | str | None]
    free_answers: dict[str, str] = Field(default_factory=dict)
    participant: str | None = None
    session: str | None = None
    language: str | None = None
    item_order: list[str] = Field(default_factory=list, max_length=1000)
    duration_s: float | None = Field(default=None, ge=0)
    ref: _Ref | None = None
    age_s: float = Field(default=0.0, ge=0, le=_DAY_S)


class Received(_Frame):
    """A page confirms an Action."""

    id: str


class Ping(_Frame):
    """A page asks whether the connection lives."""

    ref: _Ref | None = None


ClientFrame = Send | AnswerSheet | Subscribe | Received | Ping
_FRAMES: dict[str, type[ClientFrame]] = {
    "send": Send,
    "answers": AnswerSheet,
    "subscribe": Subscribe,
    "received": Received,
    "ping": Ping,
}


def read_frame(text: str | bytes) -> ClientFrame:
    """The frame in what a page sent.

    Raises:
        Refused: whatever is wrong with it.
    """
    if isinstance(text, bytes):
        raise Refused("binary frames are not understood: send JSON as text")
    try:
        content = from_json(text, allow_inf_nan=False)
    except (ValueError, RecursionError) as error:
        raise Refused(f"not JSON: {error}") from None
    if not isinstance(content, dict) or len(content) != 1:
        raise Refused(f"a frame is an object with one key, one of {', '.join(_FRAMES)}")
    ((name, body),) = content.items()
    model = _FRAMES.get(name)
    if model is None:
        raise Refused(f"no such frame {shown(name)}{hint(name, _FRAMES)}")
    try:
        return model.model_validate(body)
    except ValidationError as error:
        raise Refused(explain(error, model, body, name), ref=_ref_in(body)) from None


def _ref_in(body: Any) -> int | None:
    """The page's number, so that it learns which of its frames was refused."""
    ref = body.get("ref") if isinstance(body, dict) else None
    return ref if isinstance(ref, int) and not isinstance(ref, bool) and 0 <= ref <= 2**53 else None


def message_frame(envelope: Envelope) -> str:
    """A message as pages read it: the payload of the bus, and the character beside it."""
    payload = encode(envelope._replace(after=None)).decode()
    return f'{{"message":{{"character":{json.dumps(envelope.character)},{payload[1:]}}}'


def frame(name: str, **body: Any) -> str:
    """Any other frame to a page."""
    return json.dumps({name: body}, ensure_ascii=False, separators=(",", ":"))
