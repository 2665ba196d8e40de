"""The schema of `scenario.toml`: which tables and keys there are, and what they mean.

Units and frames: Y up, right-handed, metres; somebody who faces forward looks along +Z. Angles are
in degrees: yaw turns about Y, pitch about X, roll about Z.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

from sera.messages import WORLD, AutonomyMode, Channel, check_name

if TYPE_CHECKING:
    from sera.bus import BrokerAddress

RESERVED_KEYS = ("module", "process", "enabled")
"""Keys of a module's table that are not settings of the module."""


def _named(what: str) -> Callable[[str], str]:
    def check(name: str) -> str:
        if name == WORLD:
            raise ValueError(f"'{WORLD}' stands for what belongs to nobody; choose another name")
        return check_name(name, what)

    return check


_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_CharacterName = Annotated[str, AfterValidator(_named("character"))]
_ModuleName = Annotated[str, AfterValidator(_named("module"))]
_PersonName = Annotated[str, AfterValidator(_named("person"))]
_ThingName = Annotated[str, AfterValidator(_named("name"))]
_ConditionName = Annotated[str, AfterValidator(_named("condition"))]
_Vector = tuple[float, float, float]
_Length = Annotated[float, Field(gt=0)]


class _Table(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, use_attribute_docstrings=True
    )


class Pose(_Table):
    """Where something is and how it is turned."""

    position_m: _Vector = (0.0, 0.0, 0.0)
    """x (to the left of somebody who faces forward), y (up), z (forward)."""
    yaw_deg: float = 0.0
    pitch_deg: float = 0.0
    roll_deg: float = 0.0


class About(_Table):
    """`[scenario]`: what it is."""

    title: _Text
    description: str = ""
    seed: int = Field(default=0, ge=0)
    """The same seed makes the same choices; `--seed` on the command line replaces it."""
    duration_s: float | None = Field(default=None, gt=0)
    """When the run ends by itself; without it, when a module ends it or somebody stops it."""


class ModuleEntry(_Table):
    """`[characters.NAME.modules.NAME]` or `[modules.NAME]`: one module and its settings."""

    module: _Text | None = None
    """Which module it is, where that is not its name: another name of `modules/`, or a file
    beside the scenario, `./decision.py` or `./decision.py:ClassName`."""
    process: Literal["shared", "own"] = "shared"
    """Whether it runs in the common process or in one of its own."""
    enabled: bool = True
    """False leaves it out, which is how a condition takes a module away."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Everything else in the table, as it stands in the file."""

    @model_validator(mode="before")
    @classmethod
    def _gather_settings(cls, table: Any) -> Any:
        if not isinstance(table, dict):
            return table
        reserved = {key: table[key] for key in RESERVED_KEYS if key in table}
        return {**reserved, "settings": settings_of(table)}


class Character(Pose):
    """`[characters.NAME]`: the modules that act as one robot; without a robot a mock-up."""

    robot: _Text | None = None
    """A name of `robots/`."""
    stands_at_m: dict[_Text, float] = Field(default_factory=dict)
    """How high the frame of another robot is that is cast here (`--robot ada=keepon`), by its name:
    a small one stands on a table. It takes the place of the position's second number."""
    voice: _Text | None = None
    language: _Text | None = None
    """Language tag such as `en` or `pt-PT`."""
    autonomy: dict[Channel, AutonomyMode] = Field(default_factory=dict)
    """How free its decision modules are at the start, by channel."""
    modules: dict[_ModuleName, ModuleEntry] = Field(default_factory=dict)


class Person(_Table):
    """`[people.NAME]`: somebody who is expected; the name is a role, never a real name."""

    seat: _Text | None = None
    """Where the person sits: a name of `[space.seats]`. Takes the place of a position."""
    position_m: _Vector | None = None
    yaw_deg: float = 0.0
    height_m: _Length = 1.7
    description: str = ""


class Screen(Pose):
    """`[space.screens.NAME]`: a screen; the pose is that of its centre, facing +Z."""

    width_m: _Length
    height_m: _Length
    pixels: tuple[Annotated[int, Field(gt=0)], Annotated[int, Field(gt=0)]] = (1920, 1080)
    """Width and height."""


class Seat(Pose):
    """`[space.seats.NAME]`: where somebody can sit; the pose is that of the head."""

    marker: _Text | None = None
    """Id of the printed marker on it, as MarkerSeen gives it."""


class Camera(Pose):
    """`[space.cameras.NAME]`: a camera; at yaw 0 it looks along +Z, as the robot does."""

    fov_deg: float = Field(default=60.0, gt=5, lt=175)
    """Width of its picture as an angle."""
    calibration: _Text | None = None
    """File beside the scenario that `sera camera calibrate` wrote, in place of `fov_deg`."""


