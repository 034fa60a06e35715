"""Dates as people write them. Pure."""

from datetime import datetime

MONTHS = "January February March April May June July August September October November December".split()


def date_words(moment: datetime) -> str:
    """`8 May 2023`: questions name a month by its English word, whatever the language of this machine."""
    return f"{moment.day} {MONTHS[moment.month - 1]} {moment.year}"
