"""What a page hears: its wishes against its rights, and the subscriptions that follow from them."""

from __future__ import annotations

import asyncio

from sera.messages import find_message_type
from sera.web._frames import EVERY_TYPE
from sera.web._page import Page
from sera.web._ports import Hear
from sera.web._reading import split_wanted


async def change_wanted(page: Page, types: list[str], hear: Hear) -> tuple[list[str], list[str]]:
    """Let a page hear these types and no others.

    Returns:
        The types that it hears, and a sentence about each that it may not.
    """
    good, complaints = split_wanted(types, page.role, reveal_condition=page.reveal_condition)
    page.wanted = dict.fromkeys([EVERY_TYPE] if EVERY_TYPE in good else good)
    if page.rights.hears:
        for name in [name for name in page.subscriptions if name not in page.wanted]:
            page.subscriptions.pop(name).close()
        new = [name for name in page.wanted if name not in page.subscriptions]
        # Shielded, so that no subscription is left open when the page goes in the middle.
        await asyncio.shield(asyncio.gather(*(_start_hearing(page, name, hear) for name in new)))
    return good, complaints


async def _start_hearing(page: Page, name: str, hear: Hear) -> None:
    types = None if name == EVERY_TYPE else [find_message_type(name)]
    characters = None if page.character is None else [page.character]
    subscription = await hear(types, page.hear, characters=characters)
    if page.gone.done():
        subscription.close()
    else:
        page.subscriptions[name] = subscription
