"""The module that acts by a learned policy: it acts, suggests or is silent, by the dial."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sera.bus import Identity, MemoryBroker, MemoryBus
from sera.messages import (
    Autonomy,
    AutonomyMode,
    Channel,
    Envelope,
    SetPosture,
    SpeechActivity,
    SpeechHeard,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
)
from sera.runtime import Clock, ModuleContext
from sera.runtime._host import ModuleHost
from sera.runtime._loading import load_packaged_class
from sera.runtime.clock import run as run_with_clock
from sera.runtime.workspace import Workspace

ROOT = Path(__file__).parents[2]
HOT, COLD = ({"type": "SetPosture", "fields": {"posture": name}} for name in ("hot", "cold"))
POLICY: dict[str, Any] = {
    "sera_policy": 1,
    "acts_on": "SpeechHeard",
    "features": [
        {"type": "SpeechHeard", "field": "confidence", "kind": "number", "missing": -1.0},
        {"type": "SpeechActivity", "field": "speaking", "kind": "number", "missing": -1.0},
    ],
    "choices": [HOT, COLD, {}],
    "trees": [
        {
            "nodes": [
                {"feature": 1, "up_to": 0.5, "yes": 1, "no": 2},
                {"feature": 0, "up_to": 0.6, "yes": 3, "no": 4},
                {"counts": [0, 0, 5]},
                {"counts": [1, 3, 0]},
                {"counts": [9, 0, 0]},
            ]
        }
    ],
}


def _asking(**changes: Any) -> list[dict[str, Any]]:
    """The features of the policy, the first one changed."""
    first, *others = POLICY["features"]
    return [{**first, **changes}, *others]


def act(
    tmp_path: Path,
    script: Callable[[MemoryBus], Any],
    *,
    policy: dict[str, Any] | None = None,
    **settings: Any,
) -> list[Envelope]:
    """Run the module in virtual time while a script speaks on the bus; all that was said."""
    (tmp_path / "policy.json").write_text(json.dumps(POLICY if policy is None else policy))
    heard: list[Envelope] = []

    async def main() -> None:
        clock, broker = Clock(), MemoryBroker()

        def join(identity: Identity, will: Any = None, hears_everyone: Any = None) -> MemoryBus:
            return MemoryBus(
                identity, broker, now=clock.now, will=will, hears_everyone=hears_everyone
            )

        witness = join(Identity("run", "world", "witness"))
        await witness.connect()
        await witness.subscribe(None, heard.append, everyone=True)
        kind = load_packaged_class(Workspace.discover(ROOT), "learned_policy")
        context = ModuleContext(clock=clock, folder=tmp_path)
        host = ModuleHost(kind, Identity("run", "ada", "policy"), context, join, settings=settings)
        task = asyncio.create_task(host.run())
        ready = asyncio.create_task(host.started.wait())
        await asyncio.wait([task, ready], return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            ready.cancel()
            await task
        await script(witness)
        await asyncio.sleep(3.0)
        host.stop()
        await asyncio.wait([task], timeout=3)
        await witness.close()

    run_with_clock(main(), clock="virtual")
    return heard


def orders(heard: list[Envelope]) -> list[str]:
    return [e.message.posture for e in heard if isinstance(e.message, SetPosture)]


async def says(bus: MemoryBus, confidence: float, *, speaking: bool | None = None) -> str:
    if speaking is not None:
        bus.publish(SpeechActivity(speaking=speaking))
        await asyncio.sleep(0.05)
    said = bus.publish(SpeechHeard(text="hello", confidence=confidence))
    await asyncio.sleep(0.2)
    return said.id


def test_it_acts_as_the_tree_says_and_names_what_led_to_it(tmp_path: Path) -> None:
    causes: list[str] = []

    async def script(bus: MemoryBus) -> None:
        causes.append(await says(bus, 0.9))
        causes.append(await says(bus, 0.3))
        causes.append(await says(bus, 0.9, speaking=True))
        causes.append(await says(bus, 0.9, speaking=False))

    heard = act(tmp_path, script)
    assert orders(heard) == ["hot", "cold", "hot"]
    given = [e for e in heard if isinstance(e.message, SetPosture)]
    assert [e.cause for e in given] == [causes[0], causes[1], causes[3]]
    assert {e.character for e in given} == {"ada"}


def test_what_is_older_than_ten_seconds_is_no_longer_on_its_page(tmp_path: Path) -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(SpeechActivity(speaking=True))
        await asyncio.sleep(11.0)
        await says(bus, 0.9)

    assert orders(act(tmp_path, script)) == ["hot"]


def dial(mode: AutonomyMode) -> Autonomy:
    return Autonomy(modes={Channel.GESTURE: mode})


def test_with_the_dial_at_suggest_it_proposes_with_the_way_through_the_tree(
    tmp_path: Path,
) -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(dial(AutonomyMode.SUGGEST), character="ada")
        await asyncio.sleep(0.1)
        await says(bus, 0.9)

    heard = act(tmp_path, script)
    assert orders(heard) == []
    (proposal,) = [e.message for e in heard if isinstance(e.message, Suggestion)]
    assert (proposal.action_type, proposal.action["posture"]) == ("SetPosture", "hot")
    assert "SpeechHeard.confidence above 0.6" in (proposal.reason or "")
    assert "9 of 9 cases" in (proposal.reason or "")


def test_an_accepted_suggestion_is_done(tmp_path: Path) -> None:
    heard_ids: list[str] = []

    async def script(bus: MemoryBus) -> None:
        await bus.subscribe([Suggestion], lambda e: heard_ids.append(e.id), everyone=True)
        bus.publish(dial(AutonomyMode.SUGGEST), character="ada")
        await asyncio.sleep(0.1)
        await says(bus, 0.9)
        answer = SuggestionResolved(
            suggestion=heard_ids[0], outcome=SuggestionOutcome.ACCEPTED, by="wizard"
        )
        bus.publish(answer, character="ada")

    assert orders(act(tmp_path, script)) == ["hot"]


def test_with_the_dial_at_wizard_it_is_silent(tmp_path: Path) -> None:
    async def script(bus: MemoryBus) -> None:
        bus.publish(dial(AutonomyMode.WIZARD), character="ada")
        await asyncio.sleep(0.1)
        await says(bus, 0.9)

    heard = act(tmp_path, script)
    assert orders(heard) == []
    assert not [e for e in heard if isinstance(e.message, Suggestion)]


def test_it_may_be_told_to_act_only_where_it_is_sure_and_to_wait(tmp_path: Path) -> None:
    times: list[float] = []

    async def script(bus: MemoryBus) -> None:
        await says(bus, 0.3)  # 3 of 4
        times.append(bus.publish(SpeechHeard(text="hello", confidence=0.9)).time)

    heard = act(tmp_path, script, least_share=0.8, delay_s=1.5)
    assert orders(heard) == ["hot"]
    (given,) = [e for e in heard if isinstance(e.message, SetPosture)]
    assert given.time - times[0] == pytest.approx(1.5, abs=0.1)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"choices": [{"type": "EmergencyRelease"}, COLD, {}]}, "no order that a policy may give"),
        ({"choices": [{"type": "SpeechHeard"}, COLD, {}]}, "no order that a policy may give"),
        ({"choices": [{"type": "SetPostur"}, COLD, {}]}, "did you mean SetPosture"),
        ({"choices": [{"type": "SetPosture"}, COLD, {}]}, "posture"),
        ({"acts_on": "WordSpotte"}, "WordSpotte"),
        ({"acts_on": "JointFrame"}, "no perception"),
        ({"features": _asking(field="confidenc")}, "did you mean 'confidence'"),
        ({"features": _asking(field="confidence.much")}, "no such field"),
        ({"features": _asking(kind="count")}, "for a list, which it is not"),
        ({"features": _asking(kind="is", word="high")}, "for a word, which it is not"),
        (
            {"features": _asking(type="SpeechActivity", field="side", kind="is", word="up")},
            "which it never is",
        ),
    ],
)
def test_a_policy_that_does_not_fit_is_refused_before_anything_starts(
    tmp_path: Path, change: dict[str, Any], sentence: str
) -> None:
    from sera.study.policy import PolicyFileError

    async def script(_bus: MemoryBus) -> None:
        await asyncio.sleep(0.1)

    with pytest.raises(PolicyFileError) as caught:
        act(tmp_path, script, policy={**POLICY, **change})
    assert sentence in str(caught.value)
    assert "policy.json" in str(caught.value)
