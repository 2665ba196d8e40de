"""What every bridge must do, tried on the bridge itself.

Design overview: the contract wraps a bridge in its guard, as it will run, and drives it through
limits, rate, starting in any pose, heartbeat, silence, stop, rest and unplugging, each with a fresh
subject. It only believes what the body measures. `sera robot check` runs it on robots; tests run it
on every bridge of this package.

Units and frames: the channels' own units; seconds of the subject's clock.
Threading: one event loop; time passes where the subject says so, really or by hand.
Safety: moves the whole range of every joint, so a robot needs room around it.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from sera.animation.channels import ChannelSpec, Kind
from sera.animation.output.bridge import Bridge, BridgeLost, Clock, OutputFrame
from sera.animation.output.guard import GuardedBridge
from sera.animation.output.guard_report import GuardState

_FRAME_S = 0.02
_TIMEOUT_S = 0.5

Pose = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractSubject:
    """A bridge on trial, and what the contract needs to know and do about it."""

    bridge: Bridge
    specs: tuple[ChannelSpec, ...]
    clock: Clock
    pass_time: Callable[[float], Awaitable[None]]
    """Let that many seconds go by on the clock, and the body live through them."""
    rest: Pose = field(default_factory=dict)
    unplug: Callable[[], Awaitable[None]] | None = None
    """Cut the connection; None where nobody can."""
    plug_in: Callable[[], Awaitable[None]] | None = None
    tolerance: float = 0.01
    """What a measurement may be off, in the channels' units."""


MakeSubject = Callable[[Pose], Awaitable[ContractSubject]]
"""Makes a fresh subject whose body stands in that pose (as far as it can be put there)."""


@dataclass(frozen=True, slots=True)
class ContractResult:
    """How one clause went."""

    clause: str
    passed: bool
    sentence: str
    tried: bool = True


class _Broken(Exception):
    """A clause does not hold; the sentence says how."""


class _Trial:
    """One subject with its guard, driven frame by frame."""

    def __init__(self, subject: ContractSubject) -> None:
        self.subject = subject
        self.guard = GuardedBridge(
            subject.bridge,
            subject.specs,
            subject.clock,
            frame_timeout_s=_TIMEOUT_S,
            rest=subject.rest,
        )
        self.sequence = 0

    @property
    def moving(self) -> tuple[ChannelSpec, ...]:
        kinds = {Kind.STATIONARY, Kind.SPATIAL}
        return tuple(spec for spec in self.subject.specs if spec.kind in kinds)

    async def frame(self, pose: Pose, *, wait_s: float = _FRAME_S) -> None:
        self.sequence += 1
        now_s = self.subject.clock()
        await self.guard.animate(OutputFrame(values=pose, time_s=now_s, sequence=self.sequence))
        await self.subject.pass_time(wait_s)
        await self.guard.tick()

    async def silence(self, duration_s: float) -> None:
        for _ in range(round(duration_s / _FRAME_S)):
            await self.subject.pass_time(_FRAME_S)
            await self.guard.tick()

    async def measured(self) -> dict[str, float]:
        joints = (await self.guard.heartbeat()).joints
        return {spec.name: joints[spec.name] for spec in self.moving}

    async def go_to(self, pose: Pose, *, longest_s: float = 20.0) -> None:
        """Send a pose until the body is there."""
        for _ in range(round(longest_s / _FRAME_S)):
            await self.frame(pose)
            found = await self.measured()
            if self.distance(found, pose) <= self.subject.tolerance:
                return
        raise _Broken(f"after {longest_s:g} s {_furthest(found, pose)}")

    def end(self, *, upper: bool) -> dict[str, float]:
        return {spec.name: spec.upper if upper else spec.lower for spec in self.moving}

    def distance(self, found: Pose, pose: Pose) -> float:
        return max(abs(found[name] - pose[name]) for name in found if name in pose)

    def require_step(self, before: Pose, after: Pose, elapsed_s: float, what: str) -> None:
        """No joint has moved further than its velocity allows (and one frame under way)."""
        for spec in self.moving:
            moved = abs(after[spec.name] - before[spec.name])
            allowed = spec.max_velocity * (elapsed_s + _FRAME_S) + self.subject.tolerance
            if moved > allowed:
                raise _Broken(f"{what}: {spec.name} moved {moved:.3f}, {allowed:.3f} is allowed")


