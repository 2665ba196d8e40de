"""A questionnaire as a PDF: title, source, instruction, items with boxes, page numbers.

The same form for the same participant gives the same file, byte by byte.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sera.study._questionnaire_page import paragraphs
from sera.study._questionnaire_tables import Item
from sera.study.paper._fonts import BOLD, PLAIN, PaperError, font_for
from sera.study.paper._words import PaperWords, paper_words
from sera.study.questionnaire import Questionnaire

if TYPE_CHECKING:
    from reportlab.platypus import Flowable

__all__ = ["PaperError", "write_paper"]

_MARGIN = 48.0
_HEAD = 34.0
_TEXT_WIDTH = 595.0 - 2 * (_MARGIN + 6.0)
_PADDING = 6.0
"""Between the margin and what stands in the page's frame."""
_QUIET = 0.35
"""Grey of what is not asked, from black (0) to white (1)."""


def write_paper(
    form: Questionnaire,
    name: str,
    file: Path,
    *,
    language: str | None = None,
    participant: str | None = None,
) -> int:
    """Write a form as PDF; returns how many pages it has.

    Args:
        form: the form, as the study uses it.
        name: its name.
        file: where to; what is there is overwritten.
        language: of the wording; the form's first one, if left out.
        participant: whose order the items have, and whose pseudonym is printed; None: the order
            of the file, and an empty field.

    Raises:
        PaperError: the PDF library is missing, a letter is in no font, or a text does not fit.
    """
    try:
        import reportlab  # noqa: F401
    except ImportError:
        raise PaperError("paper needs a library for PDF: pip install 'sera[study]'") from None
    sheet = _Sheet(form, name, form.language(language), participant)
    pages = sheet.build(io.BytesIO(), pages=None)
    made = io.BytesIO()
    sheet.build(made, pages=pages)
    file.write_bytes(made.getvalue())
    return pages


