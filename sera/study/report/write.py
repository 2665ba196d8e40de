"""`write_report`: the page, the PDF and the data beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from sera.study.analysis import Analysis
from sera.study.questionnaire import Questionnaire
from sera.study.report.content import document_of
from sera.study.report.data_files import csv_of, data_rows, json_of
from sera.study.report.document import Section
from sera.study.report.html import html_of
from sera.study.report.pdf import pdf_of

INSTALL = "pip install 'sera-hri[study]'"


class ReportNeeds(RuntimeError):
    """A package that reports are made with is not installed."""


def write_report(
    analysis: Analysis,
    folder: Path,
    *,
    forms: Mapping[str, Questionnaire] | None = None,
    facts: Mapping[str, str] | None = None,
    versions: Mapping[str, str] | None = None,
    own: Sequence[Section] = (),
) -> list[Path]:
    """Write report.html, report.pdf, data.csv, data.json and analysis.json; give their paths.

    Simulated data are named on every page and plot and in every row; nothing switches that off.

    Args:
        analysis: what was found.
        folder: made where it is missing; older files of these names are replaced.
        forms: questionnaires of the study, by name.
        facts: more lines for the table about the study.
        versions: of the software; left out: those of SERA, numpy and scipy.
        own: sections of the study's own functions (`own_sections`).

    Raises:
        ReportNeeds: matplotlib or reportlab is missing.
        OSError: the folder cannot be written.
    """
    document = document_of(
        analysis,
        forms=forms,
        facts=facts,
        versions=used_versions() if versions is None else versions,
        own=own,
    )
    try:
        page, paper = html_of(document), pdf_of(document)
    except ImportError as error:
        raise ReportNeeds(f"reports need the package {error.name}: {INSTALL}") from None
    rows = data_rows(analysis, forms)
    results = json.dumps(analysis.as_json(), indent=1, ensure_ascii=False, allow_nan=False)
    contents = {
        "report.html": page.encode("utf-8", errors="replace"),
        "report.pdf": paper,
        "data.csv": csv_of(rows).encode("utf-8", errors="replace"),
        "data.json": json_of(rows).encode("utf-8", errors="replace"),
        "analysis.json": f"{results}\n".encode("utf-8", errors="replace"),
    }
    folder.mkdir(parents=True, exist_ok=True)
    return [_replaced(folder / name, content) for name, content in contents.items()]


def _replaced(path: Path, content: bytes) -> Path:
    """Written aside first: whoever reads the old one never meets half of a new one."""
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        aside.write_bytes(content)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)
    return path


def used_versions() -> dict[str, str]:
    """Versions of what the figures come from."""
    from importlib.metadata import PackageNotFoundError, version

    from sera import __version__

    found = {"SERA": __version__}
    for package in ("numpy", "scipy", "matplotlib", "reportlab"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
