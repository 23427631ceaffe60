"""The index in a PostgreSQL database that several processes share; imported only where one is configured."""
