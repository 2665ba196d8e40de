"""The tables of `study.toml` that say how a study is designed, measured and analysed.

`sera.study.plan` reads them; `sera.study.design` draws conditions and weighs the sample,
`sera.study.measures` takes the measures from a log, and `sera.study.analysis` compares groups.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from sera.study._table import LanguageTag, PlanName, Share, Table, Text

FieldPath = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$")]
"""A field of a message, with dots for what lies inside: `result`, `direction.horizontal_rad`."""
FunctionPlace = Annotated[str, Field(pattern=r"^[\w-]+\.py:\w+$")]
"""A file beside the scenario, and a function in it."""


class Factor(Table):
    """Something that the study varies."""

    name: PlanName
    """Name in the data."""
    title: str = ""
    """What reports call it; left out, the name."""
    kind: Literal["between", "within"] = "between"
    """Whether a participant meets one level or all of them."""
    levels: list[PlanName] = Field(min_length=2)
    """What it may be."""


class Condition(Table):
    """A cell of the design, which is a condition of the scenario file."""

    name: PlanName
    """Name of the condition in `scenario.toml`, or `as_it_stands` for the scenario as it stands."""
    title: str = ""
    """What reports call it; left out, the name."""
    levels: dict[PlanName, PlanName] = Field(default_factory=dict)
    """Level of each factor; may be left out where the study has no factors."""

    @property
    def heading(self) -> str:
        return self.title or self.name


class PowerWish(Table):
    """What the sample shall be able to show."""

    test: Literal["t_test", "paired_t", "mann_whitney", "wilcoxon", "anova"] = "t_test"
    """The test that the main measure will be compared with."""
    effect: float = Field(gt=0)
    """Cohen's d of the two groups (`anova`: Cohen's f; `mann_whitney`: the rank-biserial
    correlation)."""
    alpha: Share = 0.05
    """Level of significance, two-sided."""
    power: Share = 0.8
    """How probable it shall be that an effect of that size is found."""


class Sample(Table):
    """How many participants are planned."""

    per_condition: int | None = Field(default=None, ge=1, le=10_000)
    """In each condition (in a within-design: in all); left out, as many as `power` asks for."""
    power: PowerWish | None = None
    """What they shall be able to show."""


class Exclusion(Table):
    """A rule, made before the data, by which sessions do not count."""

    name: PlanName
    """Name in the data."""
    reason: Text
    """What the report says."""
    measure: PlanName | None = None
    """The measure that it looks at; left out: an operator decides by hand."""
    above: float | None = None
    """Excluded where the measure is above this."""
    below: float | None = None
    """Excluded where the measure is below this."""
    missing: bool = False
    """Excluded where the measure could not be taken."""
    unanswered_above: Annotated[float, Field(ge=0, le=1)] | None = None
    """Excluded where more than this share of the required answers is missing."""


class Beginning(Table):
    """The message by which a scenario says that one of the study's conditions begins."""

    message: PlanName
    """Its type."""
    value: FieldPath
    """The field that holds the condition's name; any other name, or none, belongs to no condition,
    and ends the one before."""


class Design(Table):
    """How conditions are given to participants."""

    assignment: Literal["random", "blocked", "latin_square", "by_scenario"] = "blocked"
    """`random`: each draw by itself; `blocked`: every block has each condition equally often;
    `latin_square`: orders of conditions in which each comes equally often at each place and after
    each other; `by_scenario`: the scenario shows them itself, one after the other in one run."""
    begins: Beginning | None = None
    """With `by_scenario`: which message says that one of the conditions begins."""
    played_in: PlanName | None = None
    """With `by_scenario`: the condition of the scenario file in which it runs; left out: as it
    stands."""
    factors: list[Factor] = Field(default_factory=list)
    conditions: list[Condition] = Field(min_length=1)
    repeats_in_block: int = Field(default=1, ge=1, le=50)
    """How often each condition stands in a block."""
    seed: int = Field(default=0, ge=0)
    """Of the drawing; operators do not see it."""
    sample: Sample = Field(default_factory=Sample)
    exclusions: list[Exclusion] = Field(default_factory=list)

    @property
    def is_within(self) -> bool:
        """Whether a participant meets several conditions."""
        return self.in_one_run or any(factor.kind == "within" for factor in self.factors)

    @property
    def in_one_run(self) -> bool:
        """Whether the scenario shows the conditions itself."""
        return self.assignment == "by_scenario"


