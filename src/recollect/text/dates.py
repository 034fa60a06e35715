"""Dates as people say them. Pure."""

from datetime import datetime

MONTHS = "January February March April May June July August September October November December".split()


def date_words(moment: datetime) -> str:
    """`8 May 2023`: whoever asks for it writes a month as a word, whatever the language of this machine."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
