"""Numbers of tables and figures, anchors of sections, and SIMULATED in every caption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sera.study.report.document import SIMULATED, Block, Figure, Section, Table


def numbered(sections: Sequence[Section], *, simulated: bool) -> tuple[Section, ...]:
    """The sections with all captions complete."""
    counts = {Table: 0, Figure: 0}
    done = []
    for place, section in enumerate(sections, 1):
        blocks: list[Block] = []
        for block in section.blocks:
            if isinstance(block, Table | Figure):
                counts[type(block)] += 1
                caption = f"{block.caption} ({SIMULATED})" if simulated else block.caption
                blocks.append(replace(block, caption=caption, number=counts[type(block)]))
            else:
                blocks.append(block)
        done.append(replace(section, blocks=tuple(blocks), anchor=f"s{place}"))
    return tuple(done)
