"""The design of a study: whether it can be carried out, who gets what, and how many it takes.

`problems_of_design` checks a study file; `draw` gives the next participant a `Slot`, from a ledger
of `LedgerEntry`; `sample_size`, `power_of` and `weigh` reckon the sample; `planned_sample` and
`sample_sentence` say what the file comes to.
"""

from sera.study.design._groups import block_size
from sera.study.design.assignment import AS_IT_STANDS, Slot, draw, run_condition
from sera.study.design.check import problems_of_design
from sera.study.design.ledger import LedgerEntry, LedgerError, Standing, standings
from sera.study.design.power import SampleAdvice, needed_per_group, power_of, sample_size, weigh
from sera.study.design.sample import PlannedSample, planned_sample, sample_sentence

__all__ = [
    "AS_IT_STANDS",
    "LedgerEntry",
    "LedgerError",
    "PlannedSample",
    "SampleAdvice",
    "Slot",
    "Standing",
    "block_size",
    "draw",
    "needed_per_group",
    "planned_sample",
    "power_of",
    "problems_of_design",
    "run_condition",
    "sample_sentence",
    "sample_size",
    "standings",
    "weigh",
]
