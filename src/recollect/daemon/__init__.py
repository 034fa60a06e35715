"""The background process: routes, lock, socket, log, background work."""
