"""The memory as tools for agents: schema, calls, server, and the stdio bridge."""
