"""Messages to coding agents, written for this purpose, and the fit of the weights in `recollect/capture/lasting.json`."""
