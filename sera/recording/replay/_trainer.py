"""Training for wizards: a recording plays on the bus, and a trainee decides in the wizard's place.

Design overview
    People, activity and automatic minds are as recorded; behaviour, voice, motion and the console
    are alive, so that the robot does what the trainee says. What the recorded wizard decided is
    left out, with what came of accepted suggestions; where the trainee accepts one, the feeder
    gives the order in the name of whoever proposed it.

Units and frames
    Seconds. The recording's clock is laid over that of the run.

Threading
    The event loop's thread; one connection for each fed source.

Safety
    A stop of the trainee counts as everywhere: what is alive obeys it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sera.bus import Bus, Identity, MqttBus
from sera.messages import WORLD, Envelope, MessageId, SuggestionOutcome, SuggestionResolved
from sera.recording._reader import LogReader, Record
from sera.recording._recreate import recreate
from sera.recording.replay._casting import Cast
from sera.recording.replay._counterparts import Counterparts
from sera.recording.replay._feeder import FRAMEWORK, Feeding
from sera.recording.replay._player import FEEDER
from sera.recording.replay._recorded import BOOK_KEEPING, RecordedRun, ReplayError
from sera.recording.replay._training import TrainingScore, choices_of, score
from sera.runtime.clock import Clock
from sera.runtime.module import Module, Role
from sera.runtime.scenario import ModulePlan, Scenario

ALIVE = (Role.BEHAVIOUR, Role.REALISATION, Role.GATEWAY)
GATEWAY = "world.gateway"
FIRST_OWN = 1_000_000
"""Ids of orders that the feeder gives for others count from here: no run says so much."""

Connect = Callable[[Identity], Bus]


class Training:
    """One training: make it, run `scenario`, then ask for the `score`."""

    def __init__(
        self,
        run: RecordedRun,
        cast: Cast,
        *,
        character: str | None = None,
        to_s: float | None = None,
        connect: Connect | None = None,
    ) -> None:
        """Prepare a training.

        Args:
            run: the recording.
            cast: the scenario as it was.
            character: only decisions for this character count; None: all.
            to_s: where to end, from the beginning of the recording; None: where it ended.
            connect: makes the connection of a fed source; None: over MQTT.

        Raises:
            ReplayError: there is no such character, or no wizard decided anything.
        """
        known = cast.scenario.characters
        if character is not None and character not in known:
            raise ReplayError(f"--character {character}: the scenario has {', '.join(known)}")
        self.run = run
        self.recorded = choices_of(run.records, run.origin_s, character)
        if not self.recorded:
            whom = "" if character is None else f" for {character}"
            raise ReplayError(
                f"{run.path}: no operator decided anything{whom} in this recording (no "
                "OperatorDecided with an order), so that there is nothing to train against"
            )
        self.began_s: float | None = None
        """When the recording began to play, on the clock of the run."""
        self._character = character
        self._connect = connect
        self._until_s = run.origin_s + (run.duration_s if to_s is None else to_s)
        self._decided = {
            str(one.data.get("action")) for one in run.records if one.type == "OperatorDecided"
        }
        self._resolved = {
            one.id for one in run.records if one.type == "SuggestionResolved" and one.data.get("by")
        }
        alive = [plan for plan in cast.scenario.plans if plan.module_class.role in ALIVE]
        self.alive = [plan.source for plan in alive]
        kind: type[Module] = type("OneTrainer", (_Trainer,), {"training": self})
        trainer = ModulePlan(WORLD, FEEDER, FEEDER, "shared", kind, kind.Settings())
        self.scenario: Scenario = replace(cast.scenario, plans=(*alive, trainer))

    def score(self, log: LogReader, *, window_s: float) -> TrainingScore:
        """Judge the trainee by the log of the training."""
        if self.began_s is None:
            raise ReplayError("the training ended before the recording began to play")
        records = list(log)
        trainee = choices_of(records, self.began_s, self._character)
        end_s = max((one.received_s for one in records), default=self.began_s) - self.began_s
        # What would have come after a training that was ended early was not missed.
        until_s = min(end_s, self._until_s - self.run.origin_s)
        tasks = [one for one in self.recorded if one.at_s <= until_s]
        return score(tasks, trainee, window_s=window_s)

    def left_out(self, record: Record) -> bool:
        """Whether a record is the wizard's own, or what came of it."""
        return (
            record.type == "OperatorDecided"
            or record.id in self._decided
            or (record.cause is not None and record.cause in self._resolved)
            or (record.type == "SuggestionResolved")
        )

    def feeding(self, clock: Clock, say: Callable[[Envelope], None]) -> Feeding:
        """What is fed."""
        records = [one for one in self.run.records if one.type not in BOOK_KEEPING]
        return Feeding(
            self.run,
            Counterparts(records, [*self.alive, *FRAMEWORK, GATEWAY]),
            say,
            clock,
            until_s=self._until_s,
            patience_s=0.0,
            left_out=self.left_out,
            in_real_time=True,
        )

    def fed_sources(self) -> list[str]:
        """Everybody who is fed."""
        own = {*self.alive, *FRAMEWORK, GATEWAY}
        return [source for source in self.run.sources() if source not in own and "." in source]

    def connection(self, identity: Identity, bus: Bus, now: Callable[[], float]) -> Bus:
        """The connection of a fed source."""
        if self._connect is not None:
            return self._connect(identity)
        assert isinstance(bus, MqttBus), "without a broker, `connect` is given"
        return MqttBus(identity, bus.address, now=now)


