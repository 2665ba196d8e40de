"""Reports: the same content everywhere, whole pages, and SIMULATED wherever one looks."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pypdf import PdfReader

from sera.study.analysis import Analysis, analyse
from sera.study.plan import StudyPlan
from sera.study.report import ReportNeeds, data_rows, document_of, text_of, write_report
from sera.study.report.document import Figure, Table
from sera.study.scoring import score

SCREAMS = "SIMULATED"


class Page(HTMLParser):
    """What a reader of the page's source wants to know."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return squeezed("".join(self.words))


def squeezed(text: str) -> str:
    """Without blanks, since PDFs break lines where they like."""
    return re.sub(r"\s+", "", text)


@pytest.fixture(scope="module")
def simulated(plan, scales, make_rows) -> Analysis:
    rows = make_rows(per_condition=6)
    rows[3] = replace(rows[3], fate="excluded", exclusion="left early")
    return analyse(plan, rows, scales)


@pytest.fixture(scope="module")
def real(plan, scales, make_rows) -> Analysis:
    return analyse(plan, make_rows(per_condition=6, kind="study"), scales)


@pytest.fixture(scope="module")
def simulated_report(simulated, forms, tmp_path_factory) -> Path:
    """The folder of a report for tests that only look at it."""
    folder = tmp_path_factory.mktemp("simulated")
    write_report(simulated, folder, forms=forms)
    return folder


