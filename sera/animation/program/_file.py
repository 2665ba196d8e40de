"""The tables of a program file, as pydantic models: shapes and numbers, not yet what they do.

Controllers stay raw tables here: what keys they have is known by their type alone.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
LayerName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][\w-]*$")]


class Table(BaseModel):
    """Every table refuses keys that it does not know."""

    # Docstrings of keys are for who reads this file: having pydantic find them delays every start.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class AboutTable(Table):
    """[program]: what it is."""

    title: Text = "Animation program"
    level: Literal[0, 1, 2, 3] | None = None
    """How much of the engine it needs: 0 one controller, 1 one chain, 2 layers, 3 a second stage;
    found from what stands in the file unless given."""


class FilterTable(Table):
    """[filter]: the character of the motion filter at the end."""

    smoothness: float = Field(default=0.0, ge=0, le=1)
    responsiveness: float = Field(default=0.0, ge=0, lt=1)
    edge: float = Field(default=1000.0, gt=0)
    overshoot: float = Field(default=0.0, ge=0, le=1)
    limiter: Literal["hard", "tanh"] = "hard"
    eased: bool = False


class StageTable(Table):
    """[[second_stage]]: a step over the whole body, in the order of the file."""

    type: Text = "erik"
    every: int = Field(default=1, ge=1, le=10)
    """Run it in every n-th frame only."""
    settings: dict[str, Any] = {}
    """What a stage of a plug-in wants to know."""


class OutputTable(Table):
    """[output]: what goes to the body."""

    rate_hz: float | None = Field(default=None, ge=10, le=200)
    """At most so many frames a second; what the body wants unless given."""
    repeat_unchanged: bool = True
    """False leaves out values that have not changed since they were last sent."""


class LayerTable(Table):
    """[[layers]]: a chain of controllers, bottom first."""

    name: LayerName
    mode: Literal["add", "override"] = "add"
    weight: float = Field(default=1.0, ge=0, le=1)
    active: bool = True
    fade_s: float = Field(default=0.3, ge=0, le=60)
    only: list[str] | None = None
    """Channels or body sets that it may touch; all unless given."""
    inside: str | None = None
    """Another layer: this one counts as a part of it."""
    controllers: list[dict[str, Any]] = []


class ProgramFile(Table):
    """The whole of `program.toml`."""

    program: AboutTable = AboutTable()
    filter: FilterTable = FilterTable()
    second_stage: list[StageTable] | None = None
    output: OutputTable = OutputTable()
    signals: list[dict[str, Any]] = []
    layers: list[LayerTable] = []
