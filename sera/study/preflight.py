"""The checks before a session: what was found becomes a colour, a sentence and what to do.

Design overview
    `judge` is a pure function of facts. Whoever starts the scenario's modules gathers the facts
    (`sera study preflight`); the study file says which checks it has no use for and where the
    limits are. Red: a session of the study does not begin. Amber: worth a look. Grey: the scenario
    has nothing to check.

Units and frames
    Seconds, bytes, dBFS (decibels below the loudest that the microphone can tell).

Threading
    None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

from sera.messages import BodyHealth, PreflightCheck, SpeechOutcome
from sera.study.design_tables import PreflightWish

Colour = Literal["green", "amber", "red", "grey"]
CHECKS = ("robot", "face", "microphone", "voice", "screen", "tablet", "disk", "clock", "stop")
GIGABYTE = 1e9
STOPS_WITHIN_S = 1.0
DRIFT_SEEN_S, DRIFT_BAD_S = 0.05, 0.5
TRIP_SLOW_S, TRIP_BAD_S = 0.05, 0.5
EARLIEST_DATE_S = 1_704_067_200.0
"""1 January 2024: a clock before that was never set."""
LATEST_DATE_S = 4_102_444_800.0
"""1 January 2100."""


@dataclass(frozen=True, slots=True)
class BodyFact:
    """One body, and what it did about a stop."""

    character: str
    health: BodyHealth | None = None
    """None: it was not heard of."""
    problem: str | None = None
    simulated: bool = False
    stopped_after_s: float | None = None
    """From the stop to a body that says that it is stopped; None: it did not, or was not asked."""
    released: bool = False
    """Whether it moves again."""


@dataclass(frozen=True, slots=True)
class SensorFact:
    """A camera or a microphone."""

    name: str
    ok: bool
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class VoiceFact:
    """One voice and the test line that it was asked to say."""

    character: str
    outcome: SpeechOutcome | None = None
    """None: it never came to an end."""
    problem: str | None = None
    simulated: bool = False
    """Whether nobody is expected to hear it: the body is simulated as well."""
    heard: bool | None = None
    """What the operator says; None: nobody was asked."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What was found out about the scenario and the machine."""

    bodies: Sequence[BodyFact] = ()
    cameras: Sequence[SensorFact] = ()
    people_simulated: bool = False
    """Whether people come from a simulation and not from a camera."""
    faces: int = 0
    """How many people were seen."""
    microphones: Sequence[SensorFact] = ()
    levels_dbfs: Sequence[float] = field(default=())
    """How loud it was while nobody spoke."""
    voices: Sequence[VoiceFact] = ()
    has_screen: bool = False
    """Whether the scenario has a page of its own."""
    screens: int = 0
    """How many of them are connected."""
    has_forms: bool = False
    """Whether participants fill in forms."""
    tablets: int = 0
    free_bytes: int = 0
    now_s: float = 0.0
    """Date on the wall, seconds since 1970."""
    newest_session_s: float | None = None
    """When the newest session began, by the clock on the wall."""
    drift_s: float = 0.0
    """How far the clock on the wall went ahead of a steady one while checks were made."""
    round_trip_s: float | None = None
    """Way to the recorder and back over the broker; None: no answer."""


def judge(facts: Facts, wish: PreflightWish) -> list[PreflightCheck]:
    """All checks in their order."""
    ways: dict[str, Callable[[Facts, PreflightWish], PreflightCheck]] = {
        "robot": _robot,
        "face": _face,
        "microphone": _microphone,
        "voice": _voice,
        "screen": _screen,
        "tablet": _tablet,
        "disk": _disk,
        "clock": _clock,
        "stop": _stop,
    }
    return [
        _told(name, "grey", "The study file leaves this check out.")
        if name in wish.skip
        else ways[name](facts, wish)
        for name in CHECKS
    ]


def reds(checks: Sequence[PreflightCheck]) -> list[PreflightCheck]:
    """Those that keep a session from beginning."""
    return [check for check in checks if check.colour == "red"]


def _told(name: str, colour: Colour, sentence: str, advice: str | None = None) -> PreflightCheck:
    return PreflightCheck(check=name, colour=colour, sentence=sentence, advice=advice)


