"""`sera animation`: the trajectory helper, a look at a file, and conversions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sera.cli._errors import FAILED, CommandError, as_wrong_input
from sera.cli._options import JsonOption

if TYPE_CHECKING:
    from sera.animation.assets import Animation, Violation
    from sera.animation.channels import ChannelSpec
    from sera.runtime.located import FileProblem

app = typer.Typer(help="Animations: check, show, convert.", no_args_is_help=True)

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="An animation: .toml, .json, .csv or .bvh.")
]
RobotOption = Annotated[
    str | None, typer.Option("--robot", metavar="NAME", help="The robot that plays it.")
]
LimitsOption = Annotated[
    Path | None,
    typer.Option("--limits", metavar="FILE", help="A file with limits, in place of a robot."),
]
MapOption = Annotated[
    Path | None,
    typer.Option("--map", metavar="FILE", help="Which BVH joint moves which channel."),
]
AdditiveOption = Annotated[
    bool | None,
    typer.Option(
        "--additive/--absolute",
        help="What values of .csv and .bvh are: offsets to the posture (.csv) or poses (.bvh).",
    ),
]


@app.callback()
def _animation() -> None:
    """Animations: check, show, convert."""


@app.command()
def check(
    file: FileArgument,
    *,
    robot: RobotOption = None,
    limits: LimitsOption = None,
    rate_hz: Annotated[
        float, typer.Option("--rate", metavar="HZ", help="How often it is looked at, 50 to 1000.")
    ] = 50.0,
    ghost: Annotated[
        Path | None,
        typer.Option("--ghost", metavar="FILE", help="Write the copy that keeps all limits."),
    ] = None,
    figure: Annotated[
        Path | None,
        typer.Option("--figure", metavar="FILE", help="Draw the paths into a PNG file."),
    ] = None,
    mapping: MapOption = None,
    additive: AdditiveOption = None,
    as_json: JsonOption = False,
) -> None:
    """List where an animation breaks its robot's limits; exit code 1 where it does.

    An animation in robots/NAME/animations is checked for that robot unless another is named.
    """
    from sera.animation import assets
    from sera.cli._text import print_json

    specs = _specs(file, robot, limits)
    animation, warnings = _open(file, specs, mapping, additive)
    with as_wrong_input():
        violations = assets.check(animation, specs, rate_hz)
        limited = assets.ghost(animation, specs, rate_hz) if ghost or figure else None
        if figure is not None:
            assets.draw_check(animation, specs, figure, rate_hz=rate_hz, ghost=limited)
    if ghost is not None and limited is not None:
        _write(limited, ghost, rate_hz)
    if as_json:
        print_json(
            {
                "animation": animation.name,
                "violations": [_as_data(each) for each in violations],
                "warnings": [warning.as_dict() for warning in warnings],
                "written": [str(path) for path in (ghost, figure) if path is not None],
            }
        )
    else:
        _show_violations(animation, violations, specs, warnings)
        for path in (ghost, figure):
            if path is not None:
                print(path)
    if violations:
        raise typer.Exit(FAILED)


@app.command()
def show(
    file: FileArgument,
    *,
    robot: RobotOption = None,
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show what an animation moves, how far and how long."""
    from sera.animation.assets.units import written_factor, written_unit
    from sera.cli._text import print_json

    specs = None if robot is None else _specs(file, robot, None)
    animation, warnings = _open(file, specs, mapping, None)
    rows: list[dict[str, Any]] = []
    for channel in animation.channels:
        low, high = channel.curve.value_range()
        factor = written_factor(channel.unit)
        rows.append(
            {
                "channel": channel.name,
                "unit": written_unit(channel.unit),
                "keys": len(channel.curve.knots.times_s),
                "from_s": round(channel.curve.first_s, 3),
                "to_s": round(channel.curve.last_s, 3),
                "lowest": round(low * factor, 3),
                "highest": round(high * factor, 3),
            }
        )
    about = {
        "name": animation.name,
        "title": animation.title,
        "duration_s": animation.duration_s,
        "layer": animation.layer,
        "fade_s": animation.fade_s,
        "loop": animation.loop,
        "additive": animation.additive,
        "body_sets": list(animation.body_sets),
        "anchors": dict(animation.anchors),
    }
    if as_json:
        print_json({**about, "channels": rows})
        return
    _show_warnings(warnings)
    _show_about(animation)
    _show_rows(rows)


@app.command()
def convert(
    source: FileArgument,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help=".toml, .json, .csv, or .naoqi.json for angleInterpolation."
        ),
    ],
    *,
    rate_hz: Annotated[
        float | None,
        typer.Option("--rate", metavar="HZ", help="Resample; else keys stay (NAOqi: 25 Hz)."),
    ] = None,
    mapping: MapOption = None,
    additive: AdditiveOption = None,
) -> None:
    """Convert an animation from BVH or CSV, or to CSV or a NAOqi timeline."""
    animation, warnings = _open(source, None, mapping, additive)
    _show_warnings(warnings)
    _write(animation, target, rate_hz)
    print(target)


