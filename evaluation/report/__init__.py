"""The report: what a run found, as one HTML file that needs nothing else."""

from evaluation.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]
