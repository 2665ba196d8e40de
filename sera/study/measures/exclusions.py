"""Which sessions do not count, by rules that were made before the data."""

from __future__ import annotations

from collections.abc import Mapping

from sera.study.design_tables import Design, Exclusion


def exclude(
    design: Design | None,
    values: Mapping[str, float | int | None],
    unanswered_share: float | None = None,
) -> str | None:
    """Why a session does not count, by the first rule that says so; None where it counts.

    Rules without a measure or a share of answers are for operators, and do nothing here.

    Args:
        design: of the study file.
        values: measures of the session.
        unanswered_share: how much of the required answers is missing, 0-1; None: not known.
    """
    for rule in design.exclusions if design is not None else ():
        if _excludes(rule, values, unanswered_share):
            return rule.reason
    return None


def _excludes(
    rule: Exclusion, values: Mapping[str, float | int | None], unanswered_share: float | None
) -> bool:
    if (
        rule.unanswered_above is not None
        and unanswered_share is not None
        and unanswered_share > rule.unanswered_above
    ):
        return True
    if rule.measure is None:
        return False
    value = values.get(rule.measure)
    if value is None:
        return rule.missing
    too_high = rule.above is not None and value > rule.above
    return too_high or (rule.below is not None and value < rule.below)
