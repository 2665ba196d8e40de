"""Reports of studies: one HTML file and a PDF with the same content, and the data beside them."""

from sera.study.report.content import document_of
from sera.study.report.data_files import data_rows
from sera.study.report.document import SIMULATED, Document
from sera.study.report.text import text_of
from sera.study.report.write import ReportNeeds, write_report

__all__ = [
    "SIMULATED",
    "Document",
    "ReportNeeds",
    "data_rows",
    "document_of",
    "text_of",
    "write_report",
]
