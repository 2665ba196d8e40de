"""Writes the workbook with which an author begins: examples, drop-down lists, notes and help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.comments import Comment
from openpyxl.formatting.rule import Rule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sera.behaviour.library._sheet import column_letters
from sera.behaviour.library._template_words import EXAMPLES, HELP, NOTES
from sera.behaviour.targets import PERSON

_LAST_ROW = 1000
_FORMATTED_ROWS = 200
_TWO_LINES = 31.0
_FONT = "Calibri"
_INK = "FF1F3A4D"
_HEADING_FILL = PatternFill("solid", fgColor=_INK)
_SOFT_FILL = PatternFill("solid", fgColor="FFE8EEF2")
_TWICE_FILL = PatternFill("solid", bgColor="FFF4B6B6")
_THIN = Border(bottom=Side(style="thin", color="FFD0D7DC"))
_TOP = Alignment(vertical="top", wrap_text=True)
_WIDTHS = {"ID": 15, "CATEGORY": 20, "QUESTION": 12, "REPETITIONS": 16, "NOTES": 36}
_TEXT_WIDTH = 52


@dataclass(frozen=True, slots=True)
class _Names:
    """What examples may use of this scenario."""

    verbs: Sequence[str]
    target: str
    animation: str


def write_template(
    path: Path,
    *,
    verbs: Sequence[str] = (),
    targets: Sequence[str] = (),
    animations: Sequence[str] = (),
    categories: Sequence[str] = (),
    languages: Sequence[str] = (),
) -> None:
    """Write a new workbook (.xlsx); a file of that name is replaced.

    Args:
        path: where to.
        verbs: of the markup, such as GAZE.
        targets: what can be looked or pointed at in this scenario.
        animations: that the robot of this scenario has.
        categories: that the scenario asks for; those of the examples are added.
        languages: one text column for each; none or one without a tag: one column TEXT.
    """
    own = {path.casefold() for path in categories}
    offered = [*categories, *_example_categories(own)]
    workbook = Workbook()
    sheet = workbook.worksheets[0]
    sheet.title = "Utterances"
    actions = workbook.create_sheet("Actions")
    _write_help(workbook.create_sheet("Help"))
    lists = workbook.create_sheet("Lists")
    ranges = _write_lists(
        lists,
        {
            "Categories": offered,
            "Verbs": verbs,
            "Targets": targets,
            "Animations": animations,
            "Targets and animations": [*targets, *animations],
        },
    )
    names = _Names(verbs, _example(targets), next(iter(animations), ""))
    _write_lines(sheet, languages, names, ranges["Categories"])
    _write_actions(actions, names, ranges)
    workbook.save(path)


def _example(targets: Sequence[str]) -> str:
    """The target that the examples use: whoever is there, in every scenario."""
    return next((each for each in targets if each == PERSON), next(iter(targets), ""))


def _example_categories(own: set[str]) -> list[str]:
    found = dict.fromkeys(example.category for example in EXAMPLES)
    return [category for category in found if category.casefold() not in own]


def _write_lines(
    sheet: Worksheet, languages: Sequence[str], names: _Names, categories: str
) -> None:
    spoken = [language for language in languages if language] or [""]
    texts = {f"TEXT {language}".strip(): language for language in spoken}
    headings = ["ID", "CATEGORY", *texts, "QUESTION", "REPETITIONS", "NOTES"]
    _headings(sheet, headings)
    for column, heading in enumerate(headings):
        letter = column_letters(column)
        sheet.column_dimensions[letter].width = _WIDTHS.get(heading, _TEXT_WIDTH)
        note = Comment(NOTES[heading.partition(" ")[0]], "SERA")
        note.width, note.height = 300, 110
        sheet[f"{letter}1"].comment = note
    parameters = {"target": names.target, "animation": names.animation}
    for row, example in enumerate(EXAMPLES, start=2):
        values = [example.id, example.category]
        values += [example.text(language, names.verbs, parameters) for language in texts.values()]
        values += [example.question, example.repetitions, example.note]
        for column, value in enumerate(values, start=1):
            _put(sheet, row, column, value)
        # Programs do not fit the height of rows that they did not write themselves.
        sheet.row_dimensions[row].height = _TWO_LINES
    for row in range(2, _FORMATTED_ROWS + 2):
        for column in range(1, len(headings) + 1):
            sheet.cell(row, column).alignment = _TOP
    after_texts = 2 + len(texts)
    _drop_down(sheet, "B", categories, free=True)
    _drop_down(sheet, column_letters(after_texts), '"yes,no"')
    _drop_down(sheet, column_letters(after_texts + 1), '"any,session,ever"')
    is_there_twice = f'AND($A2<>"",COUNTIF($A$2:$A${_LAST_ROW},$A2)>1)'
    red = DifferentialStyle(fill=_TWICE_FILL)
    twice = Rule(type="expression", dxf=red, formula=[is_there_twice])
    sheet.conditional_formatting.add(f"A2:A{_LAST_ROW}", twice)
    # Heading, id and category stay in sight.
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = f"A1:{column_letters(len(headings) - 1)}{_FORMATTED_ROWS + 1}"
    sheet.print_title_rows = "1:1"
    _print_on_width(sheet)


def _write_actions(sheet: Worksheet, names: _Names, ranges: dict[str, str]) -> None:
    """A small builder: two choices make the text that is copied into a line."""
    _headings(sheet, ["What", "Whom, what or how often", "Copy this into a text"])
    for letter, width in zip("ABC", (30, 34, 44), strict=True):
        sheet.column_dimensions[letter].width = width
    known = {verb.upper(): verb for verb in names.verbs}
    ready = [("GAZE", names.target), ("POINT", names.target)]
    ready += [("ANIMATE", names.animation), ("HEADNOD", "2")]
    ready = [(known[verb], name) for verb, name in ready if verb in known and name]
    for row in range(2, 12):
        verb, name = ready[row - 2] if row - 2 < len(ready) else ("", "")
        _put(sheet, row, 1, verb)
        _put(sheet, row, 2, name)
        sheet.cell(row, 3).value = f'=IF(A{row}="","","<"&A{row}&"("&B{row}&")>")'
        for column in (1, 2, 3):
            sheet.cell(row, column).border = _THIN
        sheet.cell(row, 3).font = Font(name="Consolas", color=_INK)
        sheet.cell(row, 3).fill = _SOFT_FILL
    _drop_down(sheet, "A", ranges["Verbs"], free=not names.verbs, last_row=11)
    _drop_down(sheet, "B", ranges["Targets and animations"], free=True, last_row=11)
    _put(
        sheet,
        13,
        1,
        "Choose what the robot does and whom or what it is about; then copy the right cell into "
        "a text, at the word where it should happen. All names stand in the sheet Lists.",
    )
    sheet.merge_cells("A13:C14")
    sheet["A13"].alignment = _TOP
    sheet.freeze_panes = "A2"
    _print_on_width(sheet)


def _write_help(sheet: Worksheet) -> None:
    sheet.column_dimensions["A"].width = 18
    sheet.column_dimensions["B"].width = 96
    sheet.sheet_view.showGridLines = False
    for row, (left, right) in enumerate(HELP, start=1):
        _put(sheet, row, 1, left)
        _put(sheet, row, 2, right)
        for column in (1, 2):
            sheet.cell(row, column).alignment = _TOP
        if right:
            sheet.cell(row, 1).font = Font(name=_FONT, bold=True, color=_INK)
            sheet.row_dimensions[row].height = 16.0 * (1 + len(right) // 115)
        else:
            sheet.merge_cells(start_row=row, end_row=row, start_column=1, end_column=2)
            sheet.cell(row, 1).font = Font(
                name=_FONT, bold=True, size=16 if row == 1 else 13, color=_INK
            )
            sheet.cell(row, 1).alignment = Alignment(vertical="bottom")
            sheet.row_dimensions[row].height = 30
    _print_on_width(sheet)


def _write_lists(sheet: Worksheet, lists: dict[str, Sequence[str]]) -> dict[str, str]:
    """One column for each list; the ranges by name, for drop-down lists."""
    _headings(sheet, list(lists))
    ranges = {}
    for column, (title, names) in enumerate(lists.items()):
        letter = column_letters(column)
        sheet.column_dimensions[letter].width = 28
        for row, name in enumerate(names, start=2):
            _put(sheet, row, column + 1, name)
        ranges[title] = f"Lists!${letter}$2:${letter}${max(2, len(names) + 1)}"
    sheet.freeze_panes = "A2"
    _print_on_width(sheet)
    return ranges


def _headings(sheet: Worksheet, headings: Sequence[str]) -> None:
    for column, heading in enumerate(headings, start=1):
        cell = sheet.cell(1, column, heading)
        cell.font = Font(name=_FONT, bold=True, color="FFFFFFFF")
        cell.fill = _HEADING_FILL
        cell.alignment = Alignment(vertical="center")
    sheet.row_dimensions[1].height = 24


def _put(sheet: Worksheet, row: int, column: int, text: str) -> None:
    """Write a text as a text, also where it begins like a formula."""
    cell = sheet.cell(row, column)
    assert isinstance(cell, Cell)
    if text:
        cell.value = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
        cell.data_type = "s"


def _drop_down(
    sheet: Worksheet, letter: str, source: str, *, free: bool = False, last_row: int = _LAST_ROW
) -> None:
    """A drop-down list; `free`: other words may be written too."""
    validation = DataValidation(type="list", formula1=source, allow_blank=True)
    validation.showErrorMessage = not free
    validation.errorTitle = "Not in the list"
    validation.error = "Please choose one of the list, or leave the cell empty."
    sheet.add_data_validation(validation)
    validation.add(f"{letter}2:{letter}{last_row}")


def _print_on_width(sheet: Worksheet) -> None:
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = 9  # A4
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