@pytest.fixture(scope="module")
def real_report(real, forms, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("real")
    write_report(real, folder, forms=forms)
    return folder


def test_every_page_plot_table_and_row_of_simulated_data_says_so(simulated, simulated_report):
    pages = PdfReader(simulated_report / "report.pdf").pages
    assert len(pages) > 3
    for page in pages:
        # At the head and at the foot, whatever else stands on it.
        assert page.extract_text().count(SCREAMS) >= 2
    source = (simulated_report / "report.html").read_text(encoding="utf-8")
    plots = re.findall(r"<svg.*?</svg>", source, flags=re.DOTALL)
    assert len(plots) == len(simulated.variables)
    for plot in plots:
        titles = re.findall(r"<title>(.*?)</title>", plot)
        assert all(SCREAMS in title for title in titles)
        drawn = re.findall(r"<text[^>]*>([^<]*)</text>", plot)
        # Across the plot, and in its heading.
        assert sum(SCREAMS in words for words in drawn) == 2
    for part in ("caption", "figcaption", "h1"):
        found = re.findall(rf"<{part}[^>]*>(.*?)</{part}>", source, flags=re.DOTALL)
        assert found
        assert all(SCREAMS in words for words in found)
    assert re.search(r"<title>SIMULATED: ", source)
    assert "@top-center { content: 'SIMULATED DATA'" in source
    with (simulated_report / "data.csv").open(encoding="utf-8") as file:
        assert {row["simulated"] for row in csv.DictReader(file)} == {"true"}
    rows = json.loads((simulated_report / "data.json").read_text(encoding="utf-8"))
    assert len(rows) == 18
    assert all(row["simulated"] is True for row in rows)
    assert json.loads((simulated_report / "analysis.json").read_text())["simulated"] is True


def test_the_report_says_what_the_planned_sample_could_show(real, forms):
    told = text_of(document_of(real, forms=forms))
    assert "With 19 participants in each group, a Mann-Whitney test finds r = 0.5" in told
    assert "Power 0.8 takes 21 in each group." in told


def test_no_argument_hides_that_data_are_simulated(simulated, tmp_path):
    names = set(write_report.__kwdefaults__)
    assert names == {"forms", "facts", "versions", "own"}
    assert set(document_of.__kwdefaults__) == names
    facts = {"Data": "from real people", "simulated": "false"}
    write_report(simulated, tmp_path, facts=facts, versions={"simulated": "no"})
    assert all(SCREAMS in page.extract_text() for page in PdfReader(tmp_path / "report.pdf").pages)
    # Leaving out what counts, or its description, leaves the rows.
    stripped = replace(simulated, counted=(), variables=(), notes=())
    assert stripped.simulated
    assert document_of(stripped).simulated
    for block in (block for section in document_of(simulated).sections for block in section.blocks):
        if isinstance(block, Table | Figure):
            assert SCREAMS in block.caption


def test_data_of_people_are_not_called_simulated(real_report):
    assert SCREAMS not in (real_report / "report.html").read_text(encoding="utf-8")
    assert not any(
        SCREAMS in page.extract_text() for page in PdfReader(real_report / "report.pdf").pages
    )
    rows = json.loads((real_report / "data.json").read_text(encoding="utf-8"))
    assert all(row["simulated"] is False for row in rows)


def test_page_paper_and_terminal_have_the_same_content(real, forms, real_report):
    document = document_of(real, forms=forms)
    page = Page((real_report / "report.html").read_text(encoding="utf-8")).text
    paper = squeezed(
        "".join(one.extract_text() for one in PdfReader(real_report / "report.pdf").pages)
    )
    terminal = squeezed(text_of(document))
    tables = 0
    for section in document.sections:
        assert squeezed(section.title) in page
        assert squeezed(section.title) in paper
        for block in section.blocks:
            if isinstance(block, Table):
                tables += 1
                assert squeezed(block.heading) in page
                assert squeezed(block.heading) in paper
                assert squeezed(block.heading) in terminal
                for row in block.rows:
                    for cell in row:
                        assert squeezed(cell) in page
    assert tables > 20
    for comparison in real.variables[0].comparisons:
        words = squeezed(comparison.result.text())
        assert words in page
        assert words in paper


def test_the_page_asks_nobody_and_runs_nothing(simulated_report):
    source = (simulated_report / "report.html").read_text(encoding="utf-8")
    page = Page(source)
    names = [name for name, _ in page.tags]
    assert not {"script", "link", "iframe", "img", "object", "embed", "base"} & set(names)
    for _, attributes in page.tags:
        for key, value in attributes.items():
            assert not key.startswith("on")
            if key in {"href", "src", "xlink:href"}:
                assert value.startswith("#")
    assert "@import" not in source
    assert not re.search(r"url\((?!#)", source)
    assert "default-src 'none'" in source


def test_the_page_can_be_heard_as_well_as_seen(simulated_report):
    page = Page((simulated_report / "report.html").read_text(encoding="utf-8"))
    ids = [found["id"] for _, found in page.tags if "id" in found]
    assert len(ids) == len(set(ids))
    links = [found["href"][1:] for name, found in page.tags if name == "a"]
    assert set(links) <= set(ids)
    names = [name for name, _ in page.tags]
    assert names.count("caption") == names.count("table")
    assert all(found.get("scope") in {"col", "row"} for name, found in page.tags if name == "th")
    assert all(found.get("role") == "img" for name, found in page.tags if name == "svg")
    assert ("html", {"lang": "en"}) in page.tags
    assert names.count("h1") == 1


def test_sources_and_wordings_of_questionnaires_are_told(simulated, forms):
    document = document_of(simulated, forms=forms)
    told = text_of(document)
    tables = [one for part in document.sections for one in part.blocks if isinstance(one, Table)]
    wordings = {
        row[0]: row for table in tables if "Questionnaire" in table.columns for row in table.rows
    }
    assert set(wordings) == set(forms)
    for name, form in forms.items():
        assert wordings[name][1] == form.questionnaire.source
        for tag, wording in form.languages.items():
            assert f"{tag}: {wording}" in wordings[name][3]
    assert "not validated" in told
    assert "Sessions by language: en: " in told
    assert "left early" in told
    assert "How old are you?" in told


def test_the_same_data_give_the_same_bytes(simulated, forms, simulated_report, tmp_path):
    again = write_report(simulated, tmp_path, forms=forms)
    for path in again:
        assert path.read_bytes() == (simulated_report / path.name).read_bytes()
    assert len(again) > 3


def test_hostile_titles_are_shown_as_they_are(
    plan_of: Callable[[str], StudyPlan], plan_text: str, make_rows, tmp_path: Path
):
    text = plan_text.replace("Hints & <postures>", "<script>alert(1)</script> $x_{ & </title>")
    text = text.replace('title = "C-ERIK"', 'title = "$\\\\frac{ <b>\\u0007 机器人 " ')
    text = text.replace('title = "Wrong guesses"', 'title = "' + "Wrong$^" * 40 + '"')
    rows = [
        replace(row, participant=f"=cmd|{row.participant}") for row in make_rows(per_condition=4)
    ]
    write_report(analyse(plan_of(text), rows), tmp_path)
    source = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in source
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in source
    assert "\x07" not in source
    assert len(PdfReader(tmp_path / "report.pdf").pages) > 2
    with (tmp_path / "data.csv").open(encoding="utf-8") as file:
        assert all(row["participant"].startswith("'=cmd") for row in csv.DictReader(file))


def test_a_study_of_which_nothing_is_known_yet_has_a_report(
    plan, scales, forms, make_rows, tmp_path
):
    rows = [replace(row, fate="aborted") for row in make_rows(per_condition=1, kind="study")]
    write_report(analyse(plan, rows, scales), tmp_path, forms=forms)
    text = "".join(one.extract_text() for one in PdfReader(tmp_path / "report.pdf").pages)
    assert "There is not a single value of it." in text
    assert "nothing to compare yet" in squeezed(text) or "nothingtocompareyet" in squeezed(text)


def test_constant_values_and_missing_ones_have_a_report(plan, scales, make_rows, tmp_path):
    rows = [
        replace(row, measures={"WrongTotal": 7, "Time": float("nan") if place % 2 else 1e9})
        for place, row in enumerate(make_rows(per_condition=5))
    ]
    found = analyse(plan, rows, scales)
    write_report(found, tmp_path)
    assert "all values are the same" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "data.json").read_text())[1]["measure.Time"] is None


