"""The message whose handler is running: what led to everything that the handler says."""

from __future__ import annotations

from contextvars import ContextVar

from sera.messages import Envelope, personal_fields

HANDLED: ContextVar[Envelope | None] = ContextVar("handled", default=None)

_WHAT = ("event", "phase", "label")
_WHOSE = ("person", "target", "element", "marker")
"""Fields that say what a message is about."""
_LONGEST = 60


def cause_now() -> str | None:
    """The id of what is being handled; None outside of handlers."""
    handled = HANDLED.get()
    return None if handled is None else handled.id


def reason_now(cause: str | None) -> str | None:
    """Why something is said now, in words; None where its cause is not what is being handled."""
    handled = HANDLED.get()
    return None if handled is None or handled.id != cause else reason_of(handled)


def reason_of(cause: Envelope) -> str:
    """What led to something: `after EngagementChanged of person_1`.

    Only ids and the activity's own words are repeated, nothing that somebody said.
    """
    message = cause.message
    secret = personal_fields(type(message))

    def told(names: tuple[str, ...]) -> str:
        found = (getattr(message, name, None) for name in names if name not in secret)
        return next((each[:_LONGEST] for each in found if isinstance(each, str) and each), "")

    what, whose = told(_WHAT), told(_WHOSE)
    return f"after {cause.type}{f' {what}' if what else ''}{f' of {whose}' if whose else ''}"