def _worst(name: str, found: Sequence[PreflightCheck]) -> PreflightCheck:
    """One check for several robots: the worst colour, with the sentences that have it."""
    order = ("red", "amber", "green", "grey")
    colour = min((check.colour for check in found), key=order.index)
    same = [check for check in found if check.colour == colour]
    sentences = " ".join(dict.fromkeys(check.sentence for check in same))
    return _told(name, colour, sentences, next((one.advice for one in same if one.advice), None))


def _robot(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    if not facts.bodies:
        return _told("robot", "grey", "The scenario has no body.")
    return _worst("robot", [_body(body) for body in facts.bodies])


def _body(body: BodyFact) -> PreflightCheck:
    who, why = body.character, f": {body.problem}" if body.problem else ""
    if body.health is None:
        advice = "See that it is switched on and connected, and that its bridge's settings are its."
        return _told("robot", "red", f"Nothing was heard of {who}'s body.", advice)
    if body.health is BodyHealth.UNREACHABLE:
        advice = "Switch it on, look at its cable or network, then check again."
        return _told("robot", "red", f"{who}'s body cannot be reached{why}.", advice)
    if body.health is BodyHealth.STOPPED:
        advice = "Release the stop at the console, or at the robot, then check again."
        return _told("robot", "red", f"{who}'s body is stopped{why}.", advice)
    if body.health is BodyHealth.OK:
        kind = "simulated body" if body.simulated else "body"
        return _told("robot", "green", f"{who}'s {kind} is well.")
    return _told("robot", "amber", f"{who}'s body is {body.health}{why}.", "Look at the robot.")


def _face(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    broken = [one for one in facts.cameras if not one.ok]
    if broken:
        return _sensor("face", "camera", broken[0])
    if facts.faces:
        seen = "somebody is" if facts.faces == 1 else f"{facts.faces} people are"
        return _told("face", "green", f"{seen[:1].upper()}{seen[1:]} seen.")
    if facts.cameras:
        advice = "Let somebody stand where the participant will be and look at the robot."
        return _told("face", "red", "The camera works, but no face is seen.", advice)
    if facts.people_simulated:
        return _told("face", "amber", "Nobody of the simulated people has come yet.")
    return _told("face", "grey", "The scenario has no camera.")


def _sensor(name: str, what: str, fact: SensorFact) -> PreflightCheck:
    why = f": {fact.problem}" if fact.problem else ""
    advice = f"Look at the {what} and its cable; `sera doctor` lists what is there."
    return _told(name, "red", f"The {what} of {fact.name} does not work{why}.", advice)


def _microphone(facts: Facts, wish: PreflightWish) -> PreflightCheck:
    broken = [one for one in facts.microphones if not one.ok]
    if broken:
        return _sensor("microphone", "microphone", broken[0])
    if not facts.microphones and not facts.levels_dbfs:
        return _told("microphone", "grey", "The scenario has no microphone.")
    if not facts.levels_dbfs:
        advice = "See that it is plugged in, chosen and not muted."
        return _told("microphone", "red", "The microphone tells no level.", advice)
    level = median(facts.levels_dbfs)
    if level < wish.loud_above_db:
        limit = f"{level:.0f} dBFS, below {wish.loud_above_db:g}"
        advice = "See that it is plugged in, chosen and not muted, and turn up its gain."
        return _told("microphone", "red", f"The microphone is dead ({limit}).", advice)
    if level > wish.quiet_below_db:
        limit = f"{level:.0f} dBFS, above {wish.quiet_below_db:g}"
        advice = "Turn down its gain, or find what makes the noise; nobody should speak meanwhile."
        return _told("microphone", "red", f"The room is too loud ({limit}).", advice)
    return _told("microphone", "green", f"The room is at {level:.0f} dBFS.")


def _voice(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    if not facts.voices:
        return _told("voice", "grey", "The scenario has no voice.")
    return _worst("voice", [_one_voice(voice) for voice in facts.voices])


def _one_voice(voice: VoiceFact) -> PreflightCheck:
    who, why = voice.character, f": {voice.problem}" if voice.problem else ""
    advice = f"Turn up {who}'s loudspeaker; look at the settings of its voice."
    failure = None
    if voice.heard is False:
        failure = f"The test line of {who} was not heard."
    elif voice.outcome is None:
        failure = f"{who} was asked for a test line and never finished."
    elif voice.outcome is not SpeechOutcome.COMPLETED:
        failure = f"The test line of {who} {voice.outcome}{why}."
    if failure is not None:
        return _told("voice", "red", failure, advice)
    if voice.heard:
        return _told("voice", "green", f"The test line of {who} was heard.")
    if voice.problem:
        colour: Colour = "amber" if voice.simulated else "red"
        return _told("voice", colour, f"The test line of {who} made no sound{why}.", advice)
    if voice.simulated:
        return _told("voice", "green", f"{who} has said the test line (in simulation).")
    sentence = f"{who} has said the test line; nobody has confirmed that it was heard."
    return _told("voice", "amber", sentence, "Answer the question in the terminal.")


def _screen(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    if facts.screens:
        return _told("screen", "green", _connected("page", facts.screens))
    if not facts.has_screen:
        return _told("screen", "grey", "The scenario has no page of its own.")
    advice = "Open the scenario's page on its screen, at the address that the run prints."
    return _told("screen", "red", "No page of the scenario is connected.", advice)


def _tablet(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    if facts.tablets:
        return _told("tablet", "green", _connected("tablet", facts.tablets))
    if not facts.has_forms:
        return _told("tablet", "grey", "The study has no forms.")
    advice = "Open the tablet's address, which the console's page Study shows; give --port, so that"
    advice += " it stays the same."
    return _told("tablet", "red", "No tablet is connected.", advice)


def _connected(what: str, count: int) -> str:
    return f"A {what} is connected." if count == 1 else f"{count} {what}s are connected."


def _disk(facts: Facts, wish: PreflightWish) -> PreflightCheck:
    free_gb = facts.free_bytes / GIGABYTE
    sentence = f"{free_gb:.1f} GB are free."
    advice = f"Free some space: the study wants {wish.free_disk_gb:g} GB (preflight.free_disk_gb)."
    if free_gb < wish.free_disk_gb:
        return _told("disk", "red", f"Only {sentence}", advice)
    if free_gb < 2 * wish.free_disk_gb:
        return _told("disk", "amber", f"Only {sentence}", advice)
    return _told("disk", "green", sentence)


def _clock(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    advice = "Set date and time of this machine, or let it follow a time server."
    if not EARLIEST_DATE_S <= facts.now_s < LATEST_DATE_S:
        return _told("clock", "red", "The date of this machine cannot be right.", advice)
    if facts.newest_session_s is not None and facts.now_s < facts.newest_session_s:
        return _told("clock", "red", "It is earlier than when the last session began.", advice)
    if facts.round_trip_s is None or facts.round_trip_s > TRIP_BAD_S:
        took = "no answer" if facts.round_trip_s is None else f"{facts.round_trip_s:.2f} s"
        sentence = f"A message to the recorder and back took too long ({took})."
        return _told("clock", "red", sentence, "Close other programs; look at the broker.")
    if abs(facts.drift_s) > DRIFT_SEEN_S:
        colour: Colour = "red" if abs(facts.drift_s) > DRIFT_BAD_S else "amber"
        sentence = f"The clock was set by {facts.drift_s:+.2f} s during the check."
        return _told("clock", colour, sentence, "Wait until it has found its time; check again.")
    if facts.round_trip_s > TRIP_SLOW_S:
        sentence = f"A message to the recorder and back took {facts.round_trip_s * 1000:.0f} ms."
        return _told("clock", "amber", sentence, "Close other programs.")
    trip_ms = facts.round_trip_s * 1000
    return _told("clock", "green", f"The clock is steady, a message takes {trip_ms:.0f} ms.")


def _stop(facts: Facts, _wish: PreflightWish) -> PreflightCheck:
    if not facts.bodies:
        return _told("stop", "grey", "The scenario has no body to stop.")
    return _worst("stop", [_one_stop(body) for body in facts.bodies])


def _one_stop(body: BodyFact) -> PreflightCheck:
    who, took_s = body.character, body.stopped_after_s
    if took_s is None:
        advice = "Do not begin: use the robot's own switch, and find out why."
        return _told("stop", "red", f"{who}'s body did not obey an emergency stop.", advice)
    if not body.released:
        advice = "Release the stop at the console, then check again."
        return _told("stop", "red", f"{who}'s body did not come back after the stop.", advice)
    if took_s > STOPS_WITHIN_S:
        return _told("stop", "amber", f"{who}'s body took {took_s:.1f} s to stop.", "Look at it.")
    return _told("stop", "green", f"{who}'s body stops and goes on.")
