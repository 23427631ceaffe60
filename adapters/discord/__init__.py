"""Discord: the gateway brings messages, commands and taps; the REST API takes the answers. `adapter` is the way in."""
