"""How talkative and how patient the tutor is, all in one place."""

from __future__ import annotations

from pydantic import Field

from sera import Module


class TutorSettings(Module.Settings):
    """How talkative and how patient it is."""

    town: str = "town.toml"
    language: str = "en"
    players: dict[str, str] = Field(
        default_factory=lambda: {"learner_1": "Blue", "learner_2": "Orange"}
    )
    """Who plays, and what the robot calls them."""
    gaze_policy: str = "mutual"
    """How the gaze behaves between lines; see `sera.behaviour.gaze`."""
    waits_for_players_s: float = Field(default=20.0, gt=0)
    """How long it waits for everybody before it begins with who is there."""
    settles_s: float = Field(default=3.0, ge=0)
    """Between the last one's coming and the greeting."""
    breath_s: float = Field(default=0.9, ge=0)
    """Between two lines, and before the next round."""
    hint_after_s: tuple[float, float, float] = (13.0, 11.0, 11.0)
    """How long nothing may happen before each hint."""
    help_words: tuple[str, ...] = (
        *("not know", "don't know", "no idea", "not sure", "hard", "help"),
        *("não sei", "certeza", "difícil", "ajuda"),
    )
    """Who says so gets the next hint at once."""
    help_after_s: float = Field(default=1.5, ge=0)
    """At once, but not in the same breath."""
    reads_clue_in_rounds: int = Field(default=3, ge=0)
    """In so many rounds the robot reads the clue aloud; later the table shows it alone."""
    praise_share: float = Field(default=0.5, ge=0, le=1)
    """How often a good move is praised in words rather than by a nod."""
    comment_share: float = Field(default=0.5, ge=0, le=1)
    """The same for a wrong one."""
    question_every: int = Field(default=3, ge=0)
    """After every so many rounds it asks something; 0: never."""
    joint_after_s: float = Field(default=1.6, gt=0)
    """How long all must look at one place to be worth a remark."""
    joint_at_most: int = Field(default=1, ge=0)
    """How many such remarks a game bears."""
