"""Experiments: from a YAML file to cells, tables, figures and verdicts."""
