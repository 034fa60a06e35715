"""Turns files of other tools into memories to import. Pure, except for the readers in `databases`."""
