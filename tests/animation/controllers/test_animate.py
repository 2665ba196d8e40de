"""Animate: started, stopped, looped, paused and sped up by wires; a bypass when nothing plays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sera.animation.controllers import Animate
from sera.messages import SetEmotion, SetPosture

DT_S = 0.02
CHANNEL = "Torso.Twist"


def wired(table: str = "") -> str:
    return f"""
[[layers]]
name = "below"
mode = "override"
[[layers.controllers]]
type = "WriteToChannel"
channel = "{CHANNEL}"
value = -30.0
[[layers]]
name = "one"
mode = "override"
[[layers.controllers]]
name = "player"
type = "Animate"
animation = "ramp"
start_stop = {{ message = "SetEmotion" }}
{table}
"""


BELOW = -0.5235987755982988


@pytest.fixture
def player(program_of, ramp_of):
    """A program whose player is triggered by SetEmotion, and a way to press."""

    def make(table: str = "", **more):
        given = {"ramp": ramp_of("ramp"), "other": ramp_of("other", 2.0), **more}
        program = program_of(wired(table), animations=given)
        engine = program.engine()
        ((_layer, animate),) = program.find(Animate)
        return program, engine, animate, lambda: program.receive(SetEmotion(name="joy"))

    return make


def test_nothing_plays_and_the_input_passes_until_the_trigger_comes(player, blended):
    _program, engine, animate, press = player()
    assert blended(engine, CHANNEL, 3) == pytest.approx([BELOW] * 3)
    assert animate.playing == ()
    press()
    assert blended(engine, CHANNEL, 4) == pytest.approx([DT_S * n for n in (1, 2, 3, 4)])
    assert animate.playing == ("ramp",)


def test_an_animation_ends_by_itself_and_the_next_trigger_starts_it_from_the_beginning(
    player, blended
):
    _program, engine, animate, press = player()
    press()
    values = blended(engine, CHANNEL, 60)
    assert values[49] == pytest.approx(1.0)
    assert values[50:] == pytest.approx([BELOW] * 10)
    assert [(end.completed, end.duration_s) for end in animate.ended] == [
        (True, pytest.approx(1.0))
    ]
    press()
    assert blended(engine, CHANNEL, 1) == pytest.approx([DT_S])


def test_the_second_trigger_stops_it(player, blended):
    _program, engine, animate, press = player()
    press()
    blended(engine, CHANNEL, 10)
    press()
    assert blended(engine, CHANNEL, 3) == pytest.approx([BELOW] * 3)
    assert animate.playing == ()
    assert [end.completed for end in animate.ended] == [False]
    press()
    assert blended(engine, CHANNEL, 1) == pytest.approx([DT_S])


def test_a_loop_goes_on_until_the_trigger_comes_again(player, blended):
    _program, engine, animate, press = player("loop = true")
    press()
    values = blended(engine, CHANNEL, 130)
    assert values[74] == pytest.approx(0.5)
    assert values[124] == pytest.approx(0.5)
    press()
    assert blended(engine, CHANNEL, 2) == pytest.approx([BELOW] * 2)
    assert animate.playing == ()


def test_a_loop_that_is_switched_off_ends_with_the_round_that_it_is_in(player, blended):
    _program, engine, animate, press = player("loop = true")
    press()
    blended(engine, CHANNEL, 75)
    animate.loop = False
    values = blended(engine, CHANNEL, 40)
    assert values[24] == pytest.approx(1.0)
    assert values[26:] == pytest.approx([BELOW] * 14)
    assert animate.ended[-1].completed


def test_a_pause_holds_the_frame_and_a_stop_still_fades_out(player, ramp_of, blended):
    _program, engine, animate, press = player(ramp=ramp_of("ramp", fade_s=0.1))
    press()
    (last,) = blended(engine, CHANNEL, 20)[-1:]
    animate.pause = True
    assert blended(engine, CHANNEL, 30) == pytest.approx([last] * 30)
    animate.pause = False
    assert blended(engine, CHANNEL, 1) == pytest.approx([last + DT_S])
    animate.pause = True
    press()
    values = blended(engine, CHANNEL, 6)
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(BELOW)
    assert animate.playing == ()


@pytest.mark.parametrize("speed", [0.5, 2.0, 0.0])
def test_the_clock_of_an_animation_runs_with_its_speed(player, blended, speed):
    _program, engine, _animate, press = player(f"speed = {speed}")
    press()
    assert blended(engine, CHANNEL, 10)[-1] == pytest.approx(speed * 10 * DT_S)


def test_an_animation_may_run_backwards_to_its_beginning(player, blended):
    _program, engine, animate, press = player()
    press()
    blended(engine, CHANNEL, 10)
    animate.speed = -1.0
    assert blended(engine, CHANNEL, 90)[-1] == pytest.approx(0.0)
    assert animate.playing == ("ramp",)


def test_a_trigger_that_stays_on_starts_it_once(program_of, ramp_of, blended):
    text = wired().replace('{ message = "SetEmotion" }', "true")
    engine = program_of(text, animations={"ramp": ramp_of("ramp")}).engine()
    values = blended(engine, CHANNEL, 120)
    assert values[0] == pytest.approx(DT_S)
    assert values[51:] == pytest.approx([BELOW] * 69)


def test_the_name_may_change_under_way_and_the_trigger_still_stops_what_it_started(player, blended):
    _program, engine, animate, press = player("loop = true")
    press()
    blended(engine, CHANNEL, 10)
    animate.animation = "other"
    assert blended(engine, CHANNEL, 1) == pytest.approx([11 * DT_S])
    press()
    blended(engine, CHANNEL, 2)
    assert animate.playing == ()
    press()
    blended(engine, CHANNEL, 1)
    assert animate.playing == ("other",)


def test_an_unknown_name_from_a_wire_plays_nothing_and_is_said_once(program_of, ramp_of):
    text = wired().replace('"ramp"', '{ message = "SetPosture", field = "posture" }')
    faults = []
    program = program_of(text, animations={"ramp": ramp_of("ramp")})
    engine = program.engine(on_fault=lambda *fault: faults.append(fault))
    ((_layer, animate),) = program.find(Animate)
    for name in ("", "rampe", "ramp"):
        if name:
            program.receive(SetPosture(posture=name))
        program.receive(SetEmotion(name="joy"))
        engine.step()
        engine.step()
    assert animate.refused == ["there is no animation 'rampe'; did you mean 'ramp'?"]
    assert animate.playing == ("ramp",)
    assert not faults


def test_two_that_take_over_a_channel_cross_without_giving_way(program_of, ramp_of, blended):
    """While the second fades in, what lies below is not seen."""
    still = {"low": ramp_of("low", 1e4, fade_s=0.2), "high": ramp_of("high", 1e4, fade_s=0.2)}
    program = program_of(wired().replace('"ramp"', '""'), animations=still)
    engine = program.engine()
    ((_layer, animate),) = program.find(Animate)
    animate.play("low")
    blended(engine, CHANNEL, 90)
    animate.play("high")
    assert max(abs(value) for value in blended(engine, CHANNEL, 90)) < 0.001
    animate.play("high")  # the same one anew: the old one leaves under it
    assert max(abs(value) for value in blended(engine, CHANNEL, 90)) < 0.001
    assert animate.playing == ("high",)


def test_what_hardly_moves_a_limb_adds_to_whoever_has_it(program_of, ramp_of, blended):
    one, two = ramp_of("one", additive=True), ramp_of("two", additive=True).scaled(0.05)
    both = {"one": one, "two": replace(two, name="two")}
    text = (
        wired().replace('"ramp"', '""').replace('name = "one"\nmode = "override"', 'name = "one"')
    )
    program = program_of(text, animations=both)
    engine = program.engine()
    ((_layer, animate),) = program.find(Animate)
    animate.play("one")
    animate.play("two", speed=2.0)
    assert blended(engine, CHANNEL, 10)[-1] == pytest.approx(BELOW + 0.2 + 0.02)


def test_a_newer_additive_animation_takes_the_limb_over(program_of, ramp_of, blended):
    both = {name: ramp_of(name, additive=True) for name in ("one", "two")}
    text = (
        wired().replace('"ramp"', '""').replace('name = "one"\nmode = "override"', 'name = "one"')
    )
    program = program_of(text, animations=both)
    engine = program.engine()
    ((_layer, animate),) = program.find(Animate)
    animate.play("one")
    animate.play("two", speed=2.0)
    blended(engine, CHANNEL, 90)
    assert ("one", False) in [(end.animation, end.completed) for end in animate.ended]


@pytest.mark.parametrize("speed", [1.0, 2.0])
def test_an_anchor_comes_at_its_time_whatever_the_speed(program_of, ramp_of, blended, speed):
    ramp = ramp_of("ramp", 1.0, anchors={"stroke": 0.5})
    program = program_of(wired(), animations={"ramp": ramp})
    engine = program.engine()
    ((_layer, animate),) = program.find(Animate)
    animate.play("ramp", anchors={"stroke": 0.8}, speed=speed)
    values = blended(engine, CHANNEL, 50)
    assert values[39] == pytest.approx(0.5)
    assert values[19] == pytest.approx(0.25)
    with pytest.raises(LookupError, match="no anchor 'strok'; did you mean 'stroke'"):
        animate.play("ramp", anchors={"strok": 0.8})
