"""What of a line this body does, and what it does in place of what it cannot.

Nothing is dropped in silence: whatever is not done as written is a substitution that says what was
wanted, what is done instead, and why.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from sera.behaviour.findings import Finding
from sera.behaviour.markup._interpret import BAD_NUMBERS
from sera.behaviour.markup._write import write
from sera.behaviour.markup.fill import FilledLine
from sera.behaviour.markup.parsed import ParsedLine
from sera.behaviour.markup.steps import Step, Value
from sera.behaviour.markup.tokens import Token
from sera.behaviour.markup.verbs import Kind, VerbRegistry
from sera.runtime.located import nearest_name


@dataclass(frozen=True, kw_only=True)
class Abilities:
    """What a body and its surroundings can do. A None means: not known, so not checked."""

    channels: frozenset[str] = frozenset()
    """The abilities that verbs need: gaze, arms, head, lids, lights …"""
    targets: Collection[str] | None = None
    animations: Collection[str] | None = None
    faces: Collection[str] | None = None
    sounds: Collection[str] | None = None
    instead: Mapping[str, str] = field(default_factory=dict)
    """Names of animations, faces and sounds of other bodies, and this body's own for each."""

    def names_of(self, kind: Kind) -> Collection[str] | None:
        """The names that a parameter of this kind may have."""
        return {
            Kind.TARGET: self.targets,
            Kind.ANIMATION: self.animations,
            Kind.FACE: self.faces,
            Kind.SOUND: self.sounds,
        }.get(kind)


@dataclass(frozen=True, slots=True)
class Substituted:
    """Something that is not done as written."""

    wanted: str
    """The step as written, such as `POINT(board)`."""
    done: str | None
    """The step that is performed; None where there is no fallback."""
    why: str
    """One sentence without a full stop."""
    word: int
    """Before which word it stands."""
    start: int
    """Where the instruction begins in the cell."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a body does for a line."""

    steps: tuple[Step, ...]
    """Each with the means by which it is performed."""
    substitutions: tuple[Substituted, ...]


def resolve(line: ParsedLine | FilledLine, abilities: Abilities) -> Resolution:
    """The steps that this body performs for a line."""
    parsed = line.line if isinstance(line, FilledLine) else line
    resolver = _Resolver(parsed.syntax.verbs, abilities)
    for step in parsed.steps:
        resolver.take(step)
    resolver.report_unread(parsed)
    steps = tuple(resolver.steps)
    return Resolution(steps, tuple(sorted(resolver.substitutions, key=lambda one: one.start)))


