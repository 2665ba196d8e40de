"""Controllers of a program file, one by one: type, parameters, wires."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ValidationError

from sera.animation.controllers import Expression, Message, MessageArrived
from sera.animation.controllers.inputs import input_attribute, names_in
from sera.animation.engine import ControllerParameters, Output, Signal
from sera.animation.program.registry import Registry
from sera.animation.program.wiring import WIRE_KEYS, Node, is_wire, kind_of, scope_of
from sera.runtime._validation import problems_of
from sera.runtime.located import FileProblem, KeyPath, LocatedToml, nearest_name

_HEAD = ("name", "type")
_NAME = re.compile(r"[A-Za-z][\w-]*")


class Reader:
    """Turns tables into nodes, and says what is wrong with them."""

    def __init__(
        self, document: LocatedToml, registry: Registry, problems: list[FileProblem]
    ) -> None:
        self._document, self._registry, self._problems = document, registry, problems

    def nodes(
        self, place: KeyPath, tables: list[dict[str, Any]], *, signals_only: bool = False
    ) -> list[Node]:
        """The controllers of a list, those that stand for wires included."""
        nodes: list[Node] = []
        names: set[str] = set()
        written = {str(table["name"]) for table in tables if "name" in table}
        for number, table in enumerate(tables):
            node = self._node((*place, number), table, names, written)
            if node is None:
                continue
            if signals_only and not issubclass(node.controller_type, Signal):
                self._add(node.place, f"'{node.name}' moves channels and belongs into a layer")
            names.add(node.name)
            nodes += self._implied(node, table)
            nodes.append(node)
        return nodes

    def _node(
        self, place: KeyPath, table: dict[str, Any], taken: set[str], written: set[str]
    ) -> Node | None:
        kind = table.get("type")
        if not isinstance(kind, str):
            self._add(place, "the type of the controller is missing", fix='write type = "Wave"')
            return None
        name = table.get("name", _free_name(kind, taken | written))
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            fix = "letters, digits, _ and -, a letter first"
            self._add((*place, "name"), f"{name!r} cannot be the name of a controller", fix=fix)
            return None
        if name in taken:
            self._add((*place, "name"), f"another controller here is called '{name}'")
            return None
        try:
            controller_type = self._registry.controller(kind)
        except LookupError as error:
            self._add((*place, "type"), str(error.args[0]))
            return None
        constants = {k: v for k, v in table.items() if k not in _HEAD and not is_wire(v)}
        node = Node(name, place, controller_type, constants, {})
        for parameter, value in table.items():
            if is_wire(value):
                self._wire(node, parameter, value)
        if controller_type is Expression:
            text = constants.get("text")
            for each in names_in(text) if isinstance(text, str) else ():
                node.wires[input_attribute(each)] = each
        return node

    def _wire(self, node: Node, parameter: str, wire: dict[str, Any]) -> None:
        place = (*node.place, parameter)
        if kind_of(node.controller_type, parameter) is None:
            known = sorted(node.controller_type.wires)
            near = nearest_name(parameter, known)
            listed = f"wires may drive {', '.join(known)}" if known else "it has no wires"
            message = f"'{parameter}' of {node.controller_type.__name__} cannot be driven by a wire"
            self._add(place, message, nearest=near, fix=listed)
            return
        allowed = {"from": {"from"}, "message": {"message", "field", "default"}}
        key = next(key for key in WIRE_KEYS if key in wire)
        extra = set(wire) - allowed.get(key, {"expression"})
        if extra or not isinstance(wire[key], str):
            message = f"a wire is {{ {key} = … }}, not {wire!r}"
            self._add(place, message, fix='such as { from = "name of a signal" }')
            return
        node.wires[parameter] = wire["from"] if key == "from" else f"{node.name}.{parameter}"

    def _implied(self, node: Node, table: dict[str, Any]) -> list[Node]:
        """Signals that stand for wires to messages and formulas."""
        implied = []
        for parameter in node.wires:
            wire = table.get(parameter)
            if not isinstance(wire, dict) or "from" in wire:
                continue
            place, name = (*node.place, parameter), f"{node.name}.{parameter}"
            if "expression" in wire:
                made = Node(name, place, Expression, {"text": wire["expression"]}, {}, implied=True)
                made.wires = {input_attribute(n): n for n in names_in(wire["expression"])}
            elif "field" in wire:
                made = Node(name, place, Message, dict(wire), {}, implied=True)
            else:
                made = Node(name, place, MessageArrived, dict(wire), {}, implied=True)
            implied.append(made)
        return implied

    def connect(self, nodes: list[Node], shared: list[Node]) -> None:
        """Find the signals that wires name."""
        scope = scope_of(nodes, shared)
        for node in nodes:
            for parameter, name in node.wires.items():
                source = scope.get(name)
                if source is not None:
                    node.sources[parameter] = source
                    continue
                key = "text" if node.controller_type is Expression else parameter
                written = node.place if node.implied else (*node.place, key)
                known = [each for each, found in scope.items() if not found.implied]
                near = nearest_name(name, known)
                fix = None if near else f"there are {', '.join(known) or 'none'}"
                self._add(written, f"there is no signal '{name}' here", nearest=near, fix=fix)

    def parameters(self, node: Node) -> ControllerParameters | None:
        """The parameters of a node, checked; None where something is wrong with them."""
        model = node.controller_type.Parameters
        try:
            return model.model_validate(node.constants)
        except ValidationError as error:
            self._problems += problems_of(
                error,
                self._document,
                model,
                node.constants,
                relocate=lambda path: (*node.place, *path),
                also_known=_HEAD,
            )
            return None

    def check_types(self, node: Node) -> None:
        """Every wire carries what its parameter takes."""
        for parameter, source in node.sources.items():
            in_formula = node.controller_type is Expression
            what = "text" if in_formula else parameter
            wanted = Output.FLOAT if in_formula else kind_of(node.controller_type, parameter)
            if source.made is None or wanted is None:
                continue
            given = source.made.output
            if not given.fits(wanted):
                # A formula that stands for a wire has no key of its own: it is the wire's.
                end = node.name if node.implied else f"{node.name}.{what}"
                self._add(
                    node.place if node.implied else (*node.place, what),
                    f"{source.name} ({given.value}) → {end} ({wanted.value}): "
                    f"a {given.value} cannot drive a {wanted.value}",
                    fix=_advice(given, wanted),
                )

    def _add(
        self, place: KeyPath, message: str, *, nearest: str | None = None, fix: str | None = None
    ) -> None:
        self._problems.append(self._document.problem(place, message, nearest=nearest, fix=fix))


def _free_name(kind: str, taken: set[str]) -> str:
    base = (kind[:1].lower() + kind[1:]) or "controller"
    number, name = 1, base
    while name in taken:
        number += 1
        name = f"{base}{number}"
    return name


def _advice(given: Output, wanted: Output) -> str | None:
    if given is Output.FRAME:
        return "a frame goes into AddAniBuffer"
    if wanted is Output.FRAME:
        return "write the value into a channel with WriteToChannel, and wire that"
    if wanted is Output.BOOL and given is Output.STRING:
        return "StrChanged tells when a text changes"
    return None
