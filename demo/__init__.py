"""The demo in the browser: one text, whole files, finished runs and disagreements, behind `app.py`."""
