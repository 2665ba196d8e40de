"""Layers and levels of a program file."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sera.animation.program import ProgramError


def layer(name: str, degrees: float = 10.0, *lines: str, channel: str = "Torso.Twist") -> str:
    written = ['type = "WriteToChannel"', f'channel = "{channel}"', f"value = {degrees}"]
    head = ["[[layers]]", f'name = "{name}"', *lines]
    return "\n".join([*head, "[[layers.controllers]]", *written, ""])


def refusal(program_of, text: str, robot: str = "keepon") -> str:
    with pytest.raises(ProgramError) as caught:
        program_of(text, robot)
    assert all(problem.line for problem in caught.value.problems)
    return str(caught.value)


@pytest.mark.parametrize(
    ("upper", "expected_deg"),
    [
        ((), 20.0 + 10.0),
        (("weight = 0.5",), 20.0 + 5.0),
        (('mode = "override"',), 10.0),
        (('mode = "override"', "weight = 0.25"), 17.5),
        (("active = false",), 20.0),
        (('only = ["Gazing", "Torso.Lean"]',), 20.0),
        (('only = ["Arms", "Torso"]',), 30.0),
        (('inside = "below"',), 30.0),
    ],
)
def test_a_layer_adds_or_overrides_by_its_weight_and_mask(program_of, blended, upper, expected_deg):
    program = program_of(layer("below", 20.0) + layer("above", 10.0, *upper))
    (value,) = blended(program.engine(), "Torso.Twist", 1)
    assert math.degrees(value) == pytest.approx(expected_deg)


def test_a_layer_inside_another_counts_as_a_part_of_it(program_of, blended):
    text = '[[layers]]\nname = "life"\nweight = 0.5\n' + layer("a", 20.0, 'inside = "life"')
    program = program_of(text + layer("b", 8.0, 'inside = "a"', "weight = 0.5"))
    engine = program.engine()
    (value,) = blended(engine, "Torso.Twist", 1)
    assert math.degrees(value) == pytest.approx(0.5 * 20.0 + 0.25 * 8.0)
    engine.layer("life").set(active=False, fade_s=0.0)
    assert blended(engine, "Torso.Twist", 1) == [0.0]


def test_a_layer_fades_in_and_out_without_a_jump(program_of, blended):
    program = program_of(layer("one", 40.0, "fade_s = 0.5", "active = false"))
    engine = program.engine()
    assert blended(engine, "Torso.Twist", 3) == [0.0] * 3
    engine.layer("one").set(active=True)
    rising = np.degrees(blended(engine, "Torso.Twist", 30))
    engine.layer("one").set(active=False)
    falling = np.degrees(blended(engine, "Torso.Twist", 30))
    assert np.abs(np.diff(rising)).max() < 1.9 * 40.0 * 0.02 / 0.5
    assert (rising[-1], falling[-1]) == (pytest.approx(40.0), pytest.approx(0.0))
    assert np.all(np.diff(rising) >= 0.0)
    assert np.all(np.diff(falling) <= 0.0)


def test_sets_and_channels_that_a_body_lacks_do_no_harm_and_misspelt_ones_are_refused(program_of):
    program_of(layer("one", 1.0, 'only = ["Arms", "Eyes.LeftLid", "Body", "Body.pan"]'))
    said = refusal(program_of, layer("one", 1.0, 'only = ["Torso", "Gazingg"]'))
    assert "layers[0].only[1]: there is no channel or body set 'Gazingg'" in said
    assert "did you mean 'Gazing'?" in said
    assert "'Arms.LeftRaise'" in refusal(program_of, layer("one", 1.0, 'only = ["Arms.LeftRais"]'))
    assert "'Body.pan'" in refusal(program_of, layer("one", 1.0, 'only = ["Body.pann"]'))


def test_two_layers_of_one_name_and_wrong_places_inside_are_refused(program_of):
    assert "another layer is called 'one'" in refusal(program_of, layer("one") + layer("one"))
    later = layer("one", 1.0, 'inside = "two"') + layer("two")
    assert "a layer stands before those inside it" in refusal(program_of, later)
    wrong = layer("life") + layer("two", 1.0, 'inside = "lief"')
    assert "no layer 'lief' above this one in the file; did you mean 'life'?" in refusal(
        program_of, wrong
    )
    itself = layer("one", 1.0, 'inside = "one"')
    assert "there is no layer 'one' above" in refusal(program_of, itself)


def test_what_changes_the_layers_below_has_to_override(program_of):
    for mode in ("", 'mode = "add"\n'):
        text = (
            f'[[layers]]\nname = "one"\n{mode}[[layers.controllers]]\n'
            'type = "Spring"\nchannels = ["Torso.Lean"]\n'
        )
        said = refusal(program_of, text)
        assert "'spring' changes what the layers below made" in said
        assert 'mode = "override"' in said


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("weight = 1.5", "weight"),
        ("weight = -0.1", "weight"),
        ("fade_s = -1", "fade_s"),
        ('mode = "ad"', "mode"),
        ("wieght = 1", "did you mean 'weight'"),
    ],
)
def test_numbers_and_words_of_a_layer_are_checked(program_of, line, named):
    assert named in refusal(program_of, layer("one", 1.0, line))


CHAIN = '[[layers.controllers]]\ntype = "Wave"\n'


@pytest.mark.parametrize(
    ("text", "robot", "needed", "what"),
    [
        (layer("one"), "keepon", 0, ""),
        (layer("one") + CHAIN, "keepon", 1, "a chain of controllers"),
        ('[[signals]]\ntype = "Wave"\n' + layer("one"), "keepon", 1, "a chain of controllers"),
        (layer("one") + layer("two"), "keepon", 2, "layers"),
        (layer("one"), "adelino", 3, "a second stage"),
        ("[[second_stage]]\n" + layer("one"), "keepon", 3, "a second stage"),
    ],
)
def test_a_level_has_room_for_what_the_file_holds(program_of, text, robot, needed, what):
    assert program_of(text, robot).level == needed
    for level in range(4):
        given = f"[program]\nlevel = {level}\n" + text
        if level >= needed:
            assert program_of(given, robot).level == level
        else:
            said = refusal(program_of, given, robot)
            assert f"level {level} has no room for {what}" in said
            assert f"write level = {needed}" in said


def test_a_body_with_chains_does_without_its_second_stage_when_told_so(program_of):
    program = program_of("second_stage = []\n[program]\nlevel = 0\n" + layer("one"), "adelino")
    assert program.stages == ()
    assert program.engine().stages == ()


def test_a_second_stage_that_there_is_not_is_refused(program_of):
    assert "did you mean 'erik'?" in refusal(program_of, '[[second_stage]]\ntype = "eric"\n')
    said = refusal(program_of, '[[second_stage]]\ntype = "erik"\nsettings = { depth = 2 }\n')
    assert "has no settings, not depth" in said
    assert "every" in refusal(program_of, "[[second_stage]]\nevery = 0\n")


def test_filter_and_output_settings_arrive(program_of):
    program = program_of(
        "[filter]\nsmoothness = 0.5\novershoot = 0.1\neased = true\n"
        "[output]\nrate_hz = 25\nrepeat_unchanged = false\n"
    )
    assert (program.character.smoothness, program.character.overshoot) == (0.5, 0.1)
    assert program.character.eased
    assert (program.output_rate_hz, program.repeat_unchanged) == (25.0, False)
    assert program_of("").output_rate_hz == program.body.rate_hz
