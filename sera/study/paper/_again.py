"""What stands above a group of items, once more where the group goes on at the top of a page."""

from __future__ import annotations

from collections.abc import Sequence

from reportlab.platypus import Flowable

_NEARLY = 1.0
"""Points by which a page may be said to be full or empty."""


class AgainAtTheTop(Flowable):  # type: ignore[misc]
    """Texts that appear where a page begins with them, and take no room anywhere else."""

    def __init__(self, texts: Sequence[Flowable], page_height: float) -> None:
        """Keep the texts.

        Args:
            texts: what to print, from top to bottom.
            page_height: how much room an empty page has; that is how the top is known.
        """
        super().__init__()
        self.texts = list(texts)
        self.page_height = page_height
        self.is_shown = False

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        self.is_shown = abs(available_height - self.page_height) < _NEARLY
        if not self.is_shown:
            return available_width, 0.0
        heights = [text.wrap(available_width, available_height)[1] for text in self.texts]
        after = [float(text.getSpaceAfter()) for text in self.texts]
        self.drops = [height + gap for height, gap in zip(heights, after, strict=True)]
        self.heights = heights
        self.width = available_width
        return available_width, sum(self.drops)

    def draw(self) -> None:
        if not self.is_shown:
            return
        y = sum(self.drops)
        for text, height, drop in zip(self.texts, self.heights, self.drops, strict=True):
            text.drawOn(self.canv, 0, y - height)
            y -= drop
