"""The root of all commands: errors become sentences, and the help shows the commands in groups.

The help is plain text: typer's own, drawn with rich, would take twice as long to appear.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

from sera.cli._errors import errors_as_sentences

_WHOLE_SENTENCE = 200
ORDER = (
    *(
        "run",
        "console",
        "demo",
        "module",
        "new",
        "list",
        "robot",
        "animation",
        "emotion",
        "utterances",
        "dialogue",
    ),
    *(
        "study",
        "space",
        "camera",
        "messages",
        "monitor",
        "send",
        "log",
        "replay",
        "gaze",
        "evaluate",
        "doctor",
    ),
)


class RootGroup(TyperGroup):
    """The group of all commands."""

    def invoke(self, ctx: Any) -> Any:
        with errors_as_sentences():
            return super().invoke(ctx)

    def list_commands(self, ctx: Any) -> list[str]:
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: (*ORDER, name).index(name))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write one section for each group of commands, in the order of their first members."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            if command is None or command.hidden:
                continue
            title = getattr(command, "rich_help_panel", None)
            group = title if isinstance(title, str) else "Commands"
            summary = command.get_short_help_str(limit=_WHOLE_SENTENCE)
            sections.setdefault(group, []).append((name, summary))
        for group, rows in sections.items():
            with formatter.section(group):
                formatter.write_dl(rows)


class _LateGroup(TyperGroup):
    """A group of commands: what it is made of is imported when somebody calls it."""

    home: str

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        from importlib import import_module

        import typer

        loaded = typer.main.get_command(import_module(self.home).app)
        assert isinstance(loaded, TyperGroup)
        for command in loaded.commands.values():
            command.rich_markup_mode = None  # type: ignore[attr-defined]  # one look for all
        self.commands = loaded.commands
        return super().make_context(*args, **kwargs)


class LogGroup(_LateGroup):
    """`sera log`."""

    home = "sera.cli._log"


class EvaluateGroup(_LateGroup):
    """`sera evaluate`."""

    home = "sera.cli._evaluate"


class AnimationGroup(_LateGroup):
    """`sera animation`."""

    home = "sera.cli._animation"


class EmotionGroup(_LateGroup):
    """`sera emotion`."""

    home = "sera.cli._emotion"


class StudyGroup(_LateGroup):
    """`sera study`."""

    home = "sera.cli._study"


class UtterancesGroup(_LateGroup):
    """`sera utterances`."""

    home = "sera.cli._utterances"


class DialogueGroup(_LateGroup):
    """`sera dialogue`."""

    home = "sera.cli._dialogue"


class SpaceGroup(_LateGroup):
    """`sera space`."""

    home = "sera.cli._space"


class CameraGroup(_LateGroup):
    """`sera camera`."""

    home = "sera.cli._camera"


class GazeGroup(_LateGroup):
    """`sera gaze`."""

    home = "sera.cli._gaze"