class _Resolver:
    def __init__(self, verbs: VerbRegistry, abilities: Abilities) -> None:
        self.steps: list[Step] = []
        self.substitutions: list[Substituted] = []
        self._verbs = verbs
        self._abilities = abilities

    def take(self, step: Step) -> None:
        if step.open_tags:
            names = ", ".join(dict.fromkeys(tag.name for tag in step.open_tags))
            self._substitute(step, None, f"the tag {names} has no value")
            return
        able, lack = self._with_means(step, frozenset())
        if able is None:
            self._substitute(step, None, f"the body has no {lack}, and there is no other way")
            return
        done, misnamed = self._with_known_names(able)
        reasons = [f"the body has no {lack}"] if lack else []
        if misnamed:
            reasons.append(misnamed)
        if reasons:
            self._substitute(step, done, "; ".join(reasons))
        if done is not None and not self._is_there(done):
            self.steps.append(done)

    def report_unread(self, line: ParsedLine) -> None:
        """Instructions and controls that are not done as written because of a fault in them."""
        performed = {step.start for step in line.steps}
        performed |= {pause.start for pause in line.pauses} | {rate.start for rate in line.rates}
        for token, word in line.marks:
            if token.start in performed:
                self._report_defaults(line, token, word)
                continue
            why = next(
                (one.message for one in line.problems if token.start <= _at(one) < token.end),
                "a tag in it has no value",
            )
            wanted = write([token], line.syntax)
            self.substitutions.append(Substituted(wanted, None, why, word, token.start))
        for problem in line.form_problems:
            # Where no token stands, the reader could make nothing of what is written.
            if not any(token.start <= _at(problem) < token.end for token in line.tokens):
                word = sum(one.source_start < _at(problem) for one in line.words)
                gone = Substituted(problem.text, None, problem.message, word, _at(problem))
                self.substitutions.append(gone)

    def _report_defaults(self, line: ParsedLine, token: Token, word: int) -> None:
        """Numbers that could not be taken, so that the usual ones hold."""
        for problem in line.problems:
            if problem.code in BAD_NUMBERS and token.start <= _at(problem) < token.end:
                done = " and ".join(f"{one}" for one in self.steps if one.start == token.start)
                wanted = write([token], line.syntax)
                said = Substituted(wanted, done or None, problem.message, word, token.start)
                self.substitutions.append(said)

    def _with_means(self, step: Step, tried: frozenset[str]) -> tuple[Step | None, str]:
        """The step by means that the body has, and the ability that is lacking, if any."""
        spec = self._verbs.find(step.verb)
        assert spec is not None
        if spec.needs is None or spec.needs in self._abilities.channels:
            return replace(step, means=spec.needs), ""
        tried |= {spec.name}
        for fallback in spec.fallbacks:
            if fallback.means is None:
                if fallback.verb in tried:
                    continue
                able, _ = self._with_means(self._as(fallback.verb, step), tried)
                if able is not None:
                    return able, spec.needs
            elif fallback.means in self._abilities.channels:
                return replace(self._as(fallback.verb, step), means=fallback.means), spec.needs
        return None, spec.needs

    def _as(self, verb: str, step: Step) -> Step:
        """The same with another verb, which takes the parameters that it knows."""
        if verb == step.verb:
            return step
        spec = self._verbs.find(verb)
        assert spec is not None
        arguments = {one.name: step.arguments.get(one.name, one.default) for one in spec.parameters}
        return replace(step, verb=verb, arguments=MappingProxyType(arguments))

    def _with_known_names(self, step: Step) -> tuple[Step | None, str]:
        """The step with names that this body knows, and what had to be changed for it."""
        spec = self._verbs.find(step.verb)
        assert spec is not None
        arguments: dict[str, Value] = dict(step.arguments)
        changed = ""
        for parameter in spec.parameters:
            known, name = self._abilities.names_of(parameter.kind), arguments[parameter.name]
            if known is None or not isinstance(name, str) or name in known:
                continue
            same = {one.casefold(): one for one in known}.get(name.casefold())
            if same is not None:
                arguments[parameter.name] = same
                continue
            changed = f"there is no {parameter.kind.value} {name}"
            other = self._instead(parameter.kind, name, known)
            if other is None:
                return None, changed
            arguments[parameter.name] = other
        return replace(step, arguments=MappingProxyType(arguments)), changed

    def _instead(self, kind: Kind, name: str, known: Collection[str]) -> str | None:
        """Another name that serves; never for a target, since looking at somebody else is wrong."""
        if kind is Kind.TARGET:
            return None
        declared = self._abilities.instead.get(name)
        if declared in known:
            return declared
        return nearest_name(name, known)

    def _is_there(self, step: Step) -> bool:
        """GAZEANDPOINT without an arm would gaze twice."""
        return any(
            (one.verb, one.start, one.means) == (step.verb, step.start, step.means)
            and one.arguments == step.arguments
            for one in self.steps
        )

    def _substitute(self, step: Step, done: Step | None, why: str) -> None:
        shown = None
        if done is not None:
            spec = self._verbs.find(done.verb)
            usual = spec is not None and done.means == spec.needs
            shown = f"{done}" if usual else f"{done} by {done.means}"
        self.substitutions.append(Substituted(f"{step}", shown, why, step.word, step.start))


def _at(finding: Finding) -> int:
    return finding.start or 0
