"""Pictures, documents and speech: what stands between a file of somebody's and a model."""
