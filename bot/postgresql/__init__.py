"""Several machines: state, leases and files of agents in PostgreSQL."""
