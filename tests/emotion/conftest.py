"""Bodies with profiles, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from sera.animation.body import Body, load_body
from sera.emotion.profile import NullSpaceProfile, load_profile

ROBOTS = Path(__file__).parents[2] / "robots"


@cache
def body_of(robot: str) -> Body:
    return load_body(ROBOTS / robot)


@cache
def null_space_profile(robot: str) -> NullSpaceProfile:
    profile = load_profile(ROBOTS / robot, body_of(robot))
    assert isinstance(profile, NullSpaceProfile)
    return profile


@pytest.fixture
def pepper() -> NullSpaceProfile:
    return null_space_profile("pepper")
