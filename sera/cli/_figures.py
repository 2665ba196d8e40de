"""Pictures that commands write: which format a name means, and what is said where it fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Literal, cast

from sera.cli._errors import CommandError

Picture = Literal["svg", "png"]


def picture_format(output: Path) -> Picture:
    """The format that the name of a file asks for; checked before anything is computed.

    Raises:
        CommandError: it is neither .svg nor .png, or its folder is missing.
    """
    ending = output.suffix.lower().removeprefix(".")
    if ending not in ("svg", "png"):
        raise CommandError(f"{output}: a picture ends in .svg or .png")
    if not output.absolute().parent.is_dir():
        raise CommandError(f"{output}: there is no folder {output.absolute().parent}")
    return cast(Picture, ending)


def write_figure(output: Path, draw: Callable[[], bytes]) -> None:
    """Draw and write a picture.

    Raises:
        CommandError: matplotlib is missing, or there is nothing to draw.
    """
    try:
        content = draw()
    except ImportError:
        fix = 'pip install "sera-hri[figures]"'
        raise CommandError(f"drawing needs matplotlib: {fix}") from None
    except ValueError as error:
        raise CommandError(str(error)) from None
    output.write_bytes(content)
