"""The data of a study for other programs: tables, a codebook, SPSS and ELAN.

`wide_table` has a row a participant, `long_table` a row an event; `codebook_csv` and
`codebook_markdown` explain every column; `write_sav` is for SPSS, `eaf_text` for ELAN; `export`
writes all of it into a folder. There are pseudonyms in it and never what is marked personal.
"""

from sera.study.export.codebook import codebook_csv, codebook_markdown
from sera.study.export.column import Column, Table
from sera.study.export.durations import Durations, durations_of
from sera.study.export.eaf import Annotation, EafDocument, LinkedMedia, Tier, eaf_text
from sera.study.export.long import long_table
from sera.study.export.media_links import MediaFile, media_of, media_stretches
from sera.study.export.recorded import Recorded, recorded_sessions, recorded_simulation
from sera.study.export.safe_csv import csv_text
from sera.study.export.sav import SavNeeds, sav_frame, write_sav
from sera.study.export.tiers import tiers_of
from sera.study.export.wide import wide_table
from sera.study.export.write import Export, ExportWish, export

__all__ = [
    "Annotation",
    "Column",
    "Durations",
    "EafDocument",
    "Export",
    "ExportWish",
    "LinkedMedia",
    "MediaFile",
    "Recorded",
    "SavNeeds",
    "Table",
    "Tier",
    "codebook_csv",
    "codebook_markdown",
    "csv_text",
    "durations_of",
    "eaf_text",
    "export",
    "long_table",
    "media_of",
    "media_stretches",
    "recorded_sessions",
    "recorded_simulation",
    "sav_frame",
    "tiers_of",
    "wide_table",
    "write_sav",
]
