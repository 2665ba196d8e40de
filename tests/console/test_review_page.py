"""Review in a real browser: recordings, scrubbing, replay, causes, clips, the wizard's figures."""

from __future__ import annotations

import asyncio
import csv
import gzip
import io
import json
import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sera.messages import (
    Autonomy,
    AutonomyChanged,
    AutonomyMode,
    CancelUtterance,
    Channel,
    ConditionAssigned,
    Envelope,
    JointFrame,
    Message,
    OperatorDecided,
    PerformUtterance,
    PersonDetected,
    PersonMoved,
    PhaseStatus,
    Position,
    SessionMark,
    SessionPhase,
    SpeechFinished,
    SpeechStarted,
    Suggestion,
    SuggestionOutcome,
    SuggestionResolved,
    UtteranceStarted,
)
from sera.recording import LogHeader, LogWriter, RunFolder
from tests.helpers import until

pytestmark = pytest.mark.needs_program("chromium")

QUIET = """
[scenario]
title = "Quiet room"
[characters.ada]
robot = "adelino"
"""
STARTED_S = 1_800_000_000.0
SECRET = "secret_condition"


class Studio:
    """Makes recordings in the folder that the console looks into."""

    def __init__(self, base: Path) -> None:
        self.base = base

    def session(self, session: str, number: int, kind: str) -> Path:
        """Record a run of a session of a study, as `sera study run` keeps it."""
        base = self.base / "studies" / "stage" / "sessions" / session / "runs"
        return self.record(str(number), a_session(), base=base, session=session, kind=kind)

    def record(
        self,
        name: str,
        messages: Iterator[tuple[Any, ...]],
        *,
        end: bool = True,
        base: Path | None = None,
        **more: Any,
    ) -> Path:
        """Write messages as `(at_s, message, source, character, cause?)`; ids count from 1."""
        folder = RunFolder.create(
            name, scenario="stage", condition=SECRET, base=base or self.base, **more
        )
        now_s = STARTED_S
        header = LogHeader(run=name, scenario="stage", started=STARTED_S)
        writer = LogWriter(folder.log_path, header=header, clock_now=lambda: now_s)
        for number, (at_s, message, source, character, *cause) in enumerate(messages, start=1):
            now_s = STARTED_S + at_s
            led = cause[0] if cause else None
            envelope = Envelope(message, f"{source}-1-{number}", now_s, source, character, led)
            writer.write(envelope, now_s)
        if end:
            writer.close()
        else:
            writer.flush()
        return folder.log_path


@pytest.fixture
def studio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Studio:
    base = tmp_path / "runs"
    base.mkdir()
    monkeypatch.setenv("SERA_RUNS", str(base))
    return Studio(base)


def a_session() -> Iterator[tuple[Any, ...]]:
    """Forty seconds with a visitor, a wizard and a slip."""
    timed: list[tuple[float, Message, str, str]] = [
        (0.1, Autonomy(modes={Channel.SPEECH: AutonomyMode.SUGGEST}), "world.supervisor", "ada"),
        (0.2, _condition(), "world.study", "world"),
        (0.3, _phase("greeting", "started"), "world.study", "world"),
        (2.0, PersonDetected(person="person_1", position=_at(0.5)), "world.tracker", "world"),
        (20.0, _phase("greeting", "finished"), "world.study", "world"),
        (20.1, _phase("task", "started"), "world.study", "world"),
        (30.0, _turned(), "world.gateway", "ada"),
        (31.0, SessionMark(label="wizard_error", by="left"), "world.gateway", "world"),
    ]
    for frame in range(40 * 25):
        at_s = frame / 25
        joints = {"base": 0.6 * math.sin(at_s), "head_bend": 0.3 * math.sin(2 * at_s)}
        timed.append(
            (at_s + 0.001, JointFrame(joints_rad=joints, frame=frame), "ada.engine", "ada")
        )
        if frame % 5 == 0 and at_s > 2:
            moved = PersonMoved(person="person_1", position=_at(math.sin(at_s / 5)))
            timed.append((at_s + 0.002, moved, "world.tracker", "world"))
    timed.sort(key=lambda one: one[0])
    for number, one in enumerate(timed, start=1):
        yield one
        if number == 130:
            yield from _the_wizard(number)


