"""The pages of the dashboard, one file each, with a template of the same name."""
