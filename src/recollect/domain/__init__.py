"""Values and errors. Checked once, at construction; no behaviour beyond that."""
