"""The second stage of C-EBPS: postures from `examples.toml` in place of a solver."""

from __future__ import annotations

from pathlib import Path

from sera.animation.engine.example_stage import ExampleStage, load_examples


class AuthoredPostures(ExampleStage):
    """Example postures of this scenario."""

    def __init__(self, *, every: int = 1) -> None:
        super().__init__(load_examples(Path(__file__).parents[1] / "examples.toml"), every=every)
