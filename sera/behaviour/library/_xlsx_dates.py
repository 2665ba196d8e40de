"""Which numbers of an .xlsx file are dates, and what day they mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sera.behaviour.library._package import Package, local_name

_BUILT_IN = frozenset({*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)})
_NOT_FORMAT = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|_.|\*.')
_LAST_SERIAL = 2_958_466  # 10000-01-01, which no calendar here has


@dataclass(frozen=True, slots=True)
class DateStyles:
    """The cell styles that show a number as a date."""

    styles: frozenset[str] = field(default_factory=frozenset)
    """Their numbers, as cells name them."""
    epoch: datetime = datetime(1899, 12, 30)  # noqa: DTZ001

    def text(self, style: str, written: str) -> str:
        """The date in ISO form, or nothing where the cell is no date."""
        if style not in self.styles:
            return ""
        try:
            serial = float(written)
        except ValueError:
            return ""
        if not 0 <= serial < _LAST_SERIAL:
            return ""
        moment = self.epoch + timedelta(seconds=round(serial * 86400))
        if serial < 1:
            return moment.time().isoformat()
        return moment.date().isoformat() if serial.is_integer() else moment.isoformat()


def date_styles(package: Package, *, epoch_1904: bool) -> DateStyles:
    """The date styles of a workbook."""
    epoch = datetime(1904, 1, 1) if epoch_1904 else DateStyles().epoch  # noqa: DTZ001
    part = next((name for name in package.names if name.lower() == "xl/styles.xml"), None)
    if part is None:
        return DateStyles(epoch=epoch)
    custom: set[str] = set()
    formats: list[str] = []
    in_cell_formats = False

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal in_cell_formats
        element = local_name(name)
        if element == "numFmt" and _is_date(attributes.get("formatCode", "")):
            custom.add(attributes.get("numFmtId", ""))
        elif element == "cellXfs":
            in_cell_formats = True
        elif element == "xf" and in_cell_formats:
            formats.append(attributes.get("numFmtId", "0"))

    def end(name: str) -> None:
        nonlocal in_cell_formats
        if local_name(name) == "cellXfs":
            in_cell_formats = False

    package.parse(part, start, end)
    dates = custom | {str(number) for number in _BUILT_IN}
    found = frozenset(str(i) for i, number in enumerate(formats) if number in dates)
    return DateStyles(found, epoch)


def _is_date(format_code: str) -> bool:
    bare = _NOT_FORMAT.sub("", format_code.partition(";")[0]).lower()
    return bool(re.search(r"[dmyhs]", bare)) and not re.search(r"[0#?]", bare.replace("s.0", ""))
