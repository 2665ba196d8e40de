"""The refusal of a page's frame, with the sentence that its author reads."""

from __future__ import annotations


class Refused(Exception):
    """A page's frame was not accepted.

    Args:
        why: one sentence for whoever wrote the page.
        ref: the page's own number for the frame, where it could be read.
        offence: False where the page is not to blame (the bus is down).
    """

    def __init__(self, why: str, *, ref: int | None = None, offence: bool = True) -> None:
        super().__init__(why)
        self.why = why
        self.ref = ref
        self.offence = offence
