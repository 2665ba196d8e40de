"""What all tables of study files and questionnaires have in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

PlanName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=40, pattern=r"^[A-Za-z][A-Za-z0-9_-]*$"),
]
"""A name in the study file: a letter, then letters, digits, `_` and `-`."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=300, strip_whitespace=True)]
LanguageTag = Annotated[str, StringConstraints(pattern=r"^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$")]
PositiveSeconds = Annotated[float, Field(gt=0, le=86_400)]
Share = Annotated[float, Field(gt=0, lt=1)]
"""A number between 0 and 1, such as a power or a level of significance."""


class Table(BaseModel):
    """A table of a file that people write: unknown keys are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False
    )