class Measure(Table):
    """A number taken from the log of a session."""

    name: PlanName
    """Name in the data."""
    title: str = ""
    """What reports call it; left out, the name."""
    unit: str = ""
    """Such as `s` or `guesses`."""
    how: Literal["count", "sum", "mean", "last", "time_between"] | None = None
    """How it is taken from messages; left out where `function` is given."""
    message: PlanName | None = None
    """Type of the messages that count."""
    where: dict[FieldPath, Any] = Field(default_factory=dict)
    """Only messages whose fields are that, or one of a list."""
    value: FieldPath | None = None
    """The field that is summed or averaged."""
    until: PlanName | None = None
    """`time_between`: type of the message that ends each stretch that `message` begins."""
    until_where: dict[FieldPath, Any] = Field(default_factory=dict)
    """Only ends whose fields are that, or one of a list."""
    during: list[PlanName] = Field(default_factory=list)
    """Only in these phases or steps of the session; left out: everywhere."""
    function: FunctionPlace | None = None
    """A function of yours, `measures.py:time_guessing`, that takes the log of a session."""
    better: Literal["lower", "higher"] | None = None
    """Which direction is the better one, where there is one."""

    @property
    def heading(self) -> str:
        return self.title or self.name


class Hypothesis(Table):
    """What the study expects of a measure, written down before the data."""

    name: PlanName
    """Such as `H1`."""
    text: Text
    """In words."""
    measures: list[PlanName] = Field(min_length=1)
    """Measures or scales that it is about."""
    groups: list[PlanName] = Field(min_length=1, max_length=2)
    """One group (compared with the middle of the scale) or two."""
    expects: Literal["higher", "lower", "different", "no_difference", "above_middle"]
    """Of the first group, compared with the second one or with the middle."""


class OwnTables(Table):
    """Tables of a laboratory's own in the report, such as published ones beside the study's."""

    title: Text
    """Of their section."""
    function: FunctionPlace
    """A function of yours, `tables.py:beside`, that takes the rows that count."""


class AnalysisWish(Table):
    """How groups are compared."""

    alpha: Share = 0.05
    rule: Literal["normality", "welch", "ranks"] = "normality"
    """`normality`: Student's t where Shapiro-Wilk finds both groups normal, else Mann-Whitney;
    `welch`: Welch's t always; `ranks`: Mann-Whitney always."""
    rank_tests: Literal["normal", "continuity", "exact"] = "normal"
    """How p of Mann-Whitney's and Wilcoxon's tests is found: `normal` approximation corrected for
    ties, as the documents do; `continuity`: for continuity, too; `exact`: counted out."""
    groups: dict[PlanName, list[PlanName]] = Field(default_factory=dict)
    """Groups made of several conditions, such as `C-Enhanced`."""
    control: PlanName | None = None
    """The condition that the others are compared with."""
    compare: list[Annotated[list[PlanName], Field(min_length=2, max_length=2)]] = Field(
        default_factory=list
    )
    """Pairs of conditions or groups; left out: all pairs of conditions."""
    correction: Literal["none", "bonferroni", "holm", "benjamini_hochberg"] = "holm"
    """For many tests of one measure."""
    reliable_above: Share = 0.7
    """A scale is reliable where Cronbach's alpha or McDonald's omega is above this."""
    hypotheses: list[Hypothesis] = Field(default_factory=list)
    tables: list[OwnTables] = Field(default_factory=list)


class FormWish(Table):
    """How a questionnaire is used in this study."""

    name: PlanName
    """Name of the questionnaire."""
    points: int | None = Field(default=None, ge=2, le=21)
    """Points of its scales, in place of the file's."""
    anchors: dict[LanguageTag, list[str]] = Field(default_factory=dict)
    """Words at the ends of its scales, in place of the file's."""
    shuffle: bool | None = None
    """Whether its items trade places; left out, as the file says."""
    scales: list[PlanName] = Field(default_factory=list)
    """Only the items of these scales; left out: all."""


class MediaWish(Table):
    """What is recorded beside the log, where the participant has consented."""

    cameras: list[str] = Field(default_factory=list)
    """Names of modules with a camera, such as `face_tracker`."""
    microphones: list[str] = Field(default_factory=list)
    """Names of modules with a microphone, such as `sound_detector`."""
    consent_item: str = "consent.recording"
    """`questionnaire.item` that must be answered with yes."""


class SimulationWish(Table):
    """How the study is simulated: `sera study simulate`."""

    condition: PlanName = "simulated"
    """Condition of the scenario that is laid over each of the study's: what people and devices
    do is simulated in it, and nothing waits for a real clock."""
    participant: PlanName = "player"
    """World module of the simulated participant; it takes the settings `population` (a seed),
    `number` (which person of it) and `forms` (what is filled in at the end)."""


class PreflightWish(Table):
    """What has to be in order before a session of the study begins."""

    skip: list[
        Literal["robot", "face", "microphone", "voice", "screen", "tablet", "disk", "clock", "stop"]
    ] = Field(default_factory=list)
    """Checks that this study has no use for."""
    free_disk_gb: float = Field(default=2.0, ge=0)
    quiet_below_db: float = -20.0
    """Level of the room, dBFS, that the microphone may show while nobody speaks."""
    loud_above_db: float = -60.0
    """Level below which the microphone counts as dead."""
