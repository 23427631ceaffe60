"""The service: `scrubjay run`, its tasks, its local endpoints, its health and figures."""
