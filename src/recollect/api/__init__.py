"""Requests of users and scripts (recall, forget, ...): one request, one answer, one function each. The daemon and the command line share them."""
