"""Who comes in: the role, character and name that a page asks for, and its token."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from sera.messages._explain import hint, shown
from sera.web._reading import check_character
from sera.web._refused import Refused
from sera.web._roles import PageRole

SHORTEST_SECRET = 16
BAD_REQUEST = 4400
BAD_TOKEN = 4401
BAD_CHARACTER = 4404
FULL = 4503


class NotAdmitted(Refused):
    """A page is not let in; `code` is the WebSocket's close code."""

    def __init__(self, code: int, why: str) -> None:
        super().__init__(why)
        self.code = code


class Tokens:
    """One token a role, all from one secret, so that a role's token opens no other role.

    The secret must be long, because a participant who knows one token could otherwise try
    secrets until one fits, and work out the wizard's.
    """

    def __init__(self, secret: str | None = None) -> None:
        if secret is None:
            secret = secrets.token_urlsafe(32)
        if len(secret) < SHORTEST_SECRET:
            raise ValueError(
                f"the gateway's token has {len(secret)} characters: use at least "
                f"{SHORTEST_SECRET}, since the tokens of all roles are made from it, or leave it "
                "out and one is made up"
            )
        self._secret = secret.encode()

    def for_role(self, role: PageRole) -> str:
        digest = hmac.new(self._secret, f"sera page {role}".encode(), hashlib.sha256)
        return digest.hexdigest()[:40]

    def fits(self, role: PageRole, token: str | None) -> bool:
        return _same(self.for_role(role), token)

    def for_files(self) -> str:
        """What a browser that came with a token shows for the rest of the page's files."""
        return hmac.new(self._secret, b"sera files", hashlib.sha256).hexdigest()[:40]

    def opens_files(self, token: str | None, ticket: str | None) -> bool:
        """Whether a request for a file comes from somebody who was given a token."""
        fitting = [self.fits(role, token) for role in PageRole]  # all, in equal time
        return any(fitting) or _same(self.for_files(), ticket)


def _same(right: str, given: str | None) -> bool:
    return hmac.compare_digest(right.encode(), (given or "").encode(errors="replace"))


@dataclass(frozen=True, slots=True)
class PageRequest:
    """What the address of the WebSocket says."""

    role: str | None = None
    character: str | None = None
    token: str | None = None
    page: str | None = None
    desk: str | None = None
    """Which of the console's desks it is; operators alone have one."""
    session: str | None = None
    """Made up by the page and kept over reconnections, so that nothing is published twice."""

    @property
    def name(self) -> str:
        """A name for sentences and logs, on one line."""
        cleaned = re.sub(r"[^\w ./-]", "_", self.page or "").strip()[:60]
        return cleaned or "unnamed"


def admit(
    request: PageRequest, characters: Sequence[str], tokens: Tokens | None
) -> tuple[PageRole, str | None]:
    """The role and character of a page.

    Raises:
        NotAdmitted: with the reason.
    """
    roles = [str(role) for role in PageRole]
    if request.role not in roles:
        asked = "names no role" if not request.role else f"asks for role {shown(request.role)}"
        suggestion = hint(request.role or "", roles)
        raise NotAdmitted(BAD_REQUEST, f"the page {asked}{suggestion}")
    role = PageRole(request.role)
    if tokens is not None and not tokens.fits(role, request.token):
        state = "does not fit" if request.token else "is missing"
        raise NotAdmitted(
            BAD_TOKEN,
            f"the token for role {role} {state}: open the address that the run printed for it",
        )
    if request.session is not None and len(request.session) > 100:
        raise NotAdmitted(BAD_REQUEST, "the session's name is longer than 100 characters")
    if request.character:
        try:
            check_character(request.character, list(characters))
        except Refused as refusal:
            raise NotAdmitted(BAD_CHARACTER, refusal.why) from None
    return role, request.character or None
