"""Reports of studies: one HTML file and a PDF with the same content, and the data beside them."""

from sera.study.report.content import document_of
from sera.study.report.data_files import data_rows
from sera.study.report.document import SIMULATED, Document, Section, Sentence, Table
from sera.study.report.own import own_sections
from sera.study.report.text import text_of
from sera.study.report.write import ReportNeeds, write_report

__all__ = [
    "SIMULATED",
    "Document",
    "ReportNeeds",
    "Section",
    "Sentence",
    "Table",
    "data_rows",
    "document_of",
    "own_sections",
    "text_of",
    "write_report",
]
