"""Consolidation: several facts made one, by rule or by a model, as a plan that can be taken back."""
