"""What is wrong with the shapes of a body file."""

from __future__ import annotations

from collections.abc import Iterable

from sera.animation.body._file import BodyFile
from sera.animation.channels import ChannelSpec
from sera.runtime.located import FileProblem, LocatedToml, nearest_name


def shape_problems(
    document: LocatedToml, file: BodyFile, own: dict[str, ChannelSpec]
) -> list[FileProblem]:
    """Shapes on joints, lights or channels that do not exist, or with the wrong count of radii."""
    problems: list[FileProblem] = []

    def check(number: int, key: tuple[str, ...], name: str | None, known: Iterable[str]) -> None:
        names = list(known)
        if name and name not in names:
            message = f"there is no {key[-1]} '{name}' in this body"
            near = nearest_name(name, names)
            problems.append(document.problem(("shapes", number, *key), message, nearest=near))

    for number, shape in enumerate(file.shapes):
        # Joints of a URDF need not stand in the body file.
        if file.robot.urdf is None:
            check(number, ("joint",), shape.joint, [joint.name for joint in file.joints])
        check(number, ("glows",), shape.glows, own)
        if shape.slides is not None:
            check(number, ("slides", "channel"), shape.slides.channel, own)
        if isinstance(shape.radius_m, list) and len(shape.radius_m) != len(shape.points_m):
            message = f"{len(shape.radius_m)} radii for {len(shape.points_m)} points"
            fix = "give one for all, or one for each"
            problems.append(document.problem(("shapes", number, "radius_m"), message, fix=fix))
    return problems
