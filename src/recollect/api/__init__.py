"""Requests of users, scripts (recall, forget, ...) and plugins, and their answers: values only, shared by the daemon and its clients. `operations` has the functions."""