def _the_wizard(number: int) -> Iterator[tuple[Any, ...]]:
    """A suggestion that is accepted, then an order of one's own that is taken back."""
    at_s = 4.5
    hello = PerformUtterance(text="Hello there")
    suggested = f"ada.mind-1-{number + 1}"
    yield (
        at_s,
        Suggestion(
            action_type="PerformUtterance",
            action={"text": "Hello there"},
            channel=Channel.SPEECH,
            reason="somebody came",
            lapses_after_s=5.0,
        ),
        "ada.mind",
        "ada",
        "world.tracker-1-54",
    )
    accepted = SuggestionResolved(
        suggestion=suggested, outcome=SuggestionOutcome.ACCEPTED, by="left"
    )
    yield (at_s + 1.25, accepted, "world.gateway", "ada", suggested)
    yield (at_s + 1.3, hello, "world.supervisor", "ada", f"world.gateway-1-{number + 2}")
    order = f"world.supervisor-1-{number + 3}"
    decided = _decided(accepted, f"world.gateway-1-{number + 2}", suggested, 1.25)
    yield (at_s + 1.31, decided, "world.gateway", "world")
    started = UtteranceStarted(utterance=order, text="Hello there")
    yield (at_s + 1.4, started, "ada.behaviour", "ada", order)
    begun = SpeechStarted(speech=order, text="Hello there", expected_duration_s=1.0)
    yield (at_s + 1.5, begun, "ada.speaker", "ada", order)
    yield (at_s + 2.6, SpeechFinished(speech=order, duration_s=1.1), "ada.speaker", "ada", order)
    slip = PerformUtterance(text="<b onclick=alert(1)>Wrong line</b>")
    yield (at_s + 3.0, slip, "world.gateway", "ada")
    slipped = f"world.gateway-1-{number + 8}"
    yield (at_s + 3.01, _decided(slip, slipped, None, 2.75), "world.gateway", "world")
    cancel = CancelUtterance(utterance=slipped)
    yield (at_s + 4.0, cancel, "world.gateway", "ada")
    decided = _decided(cancel, f"world.gateway-1-{number + 10}", None, None)
    yield (at_s + 4.01, decided, "world.gateway", "world")


def _decided(
    message: Message, action: str, suggestion: str | None, reaction_s: float | None
) -> OperatorDecided:
    return OperatorDecided(
        action=action,
        action_type=type(message).__name__,
        by="left",
        suggestion=suggestion,
        reaction_s=reaction_s,
    )


def _at(x_m: float) -> Position:
    return Position(x_m=x_m, y_m=1.6, z_m=1.5)


def _phase(phase: str, status: str) -> SessionPhase:
    return SessionPhase(session="s1", phase=phase, status=PhaseStatus(status), participant="P01")


def _turned() -> AutonomyChanged:
    return AutonomyChanged(channel=Channel.SPEECH, mode=AutonomyMode.WIZARD, by="left")


def _condition() -> ConditionAssigned:
    return ConditionAssigned(session="s1", participant="P01", condition=SECRET)


