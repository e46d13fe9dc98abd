"""Measure how well raters agree with people."""
