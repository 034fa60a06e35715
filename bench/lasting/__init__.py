"""Messages to coding agents, written for this, and the fit of the weights in `recollect/capture/lasting.json`."""
