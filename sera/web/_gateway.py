"""The gateway's engine: pages speak and listen on the bus, each within the rights of its role.

Design overview
    frame → read and checked → right of the role → published; bus → page's queue → frame.
    The engine knows neither sockets nor the runtime: it is given a way to publish and to
    subscribe, and a `Link` for each page. What pages of this gateway say is shown to its other
    pages directly, because a source on the bus never hears itself.

Units and frames
    Seconds on the clock of the run.

Threading
    One event loop. A page has one reader and one writer; nothing that a page does or fails to
    do holds up another page or the bus.

Safety
    Whatever a page sends is refused with a sentence, counted and reported, never raised. A page
    that is refused too often or takes messages too slowly is sent away.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from sera.bus import Counters, PayloadTooLarge
from sera.messages import (
    PROTOCOL_VERSION,
    WORLD,
    Autonomy,
    EmergencyStop,
    Envelope,
    ExpiryReason,
    FormOffered,
    HoldJoints,
    Message,
)
from sera.web._admission import FULL, NotAdmitted, PageRequest, Tokens, admit
from sera.web._answers import Sessions
from sera.web._complaints import Complaints
from sera.web._conversation import converse, turn_away
from sera.web._forms import CheckSheet, Forms
from sera.web._frames import (
    FRAME_LIMIT_BYTES,
    AnswerSheet,
    ClientFrame,
    Ping,
    Received,
    Send,
    Subscribe,
    frame,
    message_frame,
    read_frame,
)
from sera.web._hearing import change_wanted
from sera.web._limits import Limits
from sera.web._operators import Lock, Operators, no_lock
from sera.web._orders import Orders
from sera.web._page import GOING_AWAY, TOO_MANY_REFUSED, TRY_AGAIN, Farewell, Page
from sera.web._ports import Closeable, Hear, Kept, Link, Publish, kept_at_once
from sera.web._refused import Refused
from sera.web._roles import PERFORMED_BY_PAGES, PageRole, described_rights
from sera.web._saying import Saying, waits_for_disk

_TOO_BIG = 1009
_OVERTAKES = (EmergencyStop.__name__,)
"""What does not wait until the page's earlier messages are published."""

log = logging.getLogger("sera.web")