async def test_a_person_scrubs_plays_follows_causes_and_exports_a_clip(
    share_stage: Any, studio: Studio, picture: Any, no_barrier: Any
) -> None:
    await asyncio.to_thread(studio.record, "visit_1", a_session())
    cut = await asyncio.to_thread(studio.record, "visit_2", a_session(), end=False)
    cut.write_bytes(cut.read_bytes()[:-200])  # in the middle of a line
    (studio.base / "empty_1").mkdir()
    shutil.copy(studio.base / "visit_1" / "run.json", studio.base / "empty_1")
    stage = await share_stage(QUIET)
    page = await stage.open("review")
    await page.wait_for_selector(".recordings tbody tr")
    assert await page.locator(".recordings tbody tr").count() == 3
    await page.wait_for_selector(".chip:has-text('cut off')")
    await picture(page, "review-list.png")
    await no_barrier(page)
    await page.keyboard.press("/")
    await page.keyboard.type("visit_1")
    await until(lambda: _is(page.locator(".recordings tbody tr").count(), 1), "the search")
    await page.keyboard.press("Enter")

    lane = page.get_by_role("slider", name="Time in the recording")
    await lane.wait_for()
    assert await lane.get_attribute("aria-valuetext") == "0:00 of 0:39"
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    assert await lane.get_attribute("aria-valuenow") == "2.0"
    await page.wait_for_selector(".near tr.now:has-text('PersonDetected')")
    box = await lane.bounding_box()
    await page.mouse.click(box["x"] + box["width"] * 6.5 / 39.96, box["y"] + 5)
    await page.wait_for_selector(".caption:has-text('Hello there')")
    await page.wait_for_selector(".replay canvas")
    await page.keyboard.press("4")  # no key of this page: nothing happens
    await page.get_by_role("button", name="4 times as fast").click()
    await lane.focus()
    before = float(await lane.get_attribute("aria-valuenow"))
    await page.keyboard.press("Space")
    await until(lambda: _later(lane, before + 1.5), "the playing")
    await page.keyboard.press("Space")
    await page.wait_for_selector("button:has-text('Play')")

    await lane.press("Home")
    for _ in range(8):
        await page.keyboard.press("ArrowRight")
    await page.get_by_role("button", name="SpeechStarted").click()
    await page.wait_for_selector(".chain li[aria-current]:has-text('chosen')")
    steps = await page.locator(".chain li").all_inner_texts()
    assert [text.split()[1] for text in steps[:5]] == [
        "PersonDetected",
        "Suggestion",
        "SuggestionResolved",
        "PerformUtterance",
        "SpeechStarted",
    ]
    await page.wait_for_selector(".figure:has-text('corrections') strong:has-text('1')")
    assert "2 s" in await page.locator(".figure", has_text="median reaction").inner_text()
    await page.evaluate("scrollTo(0, 0)")
    await picture(page, "review-desktop.png")
    await page.get_by_role("button", name="Go to 0:31").click()
    assert await lane.get_attribute("aria-valuenow") == "31.0"
    await no_barrier(page)
    await page.keyboard.press("g")
    await page.keyboard.press("t")
    await page.keyboard.press("g")
    await page.keyboard.press("t")
    await until(lambda: page.evaluate("document.documentElement.dataset.theme == 'dark'"))
    await no_barrier(page)
    await page.evaluate("scrollTo(0, 0)")
    await picture(page, "review-dark.png")

    await lane.press("Home")
    for _ in range(4):
        await page.keyboard.press("ArrowRight")
    await page.keyboard.press("i")
    for _ in range(4):
        await page.keyboard.press("ArrowRight")
    await page.keyboard.press("o")
    async with page.expect_download() as coming:
        await page.keyboard.press("e")
    download = await coming.value
    assert download.suggested_filename == "visit_1_4-8s.csv"
    text = await asyncio.to_thread(Path(await download.path()).read_text, encoding="utf-8")
    table = list(csv.DictReader(io.StringIO(text)))
    assert all(STARTED_S + 4 <= float(row["received_s"]) <= STARTED_S + 8 for row in table)
    assert "PerformUtterance" in {row["type"] for row in table}
    await page.set_viewport_size({"width": 820, "height": 1180})
    await until(lambda: page.evaluate("document.body.scrollWidth <= innerWidth"), "the fit")
    await page.evaluate("scrollTo(0, 0)")
    await picture(page, "review-tablet.png")
    await page.keyboard.press("Escape")
    await page.wait_for_selector(".recordings")
    await page.get_by_text("visit_2").locator("xpath=..").locator("a").click()
    await page.wait_for_selector(".chip:has-text('1 damaged line left out')")


async def _is(awaitable: Any, value: Any) -> bool:
    return bool(await awaitable == value)


async def _later(lane: Any, time_s: float) -> bool:
    return float(await lane.get_attribute("aria-valuenow")) > time_s


