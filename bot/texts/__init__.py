"""Texts for people: the catalogue of their languages, and how numbers, facts and complaints are put."""