class Gateway:
    """Everything between the bus and the pages, except sockets."""

    def __init__(
        self,
        *,
        publish: Publish,
        subscribe: Hear,
        now: Callable[[], float],
        run: str = "",
        boot: int = 0,
        source: str = "world.gateway",
        characters: Callable[[], Sequence[str]] = tuple,
        pages: Callable[[], Sequence[str]] = tuple,
        report: Callable[[str], None] = log.warning,
        expired: Callable[[Envelope, ExpiryReason], None] = lambda _envelope, _reason: None,
        tokens: Tokens | None = None,
        counters: Counters | None = None,
        limits: Limits | None = None,
        lock: Lock = no_lock,
        check_sheet: CheckSheet = lambda _record: [],
        restricted: bool = False,
        reveal_condition: bool = False,
        kept: Kept = kept_at_once,
    ) -> None:
        """Make a gateway without pages.

        Args:
            publish: says what a page says.
            subscribe: listens for a page.
            now: the clock of the run, seconds.
            run: id of the run.
            boot: counts the starts of this gateway.
            source: under which pages speak.
            characters: the characters of the run, as far as they are known.
            pages: the scenario's pages, as addresses on this server.
            report: told, not too often, what is wrong with a page, in one sentence.
            expired: told which Action no page has confirmed in time.
            tokens: what pages must show; None: nothing.
            counters: where refused frames and dropped values are counted.
            limits: how much a page may ask.
            lock: why a desk may not send something.
            check_sheet: what is wrong with a form that was handed in.
            restricted: whether wizards see only what the robot perceives.
            reveal_condition: whether operators may learn the condition of a study.
            kept: waits until a study record that was published is on the disk.
        """
        self.tokens = tokens
        self.counters = counters if counters is not None else Counters()
        self.limits = limits if limits is not None else Limits()
        self.restricted = restricted
        self.reveal_condition = reveal_condition
        self.hearers: list[Callable[[Envelope], None]] = []
        """Told of everything that is published here, which the bus does not bring back."""
        self._subscribe = subscribe
        self._now = now
        self._run = run
        self._boot = boot
        self._source = source
        self._characters = characters
        self._scenario_pages = pages
        self._report = report
        self._orders = Orders(now=now, expired=expired)
        self.operators = Operators(lock=lock)
        self._forms = Forms(check_sheet)
        self._saying = Saying(
            publish=publish,
            now=now,
            source=source,
            characters=characters,
            operators=self.operators,
            forms=self._forms,
            said=self._tell_pages,
            report=report,
            kept=kept,
        )
        self._followed: list[Closeable] = []
        self._telling: set[asyncio.Task[None]] = set()
        self._sessions = Sessions()
        self._pages: dict[Page, None] = {}
        self._empty = asyncio.Event()
        self._empty.set()
        self._closing = False
        self._deaf = ""
        self._last_frame: tuple[Envelope | None, str | None] = (None, None)
        self._complaints = Complaints(
            report, self.counters, now=now, pause_s=self.limits.fault_pause_s
        )

    @property
    def pages(self) -> list[Page]:
        """The connected pages, in the order in which they came."""
        return list(self._pages)

    async def open(self) -> None:
        """Follow who has which channel in hand, and which forms are offered."""
        for types in ([Autonomy], [FormOffered]):
            self._followed.append(await self._subscribe(types, self._follow, characters=None))

    def _follow(self, envelope: Envelope) -> None:
        if isinstance(envelope.message, Autonomy):
            self.operators.follow(envelope.character, envelope.message)
        elif isinstance(envelope.message, FormOffered):
            self._forms.hear(envelope.message)

    # -- life of a page ---------------------------------------------------------------------

    async def serve(self, link: Link, request: PageRequest) -> None:
        """Serve one page from its arrival to its end; never raises."""
        try:
            page = self._admit(request)
        except NotAdmitted as refusal:
            if refusal.code != TRY_AGAIN:
                self._complaints.refused(f"page {request.name}", refusal.why)
            answer = frame("refused", ref=None, why=refusal.why)
            await turn_away(link, refusal.code, answer, refusal.why, self.limits.goodbye_s)
            return
        self._pages[page] = None
        self._empty.clear()
        self.operators.sit(page, request.desk, request.session)
        log.debug("%s connected", page)
        try:
            page.answer(self._hello(page))
            if page.operator is not None:
                self._tell_operators()
            await converse(page, link, self._take, self._speak, goodbye_s=self.limits.goodbye_s)
            if link.close_code == _TOO_BIG:
                why = f"it sent a frame above {FRAME_LIMIT_BYTES:,} bytes"
                self._complaints.refused(str(page), why)
        except Exception as error:
            self._failed(page, error, None)
            link.abort()
        finally:
            self._leave(page)
            if self.operators.leave(page) and not self._closing:
                self._tell_operators()

    def _tell_operators(self) -> None:
        self._tell(self.operators.present(self.pages))

    def _tell(self, message: Message, character: str = WORLD) -> None:
        """Say something of the gateway's own; no page waits for it."""
        told = self._saying.tell(message, character)
        task = asyncio.get_running_loop().create_task(told, name="gateway's own words")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    def _admit(self, request: PageRequest) -> Page:
        if self._closing:
            raise NotAdmitted(GOING_AWAY, "the run has ended")
        if self._deaf:
            raise NotAdmitted(TRY_AGAIN, self._deaf)
        role, character = admit(request, self._characters(), self.tokens)
        if len(self._pages) >= self.limits.pages:
            raise NotAdmitted(
                FULL, f"{self.limits.pages} pages are connected already; close one of them"
            )
        return Page(
            name=request.name,
            role=role,
            character=character,
            answers=self._sessions.answers(role, request.session),
            now=self._now,
            text_of=self._text_of,
            on_drop=self._count_dropped,
            limits=self.limits,
            restricted=self.restricted and role is PageRole.WIZARD,
            reveal_condition=self.reveal_condition,
        )

    def _hello(self, page: Page) -> str:
        return frame(
            "hello",
            protocol=PROTOCOL_VERSION,
            run=self._run,
            boot=self._boot,
            source=self._source,
            role=str(page.role),
            page=page.name,
            operator=page.operator,
            desk=page.desk,
            restricted=page.restricted,
            now_s=self._now(),
            character=page.character,
            characters=list(self._characters()),
            **described_rights(page.role, reveal_condition=self.reveal_condition),
            pages=list(self._scenario_pages()) if page.rights.sees_pages else [],
        )

    def _leave(self, page: Page) -> None:
        for subscription in page.subscriptions.values():
            subscription.close()
        page.subscriptions.clear()
        if page.farewell is not None and page.farewell.abrupt:
            self.counters.lost += len(page.outgoing)
        self._pages.pop(page, None)
        for character in page.grips:
            self._tell(HoldJoints(), character)  # nobody is left whose hand it could be
        if not self._pages:
            self._empty.set()
        if page.farewell is not None and page.farewell.code not in (GOING_AWAY, TRY_AGAIN):
            self._complaints.note(f"{page}: {page.farewell.why}")
        log.debug("%s left", page)

    def lose_broker(self, why: str) -> None:
        """Nothing that a page says reaches anybody: it is told so, and comes back by itself."""
        self._deaf = f"the run has no connection to its broker ({why})"
        for page in self._pages:
            page.send_away(Farewell(TRY_AGAIN, self._deaf))

    def find_broker(self) -> None:
        """Pages may come again."""
        self._deaf = ""

    async def close(self) -> None:
        """Send all pages away."""
        self._closing = True
        for page in self._pages:
            page.send_away(Farewell(GOING_AWAY, "the run has ended"))
        await self._empty.wait()
        for task in self._telling:
            task.cancel()
        for subscription in self._followed:
            subscription.close()
        self._orders.close()

    # -- from the bus -----------------------------------------------------------------------

    def perform(self, envelope: Envelope) -> None:
        """Hand an Action that pages perform to those that do."""
        self._orders.add(envelope, self.pages)

    def _text_of(self, envelope: Envelope) -> str | None:
        """The frame for an envelope, made once for all pages that are told one after another."""
        known, text = self._last_frame
        if known is not envelope:
            try:
                text = message_frame(envelope)
            except PayloadTooLarge as error:
                self._report(f"a message was not shown to pages: {error}")
                text = None
            self._last_frame = (envelope, text)
        return text

    def _count_dropped(self) -> None:
        self.counters.dropped += 1

    # -- from pages -------------------------------------------------------------------------

    async def _take(self, page: Page, raw: str | bytes) -> None:
        """Handle a frame of a page, or queue what it says."""
        try:
            parsed = read_frame(raw)
            self._check_rate(page, parsed)
            if isinstance(parsed, Send) and parsed.type in _OVERTAKES:
                await self._speak(page, parsed)
            elif isinstance(parsed, Send | AnswerSheet):
                await page.spoken.put(parsed)
            elif isinstance(parsed, Subscribe):
                await self._change_wanted(page, parsed)
            elif isinstance(parsed, Received):
                self._orders.confirm(parsed.id, page)
            elif isinstance(parsed, Ping):
                page.answer(frame("pong", ref=parsed.ref, now_s=self._now()))
        except Refused as refusal:
            page.answer(self._refuse(page, refusal))
        except Exception as error:
            page.answer(self._failed(page, error, None))

    async def _speak(self, page: Page, send: Send | AnswerSheet) -> None:
        """Answer what a page says, once for each of its numbers."""
        if not waits_for_disk(send):
            await self._speak_now(page, send)
            return
        # A full disk holds up neither what else the page says, nor what it says after a reconnect.
        task = asyncio.create_task(self._speak_now(page, send), name=f"{page} record")
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)
        await asyncio.sleep(0)  # published before whatever comes next

    async def _speak_now(self, page: Page, send: Send | AnswerSheet) -> None:
        try:
            page.answer(await page.answers.once(send.ref, lambda: self._say(page, send)))
        except Exception as error:
            page.answer(self._failed(page, error, send.ref))

    def _check_rate(self, page: Page, parsed: ClientFrame) -> None:
        if not page.sends.take(self._now()):
            raise Refused(
                f"the page sends more than {self.limits.sends_per_s:g} frames a second",
                ref=getattr(parsed, "ref", None),
            )

    async def _say(self, page: Page, asked: Send | AnswerSheet) -> str:
        """Publish what a page says; returns the answer to it."""
        try:
            message_id = await self._saying.say(page, asked)
        except Refused as refusal:
            refusal.ref = asked.ref
            return self._refuse(page, refusal)
        if message_id is None:
            what = asked.type if isinstance(asked, Send) else "the form"
            return frame("refused", ref=asked.ref, why=f"{what} was withheld")
        return frame("accepted", ref=asked.ref, id=message_id)

    def _tell_pages(self, envelope: Envelope, speaker: Page | None) -> None:
        """Show what was published here to the other pages: they do not hear it over the bus."""
        for page in self.pages:
            if page is not speaker:
                page.hear(envelope)
        for hear in self.hearers:
            hear(envelope)
        if isinstance(envelope.message, PERFORMED_BY_PAGES):
            self.perform(envelope)

    async def _change_wanted(self, page: Page, asked: Subscribe) -> None:
        good, complaints = await change_wanted(page, asked.types, self._subscribe)
        page.answer(frame("subscribed", ref=asked.ref, types=good))
        self._orders.offer_all(page)
        if complaints:
            raise Refused("; ".join(complaints[:5]), ref=asked.ref)

    # -- what goes wrong --------------------------------------------------------------------

    def _failed(self, page: Page, error: Exception, ref: int | None) -> str:
        """A fault of ours must not cost the page its connection."""
        log.error("%s", page, exc_info=error)
        self._report(f"{page}: {type(error).__name__}: {error}")
        return frame("refused", ref=ref, why="the gateway failed; see the run's log")

    def _refuse(self, page: Page, refusal: Refused) -> str:
        answer = frame("refused", ref=refusal.ref, why=refusal.why)
        if refusal.offence:
            self._complaints.refused(str(page), refusal.why)
            if not page.offences.take(self._now()):
                page.answer(answer)
                why = f"too much was refused, so the page was disconnected; last: {refusal.why}"
                page.answer(frame("refused", ref=None, why=why))
                page.send_away(Farewell(TOO_MANY_REFUSED, why))
        return answer
