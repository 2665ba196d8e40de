"""Wrong scenario files: all that is wrong is found before the start, with line and nearest name."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = '[scenario]\ntitle = "Hello"\n'


def test_an_unknown_module_robot_and_setting_come_with_line_key_and_nearest_name(lab: Any) -> None:
    text = (
        f"{HEAD}\n"
        "[characters.ada]\n"
        'robot = "adelin"\n'
        "[characters.ada.modules.greter]\n"
        "[characters.ada.modules.greeter]\n"
        'categry = "x"\n'
        "[modules.door]\n"
        'module = "greeeter"\n'
    )
    assert lab.problems(text) == [
        (
            ":5: characters.ada.robot: unknown robot 'adelin'; did you mean 'adelino'? "
            "(`sera list robots` lists all)"
        ),
        (
            ":6: characters.ada.modules.greter: unknown module 'greter'; "
            "did you mean 'greeter'? (`sera list modules` lists all)"
        ),
        (
            ":8: characters.ada.modules.greeter.categry: unknown key 'categry'; "
            "did you mean 'category'? "
            "(known here: category, wait_s, style, module, process, enabled)"
        ),
        (
            ":10: modules.door.module: unknown module 'greeeter'; "
            "did you mean 'greeter'? (`sera list modules` lists all)"
        ),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [":1: scenario: this table is missing (add [scenario])"]),
        ("[scenario]\n", [":1: scenario.title: this key is missing (add it)"]),
        (
            f"{HEAD}duration = 3\n",
            [
                (
                    ":3: scenario.duration: unknown key 'duration'; "
                    "did you mean 'duration_s'? (known here: title, description, seed, duration_s)"
                )
            ],
        ),
        (
            f"{HEAD}duration_s = 0\nseed = 1.5\n",
            [
                (":3: scenario.duration_s: must be greater than 0, not 0 (it is in seconds)"),
                (
                    ":4: scenario.seed: must be a valid integer, got a number with a "
                    "fractional part, not 1.5"
                ),
            ],
        ),
        (
            f"{HEAD}[character.ada]\n",
            [
                (
                    ":3: character: unknown key 'character'; did you mean 'characters'? "
                    "(known here: scenario, characters, modules, people, space, activity, "
                    "conditions, broker, recording)"
                )
            ],
        ),
        (
            f"{HEAD}[characters.Ada]\n",
            [
                (
                    ":3: characters.Ada: character 'Ada': use lower-case letters, digits "
                    "and _ and begin with a letter, for example 'ada'"
                )
            ],
        ),
        (
            f"{HEAD}[characters.world]\n",
            [
                (
                    ":3: characters.world: 'world' stands for what belongs to nobody; "
                    "choose another name"
                )
            ],
        ),
        (
            f'{HEAD}[characters.ada.autonomy]\nspeech = "wizzard"\nspech = "wizard"\n',
            [
                (
                    ":4: characters.ada.autonomy.speech: must be 'autonomous', 'suggest' "
                    "or 'wizard', not 'wizzard'; did you mean 'wizard'?"
                ),
                (
                    ":5: characters.ada.autonomy.spech: must be 'decision', 'speech', "
                    "'gaze', 'gesture' or 'emotion', not 'spech'; did you mean 'speech'?"
                ),
            ],
        ),
        (
            f'{HEAD}[modules.greeter]\nprocess = "alone"\nwait_s = "2 s"\n',
            [
                ":4: modules.greeter.process: must be 'shared' or 'own', not 'alone'",
                (
                    ":5: modules.greeter.wait_s: must be a valid number, not '2 s' "
                    "(write the number of seconds alone, without quotes)"
                ),
            ],
        ),
        (
            f"{HEAD}[modules.needy]\n",
            [":3: modules.needy.port: this key is missing (add it)"],
        ),
        (
            f"{HEAD}[modules]\ngreeter = 3\n",
            [
                (
                    ":4: modules.greeter: must be a table, not 3 "
                    "(write [modules.greeter] and its keys below)"
                )
            ],
        ),
        (
            (
                f"{HEAD}[space.seats.left]\nposition_m = [0, 1]\n"
                '[people.visitor]\nseat = "lefft"\n[people.guest]\nseat = "left"\n'
                "position_m = [0, 1, 2]\n"
            ),
            [
                (
                    ":4: space.seats.left.position_m[2]: the list is too short, it lacks value 3 "
                    "(add it, in metres)"
                ),
                (
                    ":6: people.visitor.seat: there is no seat 'lefft' in [space.seats]; "
                    "did you mean 'left'?"
                ),
                ":9: people.guest.position_m: give a seat or a position, not both",
            ],
        ),
        (
            f"{HEAD}[people.ada]\n[characters.ada]\n",
            [
                (
                    ":3: people.ada: the name 'ada' is taken in [characters] "
                    "(the robot could not tell which one to look at; rename one)"
                )
            ],
        ),
        (
            f'{HEAD}[broker]\nurl = "mqtt://ada:secret@host"\n',
            [
                (
                    ":4: broker.url: the address holds a password, which would be shared "
                    "with the file; use password_env or password_file"
                )
            ],
        ),
        (
            f'{HEAD}[broker]\npassword_file = "p"\n',
            [(":3: broker: password_file needs a url; without one SERA starts its own broker")],
        ),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_key(
    lab: Any, text: str, expected: list[str]
) -> None:
    assert lab.problems(text) == expected


def test_a_broken_address_is_refused_with_the_right_form(lab: Any) -> None:
    (problem,) = lab.problems(f'{HEAD}[broker]\nurl = "http://host"\n')
    assert problem.startswith(":4: broker.url: broker address 'http://host' is not of")


def test_every_condition_is_checked_even_if_it_is_not_the_one_to_run(lab: Any) -> None:
    text = (
        f"{HEAD}[characters.ada.modules.greeter]\n"
        'category = "x"\n'
        "[conditions.one.characters.ada.modules.greeter]\n"
        'styl = "cool"\n'
        "[conditions.two.characters.ada]\n"
        'robot = "adelina"\n'
        "[conditions.three.modules.needy]\n"
        "[conditions.four]\n"
        "activty.rounds = 3\n"
        "[conditions.five.characters.ada.modules.greeter]\n"
        'module = "needy"\n'
        "port = '1'\n"
        "[conditions.six.conditions.x]\n"
    )
    one, two, three, four, five, six = sorted(lab.problems(text), key=lambda line: "in the" in line)
    five, six = six, five
    assert one.startswith(
        ":6: conditions.one.characters.ada.modules.greeter.styl: unknown key 'styl'; "
        "did you mean 'style'?"
    )
    assert two.startswith(
        ":8: conditions.two.characters.ada.robot: unknown robot 'adelina'; did you mean 'adelino'?"
    )
    assert three == (":9: conditions.three.modules.needy.port: this key is missing (add it)")
    assert four.startswith(
        ":11: conditions.four.activty: unknown key 'activty'; did you mean 'activity'?"
    )
    # What was right for one module is wrong for the one that the condition puts in its place.
    assert five.startswith(
        ":4: characters.ada.modules.greeter.category: unknown key 'category', "
        "in the condition 'five'"
    )
    assert six.startswith(":15: conditions.six.conditions: a condition cannot hold")


def test_a_module_that_cannot_be_loaded_is_a_problem_of_its_line(lab: Any) -> None:
    lab.write("modules/broken/__init__.py", "import sera\nimport no_such_library\n")
    lab.write("scenarios/hello/decision.py", "x = 1\n")
    text = f'{HEAD}[modules.broken]\n[modules.mind]\nmodule = "./decision.py"\n'
    broken, mind = lab.problems(f'{text}[modules.gone]\nmodule = "./decison.py"\n')[:2]
    assert broken.startswith(":3: modules.broken: module 'broken': cannot be imported")
    assert "no_such_library" in broken
    assert "__init__.py:2)" in broken
    assert mind.startswith(":5: modules.mind.module: module './decision.py': defines")


def test_a_setting_with_a_reserved_name_and_a_validator_that_raises_are_explained(lab: Any) -> None:
    code = "from sera import Module\nclass Odd(Module):\n    class Settings(Module.Settings):\n"
    lab.write("modules/odd/__init__.py", f"{code}        process: int = 1\n")
    code = (
        "from pydantic import field_validator\n"
        f"{code}        x: int = 1\n"
        "        @field_validator('x')\n"
        "        @classmethod\n"
        "        def check(cls, value):\n"
        "            raise KeyError('oops')\n"
    )
    lab.write("modules/raising/__init__.py", code)
    odd, raising = lab.problems(f"{HEAD}[modules.odd]\n[modules.raising]\nx = 2\n")
    assert "Odd has a setting 'process', a name that is reserved" in odd
    assert "the settings of Odd raised KeyError: 'oops'" in raising


def test_problems_of_the_robots_own_file_are_listed_with_that_file(lab: Any) -> None:
    lab.write("robots/mine/body.toml", "[robot]\n")
    (problem,) = lab.problems(f'{HEAD}[characters.ada]\nrobot = "mine"\n')
    assert problem == "body.toml:1: robot.title: this key is missing (add it)"


def test_a_file_that_is_not_toml_is_one_problem(lab: Any) -> None:
    (problem,) = lab.problems("[scenario]\ntitle = Hello\n")
    assert problem.startswith(":2:9: not valid TOML")
