"""Hypotheses of the plan, judged by what was found.

What a hypothesis expects of a scale it expects of what the scale is called: less discomfort is
*lower*, although the analysis turns that scale round so that high is good.
"""

from __future__ import annotations

from collections.abc import Mapping

from sera.runtime.located import nearest_name
from sera.study.analysis._numbers import p_text
from sera.study.analysis.findings import Comparison, Group, Judged, Variable, Verdict
from sera.study.analysis.rules import Polarity
from sera.study.design_tables import Hypothesis

_WANTED: dict[str, Polarity] = {
    "above_middle": "positive",
    "higher": "positive",
    "lower": "negative",
    "no_difference": "neutral",
}
_OPPOSITE: dict[Polarity, Polarity] = {
    "positive": "negative",
    "negative": "positive",
    "neutral": "neutral",
}


def judge(
    hypothesis: Hypothesis, variables: Mapping[str, Variable], groups: Mapping[str, Group]
) -> Judged:
    """What the data say of a hypothesis; with several measures it has to hold for each."""
    found = [_of_measure(hypothesis, name, variables, groups) for name in hypothesis.measures]
    verdicts = {verdict for verdict, _ in found}
    verdict: Verdict = "supported"
    if "not supported" in verdicts:
        verdict = "not supported"
    elif "cannot be judged" in verdicts:
        verdict = "cannot be judged"
    return Judged(hypothesis.name, hypothesis.text, verdict, tuple(why for _, why in found))


def _of_measure(
    hypothesis: Hypothesis,
    name: str,
    variables: Mapping[str, Variable],
    groups: Mapping[str, Group],
) -> tuple[Verdict, str]:
    if name not in variables:
        hint = _nearest(name, list(variables))
        sentence = f"Nothing was measured or answered that is called '{name}'{hint}."
        return "cannot be judged", sentence
    for group in hypothesis.groups:
        if group not in groups:
            hint = _nearest(group, list(groups))
            return "cannot be judged", f"{name}: there is no group '{group}'{hint}."
    variable = variables[name]
    if len(hypothesis.groups) == 1 or hypothesis.expects == "above_middle":
        return _against_middle(hypothesis, variable)
    comparison = variable.comparison(*hypothesis.groups)
    if comparison is None:
        return "cannot be judged", f"{name}: the two groups share conditions."
    return _of_two(hypothesis, variable, comparison)


def _nearest(name: str, known: list[str]) -> str:
    near = nearest_name(name, known)
    return f"; did you mean '{near}'?" if near else ""


def _against_middle(hypothesis: Hypothesis, variable: Variable) -> tuple[Verdict, str]:
    if variable.kind != "scale":
        return "cannot be judged", f"{variable.title} has no middle to compare with."
    tests = [one for one in variable.against_middle if one.group.name in hypothesis.groups]
    told = "; ".join(
        f"{one.group.title} is {one.polarity or 'not to be judged'} ({one.result.text()})"
        for one in tests
    )
    sentence = f"{_heading(variable)}: {told}."
    if any(one.polarity is None for one in tests):
        return "cannot be judged", sentence
    if hypothesis.expects == "different":
        holds = all(one.polarity != "neutral" for one in tests)
    else:
        wanted = _WANTED[hypothesis.expects]
        wanted = _OPPOSITE[wanted] if variable.inverted else wanted
        holds = all(one.polarity == wanted for one in tests)
    return ("supported" if holds else "not supported"), sentence


def _heading(variable: Variable) -> str:
    return f"{variable.title}, turned round (high is good)" if variable.inverted else variable.title


def _of_two(
    hypothesis: Hypothesis, variable: Variable, comparison: Comparison
) -> tuple[Verdict, str]:
    figures = comparison.result.text()
    if comparison.significant is None:
        return "cannot be judged", f"{variable.title}, {comparison.title}: {figures}."
    if comparison.p_corrected != comparison.result.p:
        figures += f", corrected {p_text(comparison.p_corrected)}"
    first = next(
        one for one in (comparison.first, comparison.second) if one.name == hypothesis.groups[0]
    )
    second = comparison.second if first is comparison.first else comparison.first
    higher = (comparison.higher is first) != variable.inverted
    if variable.inverted:
        figures += ", of the scale turned round"
    if first is not comparison.first:
        figures = f"{comparison.first.title} less {comparison.second.title}: {figures}"
    if not comparison.significant:
        told = f"{first.title} and {second.title} do not differ"
        if hypothesis.expects == "no_difference":
            told += " (which does not show that they are equal)"
    else:
        told = f"{first.title} is {'higher' if higher else 'lower'} than {second.title}"
    holds = {
        "different": comparison.significant,
        "no_difference": not comparison.significant,
        "higher": comparison.significant and higher,
        "lower": comparison.significant and not higher,
    }[hypothesis.expects]
    sentence = f"{variable.title}: {told} ({figures})."
    return ("supported" if holds else "not supported"), sentence
