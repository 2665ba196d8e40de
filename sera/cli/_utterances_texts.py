"""What a voice will be asked to say for a library: every text, cut as the performer cuts it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from sera.behaviour.library import UNMARKED, Library
from sera.behaviour.markup import MarkupSyntax, ParsedLine, SpeechControl, TagUse, fill, parse
from sera.behaviour.performing import PlainLine, cut
from sera.runtime.located import FileProblem, LocatedToml, read_text

MOST_FILLINGS = 1000
"""How many ways to fill the tags of one line are rendered at most."""
DEFAULT_LANGUAGE = "en"

Tags = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Piece:
    """One order to the voice."""

    text: str
    rate: float
    language: str


@dataclass(slots=True)
class Texts:
    """Everything that is to be rendered, and what is not."""

    pieces: dict[Piece, str] = field(default_factory=dict)
    """Each once, with the first line that needs it."""
    lines: int = 0
    left_out: dict[str, str] = field(default_factory=dict)
    """Lines that cannot be rendered beforehand, and why."""


def texts_of(library: Library, language: str | None, tags: Tags, syntax: MarkupSyntax) -> Texts:
    """What is said of a library.

    Args:
        library: lines and dialogue rows.
        language: only this one; None: every language of every line.
        tags: the values of each tag.
        syntax: the signs around tags.
    """
    result = Texts()
    folded = {name.casefold(): list(dict.fromkeys(values)) for name, values in tags.items()}
    for name, texts in _rows(library):
        for spoken, text in _wanted(texts, language):
            line = parse(text, syntax)
            if line.is_nonverbal and not line.tags:
                continue
            result.lines += 1
            values = [folded.get(tag.casefold(), []) for tag in _heard_tags(line)]
            why = _why_not(line, values, syntax)
            if why is not None:
                result.left_out[name] = why
                continue
            for filling in product(*values):
                for piece in _pieces(line, dict(zip(_heard_tags(line), filling, strict=True))):
                    said = Piece(piece.text, piece.rate, spoken)
                    result.pieces.setdefault(said, name)
    return result


def read_tags(written: Sequence[str], file: Path | None) -> dict[str, list[str]]:
    """The values of tags, from `name=value1,value2` and from a TOML file of lists.

    Raises:
        ValueError: an option has no name or no value.
        FileProblem: the file cannot be used.
    """
    tags: dict[str, list[str]] = {} if file is None else _tags_in(file)
    for option in written:
        name, equals, values = option.partition("=")
        listed = [value.strip() for value in values.split(",") if value.strip()]
        if not (equals and name.strip() and listed):
            raise ValueError(
                f"--tag {option}: write a name and its values, such as --tag day=one,two"
            )
        tags.setdefault(name.strip(), []).extend(listed)
    return tags


def _tags_in(file: Path) -> dict[str, list[str]]:
    if file.suffix.lower() == ".csv":
        import csv
        import io

        rows = list(csv.reader(io.StringIO(read_text(file))))
        names = [name.strip() for name in rows[0]] if rows else []
        if not any(names):
            fix = "a column for each tag, its values below"
            raise FileProblem(file, "the first row names no tag", line=1, fix=fix)
        columns: dict[str, list[str]] = {name: [] for name in names if name}
        for row in rows[1:]:
            for name, value in zip(names, row, strict=False):
                if name and value.strip():
                    columns[name].append(value.strip())
        return columns
    document = LocatedToml.load(file)
    tags: dict[str, list[str]] = {}
    for name, values in document.data.items():
        listed: list[Any] = values if isinstance(values, list) else [values]
        if not listed or not all(isinstance(one, str | int | float) for one in listed):
            fix = f'such as {name} = ["one", "two"]'
            raise document.problem((name,), "the values of a tag are a list of texts", fix=fix)
        tags[name] = [str(one) for one in listed]
    return tags


def _rows(library: Library) -> Iterator[tuple[str, Mapping[str, str]]]:
    for line in library.lines:
        yield line.id, line.texts
    for row in library.dialogue:
        yield str(row.origin), row.texts


def _wanted(texts: Mapping[str, str], language: str | None) -> Iterator[tuple[str, str]]:
    from sera.behaviour.library.line import text_in

    if language is not None:
        text = text_in(texts, language)
        if text:
            yield language, text
        return
    for tag, text in texts.items():
        if text:
            yield (DEFAULT_LANGUAGE if tag == UNMARKED else tag), text


def _heard_tags(line: ParsedLine) -> list[str]:
    """The tags that change what is heard: those in the text and in pauses and speeds."""
    found: dict[str, None] = {}
    for token in line.tokens:
        if isinstance(token, TagUse):
            found[token.name] = None
        elif isinstance(token, SpeechControl):
            found |= {one.name: None for one in token.value if isinstance(one, TagUse)}
    return list(found)


def _why_not(line: ParsedLine, values: list[list[str]], syntax: MarkupSyntax) -> str | None:
    missing = [tag for tag, known in zip(_heard_tags(line), values, strict=True) if not known]
    if missing:
        written = ", ".join(syntax.delimiters.around(tag) for tag in missing)
        return f"no values are listed for {written} (--tag {missing[0]}=value1,value2)"
    ways = prod(len(known) for known in values)
    if ways > MOST_FILLINGS:
        return f"its tags can be filled in {ways} ways, more than {MOST_FILLINGS}"
    return None


def _pieces(line: ParsedLine, values: Mapping[str, str]) -> Iterator[Any]:
    said = fill(line, values).line
    performed = PlainLine(said.text, (), tuple(said.pauses), tuple(said.rates))
    yield from cut(performed).segments
