"""Layers of a program file: their names, places, masks and ways of blending."""

from __future__ import annotations

from sera.animation.body import Body
from sera.animation.body.sets import GENERIC, GENERIC_SETS
from sera.animation.channels import OWN_SET
from sera.animation.engine import Controller, Layer
from sera.animation.frame import BlendMode
from sera.animation.program._file import LayerTable
from sera.animation.program.wiring import Node
from sera.runtime.located import FileProblem, LocatedToml, nearest_name


class LayerMaker:
    """Makes layers from their tables, bottom first, and says what is wrong with them."""

    def __init__(
        self,
        document: LocatedToml,
        tables: list[LayerTable],
        body: Body,
        problems: list[FileProblem],
    ) -> None:
        self._document, self._tables, self._problems = document, tables, problems
        self._known = [*GENERIC_SETS, OWN_SET, *body.channels, *GENERIC]
        self._before: dict[str, Layer] = {}

    def check(self, number: int, nodes: list[Node]) -> None:
        """What can be said before anything is made."""
        table = self._tables[number]
        if any(table.name == other.name for other in self._tables[:number]):
            message = f"another layer is called '{table.name}'; each needs its own name"
            self._add(number, "name", message)
        for place, name in enumerate(table.only or ()):
            if name not in self._known:
                self._problems.append(
                    self._document.problem(
                        ("layers", number, "only", place),
                        f"there is no channel or body set '{name}'",
                        nearest=nearest_name(name, self._known),
                    )
                )
        driving = {source for node in nodes for source in node.sources.values()}
        changing = [node for node in nodes if node.controller_type.reads_below]
        if changing and table.mode == "add":
            self._add(
                number,
                "mode",
                f"'{changing[0].name}' changes what the layers below made; added to them it would "
                "count twice",
                fix='write mode = "override" in this layer',
            )
        for node in changing:
            if node in driving:
                message = f"'{node.name}' changes the chain it stands in and cannot feed another"
                fix = "put it behind the AddAniBuffer"
                self._problems.append(self._document.problem(node.place, message, fix=fix))

    def layer(self, number: int, controllers: list[Controller]) -> Layer:
        """The layer of that place in the file; one after the other."""
        table = self._tables[number]
        made = Layer(
            table.name,
            controllers,
            mode=BlendMode.ADD if table.mode == "add" else BlendMode.OVERRIDE,
            weight=table.weight,
            active=table.active,
            fade_s=table.fade_s,
            only=table.only,
            inside=self._around(number, table.inside),
        )
        self._before.setdefault(table.name, made)
        return made

    def _around(self, number: int, name: str | None) -> Layer | None:
        if name is None or name in self._before:
            return None if name is None else self._before[name]
        is_later = any(name == other.name for other in self._tables)
        self._add(
            number,
            "inside",
            f"there is no layer '{name}' above this one in the file",
            nearest=None if is_later else nearest_name(name, self._before),
            fix="a layer stands before those inside it" if is_later else None,
        )
        return None

    def _add(
        self,
        number: int,
        key: str,
        message: str,
        *,
        nearest: str | None = None,
        fix: str | None = None,
    ) -> None:
        place = ("layers", number, key)
        self._problems.append(self._document.problem(place, message, nearest=nearest, fix=fix))
