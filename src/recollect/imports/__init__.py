"""Files of other tools as entries. Pure, except for the readers in `databases`."""