async def test_no_name_leads_out_of_the_folder_and_no_answer_tells_the_condition(
    make_stage: Any, studio: Studio
) -> None:
    log = await asyncio.to_thread(studio.record, "visit_1", a_session())
    packed = RunFolder.create("packed_1", scenario="../../stage", base=studio.base).path
    with gzip.open(packed / "log.jsonl.gz", "wb") as file:
        file.write(log.read_bytes())
    with log.open("ab") as file:
        garbled = {"why": "no JSON", "payload": SECRET, "encoding": "utf-8", "bytes": 9}
        topic = "sera/r/world/ConditionAssigned/world.study"
        line = {"received": STARTED_S + 39, "topic": topic, "malformed": garbled}
        file.write(json.dumps(line).encode() + b"\n")
    stage = await make_stage(QUIET)
    async with stage.asking() as ask:
        listed = (await ask.get("recordings")).json()["recordings"]
        assert {one["id"] for one in listed} == {"visit_1", "packed_1"}
        for hostile in ("..%2f..%2fetc", "%2e%2e", "visit_1%2f..%2f..", "nobody", "a%00b", "x/y"):
            answer = await ask.get(f"recordings/{hostile}")
            assert answer.status_code == 404, hostile
            assert "recording" in answer.json()["why"]
        assert "nearest is visit_1" in (await ask.get("recordings/visit1")).json()["why"]
        for query in ("from_s=x", "from_s=nan", "from_s=5&to_s=3", "types=a/b"):
            answer = await ask.get(f"recordings/visit_1/clip.csv?{query}")
            assert answer.status_code == 400, query
            assert answer.json()["why"]
        answer = await ask.get("recordings/visit_1/trace?message=nobody-1-1")
        assert (answer.status_code, str(studio.base) in answer.text) == (404, False)
        assert "no message 'nobody-1-1' in the recording" in answer.json()["why"]
        parts = ("", "/wizard", "/motion?to_s=60", "/clip.csv", "/trace?message=world.study-1-7")
        for part in (*[f"visit_1{part}" for part in parts], "packed_1", "packed_1/clip.csv"):
            answer = await ask.get(f"recordings/{part}")
            assert answer.status_code == 200, answer.text
            assert SECRET not in answer.text, part
        frames = [
            json.loads(line)
            for line in (
                await ask.get("recordings/packed_1/motion?from_s=10&to_s=12&hz=5")
            ).text.splitlines()
        ]
        drawn = [one["at_s"] for one in frames if one["type"] == "JointFrame" and one["at_s"] >= 10]
        assert 9 <= len(drawn) <= 11
        rows = csv.DictReader(
            io.StringIO((await ask.get("recordings/visit_1/clip.csv?types=Speech*")).text)
        )
        assert [row["type"] for row in rows] == ["SpeechStarted", "SpeechFinished"]
        for role in ("participant", "activity", "nobody"):
            answer = await ask.get("recordings", headers={"sera-role": role})
            assert answer.status_code == 403
        study = Path(stage.run.scenario.path).with_name("study.toml")
        study.write_text('[study]\nreveal = ["condition"]\n', encoding="utf-8")
        assert SECRET in (await ask.get("recordings/visit_1/clip.csv")).text


PILOT = "p07_20240501T101500"


async def test_sessions_of_studies_are_listed_with_study_participant_and_kind_and_open(
    share_stage: Any, studio: Studio, no_barrier: Any, picture: Any
) -> None:
    await asyncio.to_thread(studio.record, "visit_1", a_session())
    await asyncio.to_thread(studio.session, PILOT, 1, "pilot")
    await asyncio.to_thread(studio.session, "p08_20240502T101500", 1, "study")
    stage = await share_stage(QUIET)
    page = await stage.open("review")
    await page.wait_for_selector(".recordings tbody tr")
    assert await page.locator(".recordings tbody tr").count() == 3
    await page.wait_for_selector("a:has-text('stage · participant p08 · study session')")
    assert SECRET not in await page.content()
    await picture(page, "review-sessions.png")
    await no_barrier(page)
    await page.keyboard.press("/")
    await page.keyboard.type("p07 pilot")
    await until(lambda: _is(page.locator(".recordings tbody tr").count(), 1), "the search")
    await page.keyboard.press("Enter")
    await page.get_by_role("slider", name="Time in the recording").wait_for()
    await page.wait_for_selector(f".review-head:has-text('stage:{PILOT}:1')")
    await page.wait_for_selector(".replay canvas")
    assert SECRET not in await page.content()
    async with page.expect_download() as coming:
        await page.keyboard.press("e")
    assert (await coming.value).suggested_filename == f"stage_{PILOT}_1_0-end.csv"


