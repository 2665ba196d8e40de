"""Reads a body file into a `Body`, or says everything that is wrong with it."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

from pydantic import ValidationError

from sera.animation.body._chains import aimed_channels, chains_of, end_point_problems, further
from sera.animation.body._channels import own_channels, rest_values
from sera.animation.body._file import BodyFile, EnslavingTable
from sera.animation.body._shape_check import shape_problems
from sera.animation.body.body import Body, Health
from sera.animation.body.enslaving import Curve, Rule, Share, Weights
from sera.animation.body.sets import GENERIC
from sera.animation.channels import ChannelSpec, Kind, Unit
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name


class BodyError(FileProblems):
    """A body file that cannot be used, with everything that is wrong in it."""

    what = "body file"


def load_body(folder: Path) -> Body:
    """The body in `folder`.

    Raises:
        BodyError: with every problem of its file, by line.
    """
    document, file = read_file(folder)
    own, problems = own_channels(document, file)
    rules: dict[str, Rule] = {}
    for number, table in enumerate(file.enslaving):
        rule, found = _rule(document, number, table, own)
        problems += found
        if rule is not None and table.channel in rules:
            message = f"'{table.channel}' has a rule already; give each channel one"
            problems.append(document.problem(("enslaving", number, "channel"), message))
        elif rule is not None:
            rules[table.channel] = rule
    problems += end_point_problems(document, file) + shape_problems(document, file, own)
    chains, found = chains_of(document, file)
    problems += found
    rest, found = rest_values(document, file, own)
    problems += found
    if problems:
        raise BodyError(sorted(problems, key=lambda problem: problem.line or 0))
    channels = {spec.name: spec for spec in own.values()}
    channels |= {name: _generic(name, rule, own) for name, rule in rules.items()}
    for chain in chains:
        aimed = aimed_channels(chain, file, own, folder)
        for name, spec in aimed.items():
            channels[name] = further(spec, channels.get(name), chain)
    return Body(
        name=folder.name,
        folder=folder,
        title=file.robot.title,
        description=file.robot.description,
        stop=file.robot.stop,
        rate_hz=file.robot.rate_hz,
        channels=channels,
        joints=tuple(joint.name for joint in file.joints),
        rules=rules,
        chains=chains,
        rest=rest,
        lag_s={joint.name: joint.lag_s for joint in file.joints},
        health=Health(**file.health.model_dump()),
        connection=dict(file.connection),
    )


def read_file(folder: Path) -> tuple[LocatedToml, BodyFile]:
    """The tables of a body file, checked one by one."""
    try:
        document = LocatedToml.load(folder / "body.toml")
    except FileProblem as problem:
        raise BodyError([problem]) from None
    try:
        return document, BodyFile.model_validate(document.data)
    except ValidationError as error:
        raise BodyError(problems_of(error, document, BodyFile, document.data)) from None


def _rule(
    document: LocatedToml, number: int, table: EnslavingTable, own: dict[str, ChannelSpec]
) -> tuple[Rule | None, list[FileProblem]]:
    place = ("enslaving", number)
    if table.channel not in GENERIC:
        near = nearest_name(table.channel, GENERIC)
        message = f"there is no generic channel '{table.channel}'"
        return None, [document.problem((*place, "channel"), message, nearest=near)]
    problems = [
        document.problem(
            (*place, "to", name),
            f"this body has no joint, light or channel '{name}'",
            nearest=nearest_name(name, own),
        )
        for name in table.to
        if name not in own
    ]
    if not table.to:
        problems.append(document.problem((*place, "to"), "nothing is enslaved", fix="name a joint"))
    numbers = {name: part for name, part in table.to.items() if isinstance(part, float)}
    if table.method == "curve":
        return _curve(document, number, table, own, problems)
    for name, part in table.to.items():
        if not isinstance(part, float) or part == 0.0:
            message = f"method '{table.method}' takes one number that is not nought"
            problems.append(document.problem((*place, "to", name), message))
    if problems:
        return None, problems
    if table.method == "weights":
        return Weights(table.channel, numbers), []
    return Share(table.channel, numbers), []


def _curve(
    document: LocatedToml,
    number: int,
    table: EnslavingTable,
    own: dict[str, ChannelSpec],
    problems: list[FileProblem],
) -> tuple[Rule | None, list[FileProblem]]:
    curves = {}
    scale_x = _to_inside(GENERIC[table.channel].unit)
    for name, part in table.to.items():
        steps = part if isinstance(part, list) else []
        if len(steps) < 2 or any(b[0] <= a[0] for a, b in pairwise(steps)):
            message = "a curve takes two or more points [value, own value] with rising values"
            problems.append(document.problem(("enslaving", number, "to", name), message))
        elif name in own:
            scale_y = _to_inside(own[name].unit)
            curves[name] = tuple((x * scale_x, y * scale_y) for x, y in steps)
    return (None, problems) if problems else (Curve(table.channel, curves), [])


def _to_inside(unit: Unit) -> float:
    return math.radians(1.0) if unit is Unit.RADIAN else 1.0


def _generic(name: str, rule: Rule, own: dict[str, ChannelSpec]) -> ChannelSpec:
    """A generic channel with the range and the speed that its own channels allow."""
    meaning = GENERIC[name]
    lower, upper = rule.reach(own)
    targets = [own[target] for target in rule.distribute(0.0, own)]
    return ChannelSpec(
        name=name,
        kind=meaning.kind,
        unit=meaning.unit,
        lower=lower,
        upper=upper,
        neutral=min(max(_at_rest(meaning.kind, rule, own), lower), upper),
        max_velocity=min(spec.max_velocity for spec in targets),
        max_acceleration=min(spec.max_acceleration for spec in targets),
        max_jerk=min(spec.max_jerk for spec in targets),
    )


def _at_rest(kind: Kind, rule: Rule, own: dict[str, ChannelSpec]) -> float:
    """Nought, except for a light: it rests where its curve meets its own brightness at rest."""
    if kind is Kind.DISPLAY and isinstance(rule, Curve):
        return rule.value_at_rest(own)
    return 0.0
