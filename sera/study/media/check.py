"""What is wrong in the `[media]` of a study file, before any session."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from sera.runtime.located import FileProblem, LocatedToml, nearest_name
from sera.study.questionnaire import Questionnaire

ASKING_KINDS = ("agreement", "choice")


def media_problems(
    document: LocatedToml,
    forms: Mapping[str, Questionnaire],
    modules: Collection[str] | None = None,
) -> list[FileProblem]:
    """Devices that no module has, and an item of consent that nobody is asked.

    Args:
        document: the study file.
        forms: the questionnaires that its steps show, by name.
        modules: names, sources and kinds of the scenario's modules; None: not known.
    """
    media = document.data.get("media")
    if not isinstance(media, dict):
        return []
    problems = []
    records = False
    for key in ("cameras", "microphones"):
        names = media.get(key)
        for place, name in enumerate(names if isinstance(names, list) else []):
            records = True
            if isinstance(name, str) and modules is not None and name not in modules:
                problems.append(
                    document.problem(
                        ("media", key, place),
                        f"the scenario has no module '{name[:60]}'",
                        nearest=nearest_name(name[:60], modules),
                        fix=f"there are {', '.join(sorted(modules))}" if modules else None,
                    )
                )
    if records:
        problems += _wrong_consent(document, media, forms)
    return problems


def _wrong_consent(
    document: LocatedToml, media: Mapping[str, Any], forms: Mapping[str, Questionnaire]
) -> list[FileProblem]:
    wanted = media.get("consent_item", "consent.recording")
    if not isinstance(wanted, str):
        return []  # the plan's own check tells it
    where = ("media", "consent_item") if "consent_item" in media else ("media",)
    form, dot, item = wanted.partition(".")

    def say(message: str, near: str | None, fix: str) -> list[FileProblem]:
        return [document.problem(where, message, nearest=near, fix=fix)]

    if not dot or not form or not item:
        return say(f"'{wanted[:60]}' is no item", None, "write questionnaire.item")
    if form not in forms:
        return say(
            f"no step shows the questionnaire '{form[:60]}', so that nothing would be recorded",
            nearest_name(form[:60], forms),
            f'add form = "{form[:60]}" to a step',
        )
    asked = {one.id: one for one in forms[form].items if one.kind in ASKING_KINDS}
    if item not in asked:
        return say(
            f"the questionnaire '{form}' does not ask for agreement in '{item[:60]}'",
            nearest_name(item[:60], asked),
            f"there are {', '.join(asked)}" if asked else "add an item of kind agreement",
        )
    return []
