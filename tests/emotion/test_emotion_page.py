"""The page on emotion: what it shows can be run, and what it names is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sera.messages import find_message_type

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "emotion.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_what_the_page_shows_can_be_run(snippet):
    exec(compile(snippet, "docs/emotion.md", "exec"), {})


def test_the_profile_on_the_page_is_a_part_of_peppers():
    shown = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    own = (ROOT / "robots" / "pepper" / "emotion.toml").read_text(encoding="utf-8")
    assert shown is not None
    for line in shown[1].splitlines():
        setting = line.split("#")[0].strip()
        if setting and not setting.startswith(("sine", "cosine")):  # rounded on the page
            assert setting in own, setting


def test_messages_that_the_page_names_exist():
    for name in ("SetEmotion", "SetMood", "EmotionState", "MoveHand", "HandMoved"):
        assert name in PAGE
        find_message_type(name)
