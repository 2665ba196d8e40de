"""What a page is told of an item: the texts of one language, and nothing for the analysis."""

from __future__ import annotations

from typing import Any

from sera.study._questionnaire_tables import Item
from sera.study.drawings import drawing, spoken_drawing


def shown_item(item: Item, tag: str, instruction: str) -> dict[str, Any]:
    """An item as the page shows it.

    Args:
        item: the item.
        tag: the language.
        instruction: of its group; empty: none.
    """
    shown: dict[str, Any] = {
        "id": item.id,
        "kind": item.kind,
        "text": item.asks(tag),
        "instruction": instruction,
        "help": item.help.get(tag, ""),
        "required": item.required,
    }
    if item.kind == "scale":
        shown |= {"points": item.points, "anchors": item.anchors.get(tag, [])}
        shown["differential"] = item.is_differential
    elif item.kind == "picture_scale":
        shown |= _pictures(item, tag)
    elif item.kind == "slider":
        least, most = item.bounds
        shown |= {"least": least, "most": most, "step": item.slider_step}
        shown["anchors"] = item.anchors.get(tag, [])
    elif item.kind == "number":
        shown |= {"least": item.least, "most": item.most, "whole": item.whole}
    elif item.kind in ("choice", "multiple"):
        shown["choices"] = [{"key": one.key, "text": one.text[tag]} for one in item.choices]
    elif item.kind in ("agreement", "info"):
        shown["body"] = paragraphs(item.body.get(tag, ""))
    return shown


def paragraphs(text: str) -> list[str]:
    """Paragraphs of a text that has empty lines between them."""
    joined = (" ".join(part.split()) for part in text.split("\n\n"))
    return [part for part in joined if part]


def _pictures(item: Item, tag: str) -> dict[str, Any]:
    assert item.drawing is not None  # the file was checked
    labels = item.labels.get(tag, [])
    pictures = [
        {
            "drawing": drawing(item.drawing, point, item.points, labels).as_json(),
            "spoken": spoken_drawing(item.drawing, point, item.points, tag),
        }
        for point in range(1, item.points + 1)
    ]
    return {
        "points": item.points,
        "anchors": item.anchors.get(tag, []),
        "shape": item.drawing,
        "pictures": pictures,
    }
