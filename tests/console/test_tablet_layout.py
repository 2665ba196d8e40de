"""Scales on tablets and phones: all points in one row or column, and nothing beside the page."""

from __future__ import annotations

from typing import Any

import pytest

from sera.study.questionnaire import known_questionnaires, load_questionnaire

pytestmark = pytest.mark.needs_program("chromium")

SCENARIO = """
[scenario]
title = "Play"
[characters.ada]
robot = "adelino"
"""
WIDTHS = (320, 393, 820, 1280)
SHOW = """async (form) => {
    const { showForm } = await import('/console/tablet/form.js');
    const { saveDraft } = await import('/console/tablet/store.js');
    const sheet = document.getElementById('sheet');
    const found = [];
    const order = form.items.map(({ id }) => id);
    for (const place of order.keys()) {
        saveDraft('layout', { answers: {}, order, place, opened_ms: 0 });
        showForm(sheet, form, 'layout', () => {});
        const say = (what) => found.push(`${form.name} ${order[place]}: ${what}`);
        const page = document.documentElement;
        if (page.scrollWidth > innerWidth) say(`${page.scrollWidth} px wide`);
        const boxes = [...sheet.querySelectorAll('.point, .picture')]
            .map((one) => one.getBoundingClientRect());
        if (boxes.length) {
            const rows = new Set(boxes.map(({ top }) => Math.round(top))).size;
            const columns = new Set(boxes.map(({ left }) => Math.round(left))).size;
            if (Math.min(rows, columns) > 1) say(`${rows} rows and ${columns} columns`);
            const widths = boxes.map(({ width }) => width);
            if (Math.max(...widths) - Math.min(...widths) > 1) say('points of several widths');
            const below = sheet.querySelector('.moves').getBoundingClientRect().top;
            if (sheet.querySelector('.picture') && boxes.some(({ bottom }) => bottom > below)) {
                say('not all pictures are in view');
            }
            if (Math.min(...widths) < 24) say(`points of ${Math.min(...widths)} px`);
        }
        for (const one of sheet.querySelectorAll('.ends span, .anchor, .item-text, button')) {
            const { left, right } = one.getBoundingClientRect();
            if (left < 0 || right > innerWidth + 0.5) say(`'${one.textContent}' is cut`);
        }
    }
    return found;
}"""


async def at_the_tablet(stage: Any) -> Any:
    page = await stage.tablet()
    await page.get_by_role("heading", name="Please wait").wait_for()
    return page


async def test_no_scale_of_any_form_breaks_and_nothing_is_cut(share_stage: Any) -> None:
    page = await at_the_tablet(await share_stage(SCENARIO))
    found = []
    for name, path in known_questionnaires(None).items():
        form = load_questionnaire(path)
        for language in form.languages:
            for width in WIDTHS:
                # A tablet is held upright, and its picture is higher than a phone's.
                height = 1180 if width == 820 else 851
                await page.set_viewport_size({"width": width, "height": height})
                broken = await page.evaluate(SHOW, form.shown(name, language))
                found += [f"{width} px, {language}: {what}" for what in broken]
    assert found == []


@pytest.mark.parametrize("points", [2, 5, 7, 9, 11, 21])
async def test_no_number_of_points_breaks_a_scale(share_stage: Any, points: int) -> None:
    page = await at_the_tablet(await share_stage(SCENARIO))
    ends = ["Extraordinarily disagreeable", "Extraordinarily agreeable"]
    kinds = {
        "scale": {},
        "opposites": {"differential": True},
        "every": {"anchors": [f"extraordinarily {point}" for point in range(points)]},
    }
    form = {
        "name": "made_up",
        "language": "en",
        "title": "Made up",
        "items": [
            {"kind": "scale", "id": name, "text": "Well?", "points": points, "anchors": ends} | more
            for name, more in kinds.items()
            if name != "every" or points <= 9
        ],
    }
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 851})
        assert await page.evaluate(SHOW, form) == [], f"{width} px"
