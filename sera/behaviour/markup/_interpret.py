"""From an instruction as written to steps: verbs taken apart, parameters read and checked."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType

from sera.behaviour.findings import Finding, Severity
from sera.behaviour.markup.controls import CONTROLS
from sera.behaviour.markup.steps import Step, Value
from sera.behaviour.markup.tokens import (
    Argument,
    Instruction,
    Literal,
    SpeechControl,
    TagUse,
    shown,
)
from sera.behaviour.markup.verbs import Kind, Parameter, VerbRegistry, VerbSpec
from sera.runtime.located import nearest_name

_NUMBER = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,15})?\Z")

BAD_NUMBERS = ("bad-count", "bad-number")
"""Findings that leave a step its default."""


class Interpreter:
    """Reads the instructions of one line; `problems` collects what is wrong with them."""

    def __init__(self, verbs: VerbRegistry) -> None:
        self.problems: list[Finding] = []
        self._verbs = verbs

    def steps(self, instruction: Instruction, word: int) -> list[Step]:
        """The steps of an instruction; none where it cannot be performed."""
        verbs = self._verbs_of(instruction)
        if not verbs:
            return []
        parameters = _shared_parameters(verbs)
        given = self._assign(instruction, parameters)
        if given is None:
            return []
        values: dict[str, Value] = {}
        open_tags: list[TagUse] = []
        for parameter in parameters:
            arguments = given.get(parameter.name, [])
            uses = [part for one in arguments for part in one.value if isinstance(part, TagUse)]
            open_tags += uses
            values[parameter.name] = self._value(parameter, arguments, instruction, bool(uses))
            if values[parameter.name] is None and parameter.required:
                return []
        return [
            Step(
                verb=verb.name,
                word=word,
                arguments=MappingProxyType({one.name: values[one.name] for one in verb.parameters}),
                start=instruction.start,
                end=instruction.end,
                open_tags=tuple(open_tags),
            )
            for verb in verbs
        ]

    def control(self, control: SpeechControl) -> float | None:
        """The number of a speech control; None where it has none, or an unfilled tag."""
        if any(isinstance(part, TagUse) for part in control.value):
            return None
        spec, text = CONTROLS[control.name], shown(control.value).strip()
        number = float(text) if _NUMBER.match(text) else None
        if number is None or not spec.lower <= number <= spec.upper:
            self._problem(
                "bad-control",
                f"{control.name} ({spec.about}) takes {spec.unit} from {spec.lower:g} to "
                f"{spec.upper:g}, not `{text}`",
                control.start,
                text,
                f"write \\{control.name}={spec.example}\\",
            )
            return None
        return number

    def _verbs_of(self, instruction: Instruction) -> tuple[VerbSpec, ...]:
        verbs = self._verbs.split(instruction.verb)
        if not verbs:
            for part in self._verbs.unknown_parts(instruction.verb):
                nearest = nearest_name(part[:40], self._verbs.names)
                self._problem(
                    "unknown-verb",
                    f"there is no verb {part}" + (f"; did you mean {nearest}?" if nearest else ""),
                    instruction.start,
                    instruction.verb,
                    f"write {nearest} for {part}"
                    if nearest
                    else f"use one of {', '.join(self._verbs.names)}",
                )
            return ()
        if len(verbs) == 1:
            return verbs
        alone = [verb.name for verb in verbs if not verb.joins]
        if alone:
            joining = ", ".join(verb.name for verb in self._verbs if verb.joins)
            self._problem(
                "cannot-join",
                f"{alone[0]} cannot be joined with other verbs",
                instruction.start,
                instruction.verb,
                f"give it an instruction of its own; AND joins {joining}",
            )
            return ()
        once = tuple(dict.fromkeys(verbs))
        if len(once) < len(verbs):
            self._problem(
                "joined-twice",
                "a verb is joined with itself",
                instruction.start,
                instruction.verb,
                f"write {'AND'.join(verb.name for verb in once)}",
                severity=Severity.WARNING,
            )
        return once

    def _assign(
        self, instruction: Instruction, parameters: tuple[Parameter, ...]
    ) -> dict[str, list[Argument]] | None:
        """Which argument is for which parameter; None where one does not fit."""
        given: dict[str, list[Argument]] = {}
        names = {parameter.name: parameter for parameter in parameters}
        free = list(parameters)
        sound = True
        for written in instruction.arguments:
            argument = written
            takes_rest = bool(free) and free[0].many
            if argument.name is not None and argument.name not in names and takes_rest:
                # `GAME(move, x=3)`: names of the activity's own.
                argument = _with_name_as_text(argument)
            name = argument.name if argument.name is not None else (free[0].name if free else None)
            if name is None or name not in names:
                sound = False
                self._unfitting(instruction, argument, parameters)
            elif name in given and not names[name].many:
                sound = False
                self._problem(
                    "repeated-parameter",
                    f"{instruction.verb.upper()} has its parameter {name} twice",
                    argument.start,
                    shown(argument.value),
                    "take one of them away",
                )
            else:
                given.setdefault(name, []).append(argument)
                free = [one for one in free if one.name != name or one.many]
        return given if sound else None

    def _unfitting(
        self, instruction: Instruction, argument: Argument, parameters: tuple[Parameter, ...]
    ) -> None:
        verb, names = instruction.verb.upper(), [parameter.name for parameter in parameters]
        takes = f"{verb} takes {', '.join(names) or 'no parameters'}"
        if argument.name is None:
            self._problem(
                "too-many-parameters",
                takes,
                argument.start,
                shown(argument.value),
                r"take it away, or write \, for a comma",
            )
            return
        nearest = nearest_name(argument.name[:40], names)
        self._problem(
            "unknown-parameter",
            f"{verb} has no parameter {argument.name}"
            + (f"; did you mean {nearest}?" if nearest else f"; {takes}"),
            argument.start,
            argument.name,
            r"write the value alone, or \= for the sign itself",
        )

    def _value(
        self, parameter: Parameter, arguments: list[Argument], instruction: Instruction, open_: bool
    ) -> Value:
        texts = [shown(argument.value) for argument in arguments]
        if parameter.many:
            return tuple(texts)
        text = texts[0] if texts else ""
        if not text.strip():
            if parameter.required and not open_:
                verb = instruction.verb.upper()
                self._problem(
                    "missing-parameter",
                    f"{verb} needs a {parameter.name}",
                    instruction.start,
                    instruction.verb,
                    f"write <{verb}({parameter.name})>",
                )
                return None
            return parameter.default
        if open_ or parameter.kind not in {Kind.COUNT, Kind.NUMBER}:
            return text
        return self._number(parameter, text.strip(), arguments[0], instruction)

    def _number(
        self, parameter: Parameter, text: str, argument: Argument, instruction: Instruction
    ) -> Value:
        counted = parameter.kind is Kind.COUNT
        number = float(text) if _NUMBER.match(text) else None
        fits = number is not None and parameter.lower <= number <= parameter.upper
        if number is None or not fits or (counted and not number.is_integer()):
            verb = instruction.verb.upper()
            usual = parameter.default if parameter.default is not None else f"{parameter.lower:g}"
            self._problem(
                BAD_NUMBERS[0] if counted else BAD_NUMBERS[1],
                f"{parameter.name} of {verb} is a {'whole ' if counted else ''}number from "
                f"{parameter.lower:g} to {parameter.upper:g}, not `{text}`",
                argument.start,
                text,
                f"write <{verb}({usual})>" if counted else "write such a number, or none",
            )
            return parameter.default
        return int(number) if counted else number

    def _problem(
        self,
        code: str,
        message: str,
        start: int,
        text: str,
        fix: str,
        *,
        severity: Severity = Severity.ERROR,
    ) -> None:
        self.problems.append(
            Finding(code=code, message=message, fix=fix, severity=severity, text=text, start=start)
        )


def _shared_parameters(verbs: tuple[VerbSpec, ...]) -> tuple[Parameter, ...]:
    """The parameters of verbs that are joined, each name once."""
    merged: dict[str, Parameter] = {}
    for verb in verbs:
        for parameter in verb.parameters:
            merged.setdefault(parameter.name, parameter)
    return tuple(merged.values())


def _with_name_as_text(argument: Argument) -> Argument:
    name = Literal(f"{argument.name}=", argument.start, argument.start)
    return replace(argument, name=None, value=(name, *argument.value))