async def run_contract(
    make_subject: MakeSubject, specs: tuple[ChannelSpec, ...], *, seed: int = 0
) -> list[ContractResult]:
    """Try every clause on a fresh subject.

    Args:
        make_subject: makes the bridge on trial with its body in a given pose.
        specs: the body's own channels, from which poses are chosen.
        seed: chooses the poses.
    """
    chance = random.Random(seed)  # noqa: S311 - poses, not secrets
    results = []
    for clause, trial_of in _CLAUSES:
        # At home in the middle of the range, so that every clause has somewhere to go.
        shares = [0.4 + 0.2 * chance.random() for _ in specs]
        if clause == "start in any pose":
            shares = [chance.random() for _ in specs]
        pose = {
            spec.name: spec.from_percent(share) for spec, share in zip(specs, shares, strict=True)
        }
        trial = _Trial(await make_subject(pose))
        try:
            results.append(await _try(clause, trial_of, trial))
        finally:
            await trial.guard.close()
    return results


async def _try(
    clause: str, trial_of: Callable[[_Trial], Awaitable[str | None]], trial: _Trial
) -> ContractResult:
    try:
        await trial.guard.connect()
        if trial.guard.state is GuardState.UNREACHABLE:
            return ContractResult(clause, passed=False, sentence="the body cannot be reached")
        sentence = await trial_of(trial)
    except _Broken as broken:
        return ContractResult(clause, passed=False, sentence=str(broken))
    except (BridgeLost, KeyError) as error:
        kind = "a channel is not measured" if isinstance(error, KeyError) else "lost"
        return ContractResult(clause, passed=False, sentence=f"{kind}: {error}")
    if sentence is None:
        return ContractResult(clause, passed=True, sentence="nobody can try this", tried=False)
    return ContractResult(clause, passed=True, sentence=sentence)


async def _limits(trial: _Trial) -> str:
    before, before_s = await trial.measured(), trial.subject.clock()
    for step in range(200):
        far = 1.0e6 if step % 100 < 50 else -1.0e6
        await trial.frame({spec.name: far for spec in trial.moving})
        after, after_s = await trial.measured(), trial.subject.clock()
        trial.require_step(before, after, after_s - before_s, f"frame {step}")
        for spec in trial.moving:
            value = after[spec.name]
            slack = trial.subject.tolerance
            if not spec.lower - slack <= value <= spec.upper + slack:
                raise _Broken(f"{spec.name} is at {value:.3f}, outside its range")
        before, before_s = after, after_s
    await trial.frame({spec.name: float("nan") for spec in trial.moving})
    return "range and velocity hold against wild frames"


async def _rate(trial: _Trial) -> str:
    home = await trial.measured()
    for _ in range(100):
        await trial.frame(home)
    if trial.guard.counts.ignored:
        raise _Broken(f"{trial.guard.counts.ignored} of 100 frames at 50 Hz were not taken")
    await trial.go_to(trial.end(upper=True))
    await trial.go_to(trial.end(upper=False))
    return "50 frames a second are taken, and both ends of the range are reached"


async def _start(trial: _Trial) -> str:
    before, before_s = await trial.measured(), trial.subject.clock()
    await trial.frame(trial.end(upper=True))
    elapsed_s = trial.subject.clock() - before_s
    trial.require_step(before, await trial.measured(), elapsed_s, "first frame")
    await trial.go_to(trial.end(upper=True))
    return "motion begins where the body is"


async def _heartbeat(trial: _Trial) -> str:
    last_s = -float("inf")
    for _ in range(10):
        reading = await trial.guard.heartbeat()
        missing = [spec.name for spec in trial.moving if spec.name not in reading.joints]
        if missing:
            raise _Broken(f"not measured: {', '.join(missing)}")
        if reading.time_s < last_s:
            raise _Broken("the time of readings goes backwards")
        last_s = reading.time_s
        await trial.frame({})
    return "every joint is measured"


