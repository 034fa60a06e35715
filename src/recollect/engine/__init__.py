"""The moments of a session, the write path, learning and administration. No I/O: everything arrives through ports."""
