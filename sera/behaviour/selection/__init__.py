"""The choice of a line: wishes, repetition rules, memories of participants, the shuffle-bag.

`Selector.choose` takes any lines that are `Choosable` and says in its `Choice` how it came about.
"""

from __future__ import annotations

from sera.behaviour.selection.bag import HEAVIEST, LIGHTEST, ShuffleBag, is_weight
from sera.behaviour.selection.choice import BagState, Bar, Choice, Exclusion, Lack, Rule
from sera.behaviour.selection.choosable import Choosable, Wish
from sera.behaviour.selection.memory import Memory
from sera.behaviour.selection.memory_file import (
    LoadedMemory,
    load_memory,
    memory_path,
    save_memory,
)
from sera.behaviour.selection.selector import Selector, SelectorSettings

__all__ = [
    "HEAVIEST",
    "LIGHTEST",
    "BagState",
    "Bar",
    "Choice",
    "Choosable",
    "Exclusion",
    "Lack",
    "LoadedMemory",
    "Memory",
    "Rule",
    "Selector",
    "SelectorSettings",
    "ShuffleBag",
    "Wish",
    "is_weight",
    "load_memory",
    "memory_path",
    "save_memory",
]