async def _silence(trial: _Trial) -> str:
    await trial.frame(trial.end(upper=True))
    await trial.silence(_TIMEOUT_S + 5 * _FRAME_S)
    if trial.guard.state is not GuardState.SAFE:
        raise _Broken(f"after {_TIMEOUT_S:g} s without a frame the body is {trial.guard.state}")
    await _require_still(trial, "in silence")
    await trial.go_to(trial.end(upper=False))
    return "silence leads to the safe state, and frames end it"


async def _stop(trial: _Trial) -> str:
    for _ in range(5):
        await trial.frame(trial.end(upper=True))
    before, before_s = await trial.measured(), trial.subject.clock()
    await trial.guard.stop("contract")
    await trial.frame(trial.end(upper=True))
    elapsed_s = trial.subject.clock() - before_s
    trial.require_step(before, await trial.measured(), elapsed_s, "stopping")
    # Inertia is allowed to run out; then nothing may move, whatever is sent.
    for _ in range(15):
        await trial.frame(trial.end(upper=True))
    # The bridge itself has to obey, too: a small step past the guard must not be taken.
    held = await trial.measured()
    small = 5.0 * trial.subject.tolerance
    past = {
        spec.name: held[spec.name] + (small if held[spec.name] < spec.neutral else -small)
        for spec in trial.moving
    }
    await trial.subject.bridge.animate(OutputFrame(values=past, sequence=trial.sequence + 1))
    await trial.subject.pass_time(10 * _FRAME_S)
    if trial.distance(await trial.measured(), held) > trial.subject.tolerance:
        raise _Broken("stopped, the bridge still follows frames")
    await trial.guard.release()
    await trial.go_to(trial.end(upper=False))
    return "stops, ignores frames, and follows again after release"


async def _rest(trial: _Trial) -> str:
    rest = {spec.name: trial.subject.rest.get(spec.name, spec.neutral) for spec in trial.moving}
    await trial.frame(trial.end(upper=True))
    await trial.guard.rest()
    for _ in range(1500):
        await trial.silence(_FRAME_S)
        if trial.distance(await trial.measured(), rest) <= trial.subject.tolerance:
            break
    else:
        raise _Broken(f"not in its rest pose: {_furthest(await trial.measured(), rest)}")
    await trial.silence(0.2)
    await trial.frame(trial.end(upper=True))
    await _require_still(trial, "resting")
    await trial.guard.release()
    await trial.go_to(trial.end(upper=False))
    return "goes to its rest pose and wakes on release"


async def _unplug(trial: _Trial) -> str | None:
    subject = trial.subject
    if subject.unplug is None or subject.plug_in is None:
        return None
    await trial.frame(trial.end(upper=True))
    before = await trial.measured()
    await subject.unplug()
    for _ in range(60):
        await trial.frame(trial.end(upper=True))
    state = trial.guard.state
    if state is not GuardState.UNREACHABLE:
        raise _Broken(f"unplugged for {60 * _FRAME_S:g} s, and the body counts as {state}")
    await subject.plug_in()
    for _ in range(300):
        await trial.frame(before)
        if trial.guard.state is GuardState.FOLLOWING:
            break
    else:
        raise _Broken("the body is back and has not been reconnected within 6 s")
    await trial.go_to(trial.end(upper=False))
    return "reconnects and follows again"


async def _require_still(trial: _Trial, what: str) -> None:
    before = await trial.measured()
    for _ in range(5):
        await trial.subject.pass_time(_FRAME_S)
    moved = trial.distance(await trial.measured(), before)
    if moved > trial.subject.tolerance:
        raise _Broken(f"{what}, the body still moved by {moved:.3f}")


def _furthest(found: Pose, pose: Pose) -> str:
    name = max(
        (name for name in found if name in pose), key=lambda name: abs(found[name] - pose[name])
    )
    return f"{name} is at {found[name]:.3f} instead of {pose[name]:.3f}"


_CLAUSES: tuple[tuple[str, Callable[[_Trial], Awaitable[str | None]]], ...] = (
    ("limits", _limits),
    ("rate", _rate),
    ("start in any pose", _start),
    ("heartbeat", _heartbeat),
    ("silence", _silence),
    ("stop", _stop),
    ("rest", _rest),
    ("unplug", _unplug),
)