def _specs(file: Path, robot: str | None, limits: Path | None) -> dict[str, ChannelSpec]:
    """The channels to check against: of a limits file, a robot, or whose folder it is."""
    from sera.animation.assets import load_limits
    from sera.cli._robot import find_body

    if robot is not None and limits is not None:
        raise CommandError("give --robot or --limits, not both")
    if limits is not None:
        return load_limits(limits)
    if robot is not None:
        return find_body(robot).channels
    folder = file.resolve().parent
    if folder.name == "animations" and (folder.parent / "body.toml").is_file():
        from sera.animation.body import load_body

        return load_body(folder.parent).channels
    raise CommandError(
        "limits belong to a body: name one with --robot NAME, or a file with --limits FILE"
    )


def _open(
    file: Path,
    specs: dict[str, ChannelSpec] | None,
    mapping: Path | None,
    additive: bool | None,
) -> tuple[Animation, tuple[FileProblem, ...]]:
    from sera.animation import assets

    suffix = file.suffix.lower()
    if suffix == ".bvh":
        sources = None if mapping is None else assets.load_mapping(mapping)
        return assets.import_bvh(file, sources, additive=additive is True), ()
    if mapping is not None:
        raise CommandError("--map is for BVH files: other animations name their channels")
    if suffix == ".csv":
        return assets.import_csv(file, specs, additive=additive is not False), ()
    if suffix not in (".toml", ".json"):
        raise CommandError(f"{file} is no animation: .toml, .json, .csv and .bvh are")
    reading = assets.read_animation(file, specs)
    if reading.animation is None:
        raise assets.AnimationError(reading.problems)
    return reading.animation, reading.warnings


def _write(animation: Animation, target: Path, rate_hz: float | None) -> None:
    from sera.animation import assets
    from sera.animation.assets.exporters import NAOQI_RATE_HZ
    from sera.cli._text import note

    name = target.name.lower()
    with as_wrong_input():
        if name.endswith(".naoqi.json"):
            timeline = assets.naoqi_timeline(animation, rate_hz or NAOQI_RATE_HZ)
            target.write_text(timeline.to_json(), encoding="utf-8")
            if timeline.left_out:
                note(f"left out, because NAOqi cannot move it: {', '.join(timeline.left_out)}")
        elif name.endswith(".csv"):
            target.write_text(assets.animation_csv(animation, rate_hz), encoding="utf-8")
        elif name.endswith((".toml", ".json")):
            assets.save_animation(animation, target)
        else:
            raise CommandError(f"{target}: write to .toml, .json, .csv or .naoqi.json")


def _as_data(violation: Violation) -> dict[str, Any]:
    return {
        "channel": violation.channel,
        "kind": violation.kind.value,
        "from_s": violation.from_s,
        "to_s": violation.to_s,
        "peak": violation.peak,
        "limit": violation.limit,
    }


def _show_violations(
    animation: Animation,
    violations: list[Violation],
    specs: dict[str, ChannelSpec],
    warnings: tuple[FileProblem, ...],
) -> None:
    from rich.table import Table

    from sera.animation.assets.units import written_factor, written_unit
    from sera.cli._text import clean, standard_console

    _show_warnings(warnings)
    console = standard_console()
    name = clean(animation.name)
    if not violations:
        console.print(f"{name}: {animation.duration_s:g} s, within all limits", markup=False)
        return
    table = Table(box=None, pad_edge=False)
    for heading in ("channel", "limit broken", "from / s", "to / s", "peak", "limit", "unit"):
        left = heading in ("channel", "limit broken", "unit")
        table.add_column(heading, justify="left" if left else "right")
    per = {"velocity": "/s", "acceleration": "/s²", "jerk": "/s³"}
    for each in violations:
        unit = specs[each.channel].unit
        factor = written_factor(unit)
        table.add_row(
            clean(each.channel),
            each.kind.value,
            f"{each.from_s:.3f}",
            f"{each.to_s:.3f}",
            f"{each.peak * factor:.4g}",
            f"{each.limit * factor:.4g}",
            written_unit(unit) + per.get(each.kind.value, ""),
        )
    console.print(table)
    console.print(f"{name} breaks limits {len(violations)} times", markup=False)


def _show_about(animation: Animation) -> None:
    from sera.cli._text import clean, standard_console

    kind = "added to the posture" if animation.additive else "in place of the posture"
    loop = ", round and round" if animation.loop else ""
    layer = f", layer {animation.layer}" if animation.layer else ""
    line = f"{animation.title}: {animation.duration_s:g} s{loop}, {kind}{layer}"
    console = standard_console()
    console.print(clean(line), markup=False, highlight=False)
    for name, time_s in animation.anchors.items():
        console.print(clean(f"anchor {name} at {time_s:g} s"), markup=False, highlight=False)


def _show_rows(rows: list[dict[str, Any]]) -> None:
    from rich.table import Table

    from sera.cli._text import clean, standard_console

    table = Table(box=None, pad_edge=False)
    for heading, value in rows[0].items():
        table.add_column(heading, justify="left" if isinstance(value, str) else "right")
    for row in rows:
        table.add_row(*(clean(str(value)) for value in row.values()))
    standard_console().print(table)


def _show_warnings(warnings: tuple[FileProblem, ...]) -> None:
    from sera.cli._text import note

    for warning in warnings:
        note(str(warning))
