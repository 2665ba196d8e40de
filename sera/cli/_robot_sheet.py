"""`sera robot sheet`: what a body can do, as one picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sera.cli._errors import CommandError


def sheet(
    name: Annotated[str, typer.Argument(metavar="NAME", help="As `sera list robots` has it.")],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The PNG file; NAME.png unless given."),
    ] = None,
    posture: Annotated[
        list[str] | None,
        typer.Option("--posture", help="Only this posture; may be given again. All unless given."),
    ] = None,
    animation: Annotated[
        list[str] | None,
        typer.Option("--animation", help="Only this animation; may be given again."),
    ] = None,
) -> None:
    """Draw a robot's postures and animations into a contact sheet."""
    from sera.animation.assets.repertoire import RepertoireError, load_repertoire, shared_folders
    from sera.animation.sheets import contact_sheet
    from sera.cli._robot import find_body
    from sera.runtime.workspace import Workspace

    body = find_body(name)
    path = Path(f"{name}.png") if out is None else out
    only_one_kind = bool(posture) != bool(animation)
    try:
        repertoire = load_repertoire(body, shared_folders(Workspace.discover().roots))
        contact_sheet(
            body,
            repertoire,
            path,
            postures=posture or ([] if only_one_kind else None),
            animations=animation or ([] if only_one_kind else None),
        )
    except RepertoireError as error:
        raise CommandError(str(error)) from None
    except LookupError as error:
        raise CommandError(str(error.args[0])) from None
    except ImportError:
        raise CommandError('drawing needs matplotlib: pip install "sera-hri[figures]"') from None
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from None
    print(path)
