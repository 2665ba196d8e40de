"""The recorder: every message of the run into one log, and the clock that others compare with."""

from __future__ import annotations

from sera import Module, __version__, on
from sera.bus import Malformed
from sera.messages import (
    ClockProbe,
    ClockReply,
    ConditionAssigned,
    Envelope,
    Kind,
    Message,
    ModuleFault,
    QuestionnaireAnswered,
    SessionMark,
    SessionPhase,
)
from sera.recording import LogHeader, LogWriter, sync_files
from sera.runtime import Role

FLUSH_EVERY_S = 0.25
REMEMBERED = 10_000


STUDY_RECORDS = (ConditionAssigned, SessionPhase, SessionMark, QuestionnaireAnswered)


class Recorder(Module):
    """Writes the log. Study records are receipted only when they are on the disk.

    While a disk is full they wait, and so does whoever handed them in: a tablet keeps its answers
    until it hears that they are kept, so that neither a full disk nor kill -9 takes them back.
    """

    role = Role.RECORDER
    hears_everyone = True
    answers_when_done = STUDY_RECORDS

    _writer: LogWriter | None = None

    async def start(self) -> None:
        self._recent: dict[str, None] = {}
        scenario = self.context.scenario
        log = self.context.options["log"]
        is_virtual = self.clock.kind == "virtual"
        self._writer = LogWriter(
            log,
            header=LogHeader(
                run=self.context.options["run"],
                scenario=scenario.name if scenario is not None else "",
                seed=self.context.seed,
                clock=self.clock.kind,
                started=0.0 if is_virtual else self.clock.now(),
                version=__version__,
                robots=None if scenario is None else scenario.bodies,
                condition=self.context.condition,
            ),
            clock_now=self.clock.now,
            flush_every_s=FLUSH_EVERY_S,
            on_problem=self.fault,
            if_exists="append" if self.context.options["life"] else "replace",
        )
        self.bus.on_published = self._record
        await self.bus.subscribe(None, self._record, everyone=True)

    async def run(self) -> None:
        if self.clock.kind == "virtual":
            return  # whoever waits for a virtual second waits for no disk
        while True:
            await self.clock.sleep(FLUSH_EVERY_S)
            self._flush()

    async def stop(self) -> None:
        self.bus.on_published = None
        if self._writer is not None:
            writer, self._writer = self._writer, None
            writer.close()

    @on(*STUDY_RECORDS)
    async def keep_study_record(self, _message: Message, envelope: Envelope) -> None:
        while not await self._is_on_disk(envelope):
            await self.clock.sleep(FLUSH_EVERY_S)

    async def _is_on_disk(self, envelope: Envelope) -> bool:
        writer = self._writer
        if writer is None or not writer.flush():
            return False
        if self.clock.kind == "virtual":
            return True  # nobody outlives a simulation who could miss it
        try:
            await self.blocking(sync_files, writer.files)
        except OSError as error:
            # Nobody knows what of it the disk has: it is written once more.
            self.fault(f"{writer.path} did not reach the disk: {error.strerror}", about=envelope)
            writer.write(envelope, self.clock.now(), must_keep=True)
            return False
        return True

    @on(ClockProbe)
    async def tell_time(self, _message: ClockProbe, envelope: Envelope) -> None:
        now_s = self.clock.now()
        await self.publish(
            ClockReply(probe=envelope.id, received_at_s=now_s, sent_at_s=self.clock.now()),
            character=envelope.character,
        )

    def on_malformed(self, problem: Malformed, payload: bytes) -> None:
        if self._writer is not None:
            self._writer.write_raw(problem.topic, payload, self.clock.now(), problem.summary)

    def _record(self, envelope: Envelope) -> None:
        if self._writer is None or self._is_repeat(envelope):
            return
        must_keep = isinstance(envelope.message, STUDY_RECORDS)
        self._writer.write(envelope, self.clock.now(), must_keep=must_keep)

    def _is_repeat(self, envelope: Envelope) -> bool:
        """An Action that its sender had to send again is one order, hence one line.

        So is a fault that was written while there was no broker, and came when it was back.
        """
        if envelope.message.kind is not Kind.ACTION and not isinstance(
            envelope.message, ModuleFault
        ):
            return False
        if envelope.id in self._recent:
            return True
        self._recent[envelope.id] = None
        if len(self._recent) > REMEMBERED:
            del self._recent[next(iter(self._recent))]
        return False

    def _flush(self) -> None:
        if self._writer is not None:
            self._writer.flush()
