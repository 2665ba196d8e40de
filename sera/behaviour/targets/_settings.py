"""How targets behave: figures that a scenario may change."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class TargetSettings(BaseModel):
    """Figures of people, random looks and rows of glances."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    person_raised_deg: float = Field(default=10.0, ge=-45, le=45)
    """How far above the given point a person is looked at."""
    person_distance_m: float = Field(default=1.5, gt=0)
    """How far away somebody is thought to be of whom only the direction is known."""
    random_amplitude_deg: float = Field(default=40.0, ge=0, le=90)
    """How far to either side a random look goes."""
    random_up_deg: float = Field(default=20.0, ge=0, le=90)
    """How far up a random look goes."""
    random_down_deg: float = Field(default=-10.0, ge=-90, le=0)
    """How far down a random look goes; elsewhere never goes down."""
    elsewhere_least_up_deg: float = Field(default=5.0, ge=0, le=90)
    """The least that a look elsewhere goes up."""
    row_amplitude_deg: float = Field(default=30.0, gt=0, le=90)
    """How far to either side a row of glances across the room goes."""
    map_down_deg: float = Field(default=-20.0, ge=-90, le=90)
    """Where the map is thought to be in a room without a screen."""
    map_screen: str = "main"
    """The screen that throughMap crosses; without it, the first of the room."""


class PeopleSettings(BaseModel):
    """Who is the person: figures against ping-pong, and for loss and return."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )

    slots: int = Field(default=4, ge=1, le=16)
    """How many people have a place of their own: person1, person2 …"""
    slot_kept_s: float = Field(default=30.0, ge=0)
    """How long the slot of somebody who is lost is kept for the return."""
    switch_margin: float = Field(default=0.25, ge=0)
    """By how much somebody else must be more interesting."""
    switch_after_s: float = Field(default=1.0, ge=0)
    """For how long without a break."""
    hold_s: float = Field(default=1.0, ge=0)
    """How long a person stays the person at least."""
    lost_patience_s: float = Field(default=1.0, ge=0)
    """How long the person stays the person after being lost, while others are there."""
    speaking_weight: float = Field(default=1.0, ge=0)
    """How interesting it is to speak."""
    attending_weight: float = Field(default=0.5, ge=0)
    """How interesting it is to look at the robot."""
    ahead_weight: float = Field(default=0.5, ge=0)
    """How interesting it is to be straight ahead; nothing of it counts beyond 90° aside."""
    remembered: int = Field(default=1000, ge=1)
    """How many people who are lost are remembered."""
