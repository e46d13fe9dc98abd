"""Sheets for people: transcreation, annotation and review, out to spreadsheets and back."""
