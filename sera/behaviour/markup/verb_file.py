"""A workspace's own verbs, from a file `verbs.toml`.

```toml
[verbs.BOW]
needs = "torso"
fallbacks = ["HEADNOD", "BOW by lights"]
parameters = [{ name = "n", kind = "count", default = 1, upper = 5 }]
about = "Bow n times."
sends = { message = "PlayAnimation", animation = "bow", repeats = "{n}" }
```

`sends` is any message of the vocabulary or of the workspace; a field that is `{n}` alone takes the
parameter's value as it is, other texts take it in.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sera.behaviour.markup.builtin import BUILT_IN_VERBS
from sera.behaviour.markup.sending import sending_of
from sera.behaviour.markup.verbs import Fallback, Kind, Parameter, VerbRegistry, VerbSpec
from sera.runtime.located import FileProblem, FileProblems, LocatedToml, nearest_name


class _ParameterTable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    kind: Kind = Kind.TEXT
    required: bool = False
    default: int | float | str | None = None
    lower: float = 1
    upper: float = 20
    many: bool = False


class _VerbTable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    needs: str | None = None
    fallbacks: list[str] = []
    parameters: list[_ParameterTable] = []
    joins: bool = False
    about: str = ""
    replaces: bool = False
    """Whether it takes the place of a verb that is there already."""
    sends: dict[str, Any] | None = None
    """What has it done: `message`, its type, and the message's fields."""


def load_verbs(path: Path, known: VerbRegistry = BUILT_IN_VERBS) -> VerbRegistry:
    """The known verbs and those of a file.

    Raises:
        FileProblems: everything that is wrong in the file.
        FileProblem: it cannot be read at all.
    """
    file = LocatedToml.load(path)
    problems: list[FileProblem] = [
        file.problem((key,), "there is no such table", nearest=nearest_name(key, ["verbs"]))
        for key in file.data
        if key != "verbs"
    ]
    tables = file.data.get("verbs", {})
    if not isinstance(tables, dict):
        raise FileProblems([file.problem(("verbs",), "verbs are tables: [verbs.NAME]")])
    names = {*known.names, *(name.upper() for name in tables)}
    verbs: list[VerbSpec] = []
    for name, table in tables.items():
        verb = _read(file, name, table, known=known, names=names, problems=problems)
        if verb is not None:
            verbs.append(verb)
    if problems:
        raise FileProblems(problems)
    try:
        return known.with_verbs(*verbs, replace=True)
    except ValueError as error:
        raise FileProblems([file.problem(("verbs",), str(error))]) from None


def _read(
    file: LocatedToml,
    name: str,
    table: Any,
    *,
    known: VerbRegistry,
    names: set[str],
    problems: list[FileProblem],
) -> VerbSpec | None:
    try:
        read = _VerbTable.model_validate(table)
    except ValidationError as error:
        for one in error.errors():
            where = ("verbs", name, *one["loc"])
            fields = _ParameterTable.model_fields if len(where) > 3 else _VerbTable.model_fields
            extra = one["type"] == "extra_forbidden"
            near = nearest_name(str(where[-1]), fields) if extra else None
            message = "there is no such key" if extra else one["msg"].lower()
            problems.append(file.problem(where, message, nearest=near))
        return None
    where_verb = ("verbs", name)
    if name in known and not read.replaces:
        problems.append(
            file.problem(
                where_verb,
                f"the verb {name.upper()} is there already",
                fix="take another name, or say replaces = true",
            )
        )
        return None
    fallbacks = []
    for number, written in enumerate(read.fallbacks):
        verb, _, means = written.partition(" by ")
        if verb.upper() not in names:
            nearest = nearest_name(verb, names)
            where = (*where_verb, "fallbacks", number)
            problems.append(file.problem(where, f"there is no verb {verb}", nearest=nearest))
        fallbacks.append(Fallback(verb.strip().upper(), means.strip() or None))
    parameters = tuple(Parameter(**one.model_dump()) for one in read.parameters)
    sends = None
    if read.sends is not None:
        try:
            sends = sending_of(read.sends, parameters)
        except ValueError as error:
            problems.append(file.problem((*where_verb, "sends"), str(error)))
    elif not read.replaces:
        problems.append(
            file.problem(
                where_verb,
                "nothing says what the verb does",
                fix='say which message it sends: sends = { message = "PlayAnimation", … }',
            )
        )
    try:
        return VerbSpec(
            name=name.upper(),
            parameters=parameters,
            sends=sends,
            needs=read.needs,
            fallbacks=tuple(fallbacks),
            joins=read.joins,
            about=read.about,
        )
    except ValueError as error:
        problems.append(file.problem(where_verb, str(error)))
        return None