class Microphones(Pose):
    """`[space.microphones.NAME]`: one or several microphones; the pose is that of their middle."""

    spacing_m: _Length | None = None
    """Distance of a pair, left and right of the middle: the direction of a voice can be told."""
    worn_by: list[_Text] = Field(default_factory=list)
    """Who wears each channel: people or seats, in the order of the device."""


class SpaceObject(Pose):
    """`[space.objects.NAME]`: a thing that can be looked or pointed at."""

    size_m: tuple[_Length, _Length, _Length] | None = None
    marker: _Text | None = None
    """Id of the printed marker on it, as MarkerSeen gives it."""
    description: str = ""


class Space(_Table):
    """`[space]`: what is in the room."""

    screens: dict[_ThingName, Screen] = Field(default_factory=dict)
    seats: dict[_ThingName, Seat] = Field(default_factory=dict)
    objects: dict[_ThingName, SpaceObject] = Field(default_factory=dict)
    cameras: dict[_ThingName, Camera] = Field(default_factory=dict)
    microphones: dict[_ThingName, Microphones] = Field(default_factory=dict)


class BrokerSettings(_Table):
    """`[broker]`: which broker to use; without a url SERA starts its own."""

    url: _Text | None = None
    """`mqtt://host:port`, `mqtts://…` for TLS."""
    username: _Text | None = None
    password_file: _Text | None = None
    """File with the password, relative to the scenario's folder. Keep it out of git."""
    password_env: _Text | None = None
    """Name of the environment variable that holds the password."""
    tls_ca_file: _Text | None = None
    """Certificate authority of the broker, relative to the scenario's folder."""

    @field_validator("url")
    @classmethod
    def _is_an_address_without_password(cls, url: str | None) -> str | None:
        if url is not None:
            from sera.bus import BrokerAddress

            if BrokerAddress.parse(url).password is not None:
                raise ValueError(
                    "the address holds a password, which would be shared with the file; "
                    "use password_env or password_file"
                )
        return url

    @model_validator(mode="after")
    def _has_one_source_of_the_password(self) -> Self:
        if self.password_file is not None and self.password_env is not None:
            raise ValueError("give password_file or password_env, not both")
        further = [key for key in type(self).model_fields if key != "url" and getattr(self, key)]
        if self.url is None and further:
            raise ValueError(f"{further[0]} needs a url; without one SERA starts its own broker")
        return self

    def address(self, folder: Path, environment: dict[str, str]) -> BrokerAddress | None:
        """The broker's address with its password; None: SERA starts its own broker.

        Args:
            folder: the scenario's folder, in which files are looked up.
            environment: where `password_env` is looked up.

        Raises:
            ValueError: the password is not where the scenario says.
        """
        from dataclasses import replace

        from sera.bus import BrokerAddress

        if self.url is None:
            return None
        address = BrokerAddress.parse(self.url)
        ca_file = address.ca_file or self.tls_ca_file
        return replace(
            address,
            username=self.username or address.username,
            password=self._password(folder, environment),
            ca_file=None if ca_file is None else str(folder / ca_file),
        )

    def _password(self, folder: Path, environment: dict[str, str]) -> str | None:
        if self.password_env is not None:
            if self.password_env not in environment:
                raise ValueError(
                    f"broker.password_env: the environment variable {self.password_env} is not set"
                )
            return environment[self.password_env]
        if self.password_file is None:
            return None
        try:
            return (folder / self.password_file).read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ValueError(
                f"broker.password_file: {self.password_file} cannot be read: {error.strerror}"
            ) from None


class RecordingSettings(_Table):
    """`[recording]`: whether the run is recorded."""

    enabled: bool = True


class ScenarioFile(_Table):
    """Everything that `scenario.toml` may hold."""

    scenario: About
    characters: dict[_CharacterName, Character] = Field(default_factory=dict)
    modules: dict[_ModuleName, ModuleEntry] = Field(default_factory=dict)
    """Modules of the world: the activity, perception, people. They hear every character."""
    people: dict[_PersonName, Person] = Field(default_factory=dict)
    space: Space = Space()
    activity: dict[str, Any] = Field(default_factory=dict)
    """A free table for the activity module (title, page …)."""
    conditions: dict[_ConditionName, dict[str, Any]] = Field(default_factory=dict)
    """What is different in each condition of a study, laid over the rest of the file."""
    broker: BrokerSettings = BrokerSettings()
    recording: RecordingSettings = RecordingSettings()


def settings_of(table: dict[str, Any]) -> dict[str, Any]:
    """What in a module's table is meant for the module itself."""
    return {key: value for key, value in table.items() if key not in RESERVED_KEYS}
