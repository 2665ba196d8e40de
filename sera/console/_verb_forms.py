"""How each verb of the markup is written, with an example that works here: for completion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sera.behaviour.markup import CONTROLS, Kind, Parameter, VerbRegistry, VerbSpec
from sera.behaviour.targets import PERSON


@dataclass(frozen=True, slots=True)
class Named:
    """Names that examples are made with."""

    animations: Sequence[str] = ()
    faces: Sequence[str] = ()
    sounds: Sequence[str] = ()
    actions: Sequence[str] = ()


_LIKED = {Kind.ANIMATION: "nod", Kind.FACE: "joy", Kind.SOUND: "bell", Kind.ACTION: "next"}
"""What an example says where there is nothing to choose from, or where it is there."""


def verb_forms(verbs: VerbRegistry, named: Named) -> list[dict[str, str]]:
    """Every verb with how it is written and an example."""
    return [
        {
            "name": verb.name,
            "form": _form(verb),
            "example": _example(verb, named),
            "about": verb.about,
        }
        for verb in verbs
    ]


def controls() -> list[dict[str, str]]:
    r"""The same for controls of the voice, such as `\pau=300\`."""
    return [
        {
            "name": name,
            "form": f"\\{name}={spec.unit}\\",
            "example": f"\\{name}={spec.example}\\",
            "about": f"{spec.about[:1].upper()}{spec.about[1:]}, in {spec.unit}.",
        }
        for name, spec in CONTROLS.items()
    ]


def _form(verb: VerbSpec) -> str:
    shown = ""
    for parameter in verb.parameters:
        name = f"{parameter.name}…" if parameter.many else parameter.name
        part = f", {name}" if shown else name
        shown += part if parameter.required else f"[{part}]"
    return f"<{verb.name}({shown})>"


def _example(verb: VerbSpec, named: Named) -> str:
    given = [_sample(each, named) for each in verb.parameters if each.required]
    if not given and verb.parameters and not verb.parameters[0].many:
        given = [_sample(verb.parameters[0], named)]
    return f"<{verb.name}({', '.join(given)})>"


def _sample(parameter: Parameter, named: Named) -> str:
    kind = parameter.kind
    if kind is Kind.TARGET:
        return PERSON
    if kind in (Kind.COUNT, Kind.NUMBER):
        return f"{parameter.default if parameter.default is not None else parameter.lower:g}"
    known = {
        Kind.ANIMATION: named.animations,
        Kind.FACE: named.faces,
        Kind.SOUND: named.sounds,
        Kind.ACTION: named.actions,
    }.get(kind, ())
    liked = _LIKED.get(kind, parameter.name)
    return liked if not known or liked in known else known[0]
