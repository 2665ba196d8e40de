"""What a report says, from an analysis: `document_of`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sera.study.analysis import Analysis
from sera.study.report._number_blocks import numbered
from sera.study.report._overview import glance_section, hypotheses_section, reliability_section
from sera.study.report._results import correlations_section, variable_section
from sera.study.report._sample import design_section, facts_section, sample_section
from sera.study.report._sources import Forms, answers_section, checking_section, sources_section
from sera.study.report.document import (
    SIMULATED_SENTENCE,
    Document,
    Listing,
    Section,
    Sentence,
)

_STRONG = (
    "Strong expressivity difference (Strong E-D): the control differs from both enhanced "
    "conditions and from the two as one group, and these two do not differ from each other."
)
_SOFT = (
    "Soft expressivity difference (Soft E-D): the control differs from the two as one group and "
    "from just one of them."
)
_TECHNOLOGICAL = (
    "Technological difference (T-D): the control differs from one of them, but not from the two "
    "as one group."
)


def document_of(
    analysis: Analysis,
    *,
    forms: Forms | None = None,
    facts: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
    own: Sequence[Section] = (),
) -> Document:
    """The report of an analysis.

    Args:
        analysis: what was found.
        forms: questionnaires of the study, by name.
        facts: more lines for the table about the study, such as when it was written.
        versions: of the software.
        own: sections of the study's own functions (`own_sections`).
    """
    forms = forms or {}
    sections: list[Section | None] = [
        facts_section(analysis, facts or {}),
        hypotheses_section(analysis),
        glance_section(analysis),
        sample_section(analysis),
        _design(analysis),
        *_variables(analysis, "measure", "Measures"),
        *_variables(analysis, "scale", "Scales"),
        *own,
        reliability_section(analysis),
        correlations_section(analysis),
        answers_section(analysis, forms),
        sources_section(analysis, forms),
        checking_section(analysis, versions or {}),
    ]
    there = [section for section in sections if section is not None]
    if analysis.simulated:
        warning = Sentence(SIMULATED_SENTENCE, "warning")
        there[0] = replace(there[0], blocks=(warning, *there[0].blocks))
    return Document(
        title=analysis.plan.study.title,
        subtitle="Report of the study",
        simulated=analysis.simulated,
        sections=numbered(there, simulated=analysis.simulated),
    )


def _variables(analysis: Analysis, kind: str, title: str) -> list[Section]:
    chosen = [one for one in analysis.variables if one.kind == kind]
    if not chosen:
        return []
    return [Section(title), *(variable_section(analysis, one) for one in chosen)]


def _design(analysis: Analysis) -> Section:
    section = design_section(analysis)
    if not any(one.difference is not None for one in analysis.variables):
        return section
    more = (
        Sentence("Differences from the control are called:"),
        Listing((_STRONG, _SOFT, _TECHNOLOGICAL)),
    )
    return replace(section, blocks=(*section.blocks, *more))