class _Sheet:
    def __init__(self, form: Questionnaire, name: str, tag: str, participant: str | None) -> None:
        self._form = form
        self._name = name
        self._tag = tag
        self._participant = participant
        self._words: PaperWords = paper_words(tag)

    def build(self, target: io.BytesIO, pages: int | None) -> int:
        """Set the pages; returns how many there are."""
        from reportlab.lib.pagesizes import A4
        from reportlab.platypus import SimpleDocTemplate
        from reportlab.platypus.doctemplate import LayoutError

        title = self._form.questionnaire.title[self._tag]
        document = SimpleDocTemplate(
            target,
            pagesize=A4,
            leftMargin=_MARGIN,
            rightMargin=_MARGIN,
            topMargin=_MARGIN + _HEAD,
            bottomMargin=_MARGIN,
            title=title,
            author="",
            subject=self._name,
            lang=self._tag,
            invariant=1,
        )

        def furnish(canvas: Any, _document: Any) -> None:
            self._furnish(canvas, A4, pages)

        try:
            document.build(self._story(), onFirstPage=furnish, onLaterPages=furnish)
        except LayoutError:
            raise PaperError(
                f"an item of '{self._name}' is too large for a page: shorten its texts"
            ) from None
        return int(document.page)

    def _furnish(self, canvas: Any, size: tuple[float, float], pages: int | None) -> None:
        """What stands on every page: whose it is, and which page."""
        width, height = size
        canvas.saveState()
        top = height - _MARGIN - 4
        right = width - _MARGIN - _PADDING
        title = self._form.questionnaire.title[self._tag]
        canvas.setFont(font_for(title, PLAIN), 9)
        canvas.setFillGray(_QUIET)
        canvas.drawString(_MARGIN + _PADDING, top, title)
        canvas.setFillGray(0)
        label = f"{self._words.participant}:"
        canvas.setFont(PLAIN, 10)
        canvas.drawString(right - 190, top, label)
        canvas.line(right - 118, top - 3, right, top - 3)
        if self._participant is not None:
            canvas.setFont(font_for(self._participant, BOLD), 10)
            canvas.drawString(right - 114, top, self._participant)
        canvas.setFont(PLAIN, 8)
        canvas.setFillGray(_QUIET)
        told = self._words.page.format(page=canvas.getPageNumber(), pages=pages or "")
        canvas.drawCentredString(width / 2, _MARGIN / 2, told)
        canvas.drawRightString(right, _MARGIN / 2, f"{self._name} · {self._tag}")
        canvas.restoreState()

    def _story(self) -> list[Flowable]:
        from reportlab.lib.pagesizes import A4
        from reportlab.platypus import KeepTogether, Spacer

        from sera.study.paper._again import AgainAtTheTop

        page_height = A4[1] - 2 * (_MARGIN + _PADDING) - _HEAD
        facts = self._form.questionnaire
        told = " · ".join((facts.source, facts.licence, str(self._form.languages[self._tag])))
        story: list[Flowable] = [self._text(facts.title[self._tag], 18, bold=True, after=4)]
        story.append(self._text(told, 7.5, quiet=True, after=10))
        if self._tag in facts.intro:
            story.append(self._text(facts.intro[self._tag], 10.5, after=8))
        above: tuple[str, str] = ("", "")
        for name in self._form.order(self._name, self._participant):
            item = self._form.item(name)
            is_word = self._is_word(item)
            parts = self._item(item, beside=is_word)
            # Where items are single words, what the points mean stands above all of them.
            now = (self._form.instruction(item, self._tag), self._ends(item) if is_word else "")
            if now != above:
                above = now
                parts = [*self._heading(*now), *parts]
            elif any(now) and item.is_asked:
                parts = [AgainAtTheTop(self._heading(*now), page_height), *parts]
            parts.append(Spacer(1, 5))
            # What is only read may be longer than a page.
            story += [KeepTogether(parts)] if item.is_asked else parts
        return story

    def _heading(self, instruction: str, ends: str) -> list[Flowable]:
        texts = [self._text(instruction, 10.5, bold=True, before=6, after=6)] if instruction else []
        return [*texts, self._text(ends, 9.5, after=8)] if ends else texts

    def _ends(self, item: Item) -> str:
        first, *_, last = item.anchors[self._tag]
        return f"1 = {first}, {item.points} = {last}"

    def _is_word(self, item: Item) -> bool:
        """Whether it stands beside its boxes, as all others of its group do."""
        from sera.study.paper._controls import fits_beside_points

        return item.group is not None and all(
            one.kind == "scale"
            and not one.is_differential
            and (one.points, one.anchors) == (item.points, item.anchors)
            and len(one.anchors[self._tag]) == 2
            and fits_beside_points(one.text[self._tag], one.points, _TEXT_WIDTH)
            for one in self._form.items
            if one.group == item.group
        )

    def _item(self, item: Item, *, beside: bool) -> list[Flowable]:
        from sera.study.paper._controls import Points

        tag = self._tag
        if beside:
            return [Points(item.points, [item.text[tag], ""])]
        parts: list[Flowable] = []
        if not item.is_differential:
            is_short = item.kind in ("scale", "slider")
            parts.append(self._text(item.text[tag], 10.5, bold=not is_short, before=4, after=3))
        helping = item.help.get(tag, "")
        if helping:
            parts.append(self._text(helping, 9, quiet=True, after=2))
        if item.kind == "multiple" and not helping:
            parts.append(self._text(self._words.several, 9, quiet=True, after=2))
        return [*parts, *self._control(item)]

    def _control(self, item: Item) -> list[Flowable]:
        """What the answer goes into."""
        from sera.study.paper._controls import Line, Pictures, Points, Rules, Tick

        tag = self._tag
        anchors = item.anchors.get(tag, [])
        body = paragraphs(item.body.get(tag, ""))
        read: list[Flowable] = [self._text(part, 10.5, after=5) for part in body]
        least, most = item.bounds
        ends = anchors or [f"{least or 0:g}", f"{most or 0:g}"]
        ticks = 1 + round(((most or 0) - (least or 0)) / item.slider_step)
        makers: dict[str, Callable[[], list[Flowable]]] = {
            "scale": lambda: [Points(item.points, anchors)],
            "picture_scale": lambda: [Pictures(item, tag)],
            "slider": lambda: [Line(min(ticks, 101), ends)],
            "choice": lambda: [Tick(choice.text[tag]) for choice in item.choices],
            "multiple": lambda: [Tick(choice.text[tag]) for choice in item.choices],
            "number": lambda: [Rules(1, 120.0)],
            "text": lambda: [Rules(4)],
            "agreement": lambda: [*read, Tick(self._words.agree)],
            "info": lambda: read,
        }
        return makers[item.kind]()

    def _text(
        self,
        text: str,
        size: float,
        *,
        bold: bool = False,
        quiet: bool = False,
        before: float = 0,
        after: float = 0,
    ) -> Flowable:
        from xml.sax.saxutils import escape

        from reportlab.lib.colors import Color
        from reportlab.lib.styles import ParagraphStyle
        from reportlab.platypus import Paragraph

        grey = _QUIET if quiet else 0.0
        style = ParagraphStyle(
            "text",
            fontName=font_for(text, BOLD if bold else PLAIN),
            fontSize=size,
            leading=size * 1.3,
            textColor=Color(grey, grey, grey),
            spaceBefore=before,
            spaceAfter=after,
        )
        return Paragraph(escape(text), style)