def test_free_text_stays_out_of_the_data_beside_the_report(real, forms, tmp_path):
    item = next(item for item in forms["demographics"].items if item.kind == "choice")
    private = forms["demographics"].model_copy(
        update={"items": [item.model_copy(update={"kind": "text"})]}
    )
    write_report(real, tmp_path, forms={"demographics": private})
    columns = next(csv.reader(io.StringIO((tmp_path / "data.csv").read_text(encoding="utf-8"))))
    assert f"demographics.{item.id}" not in columns
    assert "demographics.age" in columns


def test_what_is_not_installed_is_named_with_the_command(simulated, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "reportlab.lib.pagesizes", None)
    with pytest.raises(ReportNeeds, match=r"pip install 'sera-hri\[study\]'"):
        write_report(simulated, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("wish", "corrections", "of_whom"),
    [
        ("normal", "corrected for ties", ", as in the documents"),
        ("continuity", "corrected for ties and continuity", "."),
    ],
)
def test_the_report_says_how_p_of_ranks_was_found(
    plan_of, plan_text, make_rows, *, wish, corrections, of_whom
):
    text = plan_text.replace("[analysis]", f'[analysis]\nrule = "ranks"\nrank_tests = "{wish}"')
    analysis = analyse(plan_of(text), make_rows(per_condition=12))
    told = " ".join(text_of(document_of(analysis)).split())
    assert "p of Mann-Whitney and Wilcoxon tests is found from the normal distribution" in told
    assert f"the normal distribution, {corrections}{of_whom}" in told
    assert f"p of ranks: normal approximation, {corrections}." in told


def test_the_data_have_no_text_that_may_have_been_typed_and_scales_as_the_export_has_them(
    plan, scales, forms, make_rows
):
    first, *others = make_rows(kind="study")
    old = {"comment": "my name is on the door", "stars": 4}
    typed = {**first.answers["demographics"], "gone": "second floor"}
    first = replace(first, answers={**first.answers, "old": old, "demographics": typed})
    found = analyse(plan, [first, *others], scales)
    for known in (forms, None):
        rows = data_rows(found, known)
        assert "on the door" not in str(rows)
        assert "second floor" not in str(rows)
        assert rows[0]["old.stars"] == 4
        assert ("demographics.gender" in rows[0]) == (known is not None)
    discomfort = next(scale for scale in scales if scale.name == "RD")
    plain = score(discomfort, first.answers)
    assert rows[0]["scale.RD"] == pytest.approx(plain)
    assert rows[0]["scale.RD.inverted"] == pytest.approx(discomfort.inverted(plain))
    assert rows[0]["scale.RW"] is not None
    assert "scale.RW.inverted" not in rows[0]