async def test_no_name_of_a_session_leads_out_and_its_condition_is_told_only_if_the_study_says_so(
    make_stage: Any, studio: Studio, tmp_path: Path
) -> None:
    log = await asyncio.to_thread(studio.session, PILOT, 1, "pilot")
    outside = tmp_path / "outside" / "1"
    shutil.copytree(log.parent, outside)
    (log.parent.with_name("2")).symlink_to(outside)
    linked = studio.base / "studies" / "stage" / "sessions" / PILOT / "runs" / "3"
    linked.mkdir()
    shutil.copy(log.with_name("run.json"), linked)
    (linked / "log.jsonl").symlink_to(outside / "log.jsonl")
    frozen = log.parents[2] / "inputs" / "scenarios" / "stage"
    frozen.mkdir(parents=True)
    then = QUIET.replace("Quiet room", "The room as it was")
    (frozen / "scenario.toml").write_text(then, encoding="utf-8")
    stage = await make_stage(QUIET)
    own = f"stage:{PILOT}:1"
    async with stage.asking() as ask:
        listed = await ask.get("recordings")
        assert [one["id"] for one in listed.json()["recordings"]] == [own]
        told = {"name": "stage", "participant": "p07", "kind": "pilot"}
        assert listed.json()["recordings"][0]["study"] == told
        assert SECRET not in listed.text
        for hostile in (
            f"stage:{PILOT}:2",
            f"stage:{PILOT}:3",
            f"stage:{PILOT}:..%2fruns%2f1",
            f"stage:..%2fsessions%2f{PILOT}:1",
            f"..%2fstudies%2fstage:{PILOT}:1",
            "..:..:..",
            f"stage:{PILOT}",
            f"stage:{PILOT}:1%00",
            "stage:simulated:latest:..%2f..%2f..%2fsessions",
        ):
            answer = await ask.get(f"recordings/{hostile}")
            assert answer.status_code == 404, hostile
            assert "recording" in answer.json()["why"]
        for part in ("", "/wizard", "/clip.csv", "/trace?message=world.study-1-7"):
            answer = await ask.get(f"recordings/{own}{part}")
            assert answer.status_code == 200, answer.text
            assert SECRET not in answer.text
        overview = (await ask.get(f"recordings/{own}")).json()
        assert overview["facts"]["title"] == "The room as it was"
        study = Path(stage.run.scenario.path).with_name("study.toml")
        study.write_text('[study]\nreveal = ["condition"]\n', encoding="utf-8")
        assert SECRET in (await ask.get(f"recordings/{own}/clip.csv")).text


async def test_a_recording_of_hours_is_overseen_while_the_gateway_goes_on_answering(
    share_stage: Any, studio: Studio
) -> None:
    def hours() -> Iterator[tuple[Any, ...]]:
        yield (0.0, PersonDetected(person="person_1"), "world.tracker", "world")

    log = await asyncio.to_thread(studio.record, "long_1", hours(), end=False)
    line = log.read_bytes().splitlines(keepends=True)[1]
    with log.open("ab") as file:
        for number in range(40_000):
            at = f"{STARTED_S + 0.3 * number:.1f}".encode()
            file.write(line.replace(f"{STARTED_S:.1f}".encode(), at, 1))
    stage = await share_stage(QUIET)
    async with stage.asking() as ask:
        reading = asyncio.create_task(ask.get("recordings/long_1"))
        meanwhile = 0
        while not reading.done():
            assert (await ask.get("facts")).status_code == 200
            meanwhile += not reading.done()
        overview = (await reading).json()
        assert meanwhile > 0
        assert overview["duration_s"] == pytest.approx(12_000, abs=1)
        assert len(overview["entries"]) <= 20_000
        assert overview["left_out"] + len(overview["entries"]) == overview["messages"] == 40_001
        motion = await ask.get("recordings/long_1/motion?from_s=11000&to_s=11010")
        times = [json.loads(text)["at_s"] for text in motion.text.splitlines()]
        assert min(times) >= 10_995
        assert max(times) <= 11_010