class _Trainer(Module):
    """Feeds the recording and answers for those who are fed."""

    role = Role.ACTIVITY
    hears_everyone = True
    training: Training
    """Set on a subclass: one a training."""

    async def start(self) -> None:
        self._buses: dict[str, Bus] = {}
        self._suggested: dict[str, Record] = {
            one.id: one for one in self.training.run.records if one.type == "Suggestion"
        }
        self._given = FIRST_OWN

    async def run(self) -> None:
        training = self.training
        # Not before everybody has started: an engine that loads holds up whoever connects.
        await self._connect()
        training.began_s = self.clock.now()
        self._ahead_s = training.run.origin_s - training.began_s
        feeding = training.feeding(Clock.for_running_loop(skew_s=self._ahead_s), self._say)

        def hear(envelope: Envelope) -> None:
            feeding.heard(envelope)
            if isinstance(envelope.message, SuggestionResolved):
                self._release(envelope.message, envelope.id)

        await self.bus.subscribe(None, hear, everyone=True)
        await feeding.feed()
        await self.end_run("the recording is over")

    async def _connect(self) -> None:
        for source in self.training.fed_sources():
            character, _, module = source.partition(".")
            identity = Identity(self.bus.identity.run, character, module)
            bus = self.training.connection(identity, self.bus, self.clock.now)
            await bus.connect()
            self._buses[source] = bus

    async def stop(self) -> None:
        for bus in self._buses.values():
            await bus.close()

    def _say(self, envelope: Envelope) -> None:
        bus = self._buses.get(envelope.source)
        if bus is not None:
            bus.send(envelope._replace(time=envelope.time - self._ahead_s))

    def _release(self, resolved: SuggestionResolved, cause: str) -> None:
        """Give the order that the trainee accepted, for whoever proposed it then."""
        record = self._suggested.pop(resolved.suggestion, None)
        accepted = resolved.outcome is SuggestionOutcome.ACCEPTED and not resolved.edited
        bus = None if record is None else self._buses.get(record.source)
        if record is None or bus is None or not accepted:
            return
        action = recreate(
            str(record.data.get("action_type")), record.data.get("action") or {}, where=record.id
        )
        self._given += 1
        identity = MessageId(record.source, MessageId.parse(record.id).boot, self._given)
        bus.send(
            Envelope(
                action, str(identity), self.clock.now(), record.source, record.character, cause
            )
        )
