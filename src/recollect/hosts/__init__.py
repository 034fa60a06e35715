"""Each host as pure functions: payload to event, injection to reply, transcript to events."""
