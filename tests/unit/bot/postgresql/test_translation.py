"""Tests of the SQL that PostgreSQL is given."""

from __future__ import annotations

import pytest

from bot.postgresql.translation import definition, parameters, translate


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("SELECT a FROM t WHERE b = ?", "SELECT a FROM t WHERE b = %s"),
        ("SELECT ?2, a FROM t WHERE b = ?1", "SELECT %(p2)s, a FROM t WHERE b = %(p1)s"),
        ("a LIKE 'x%' AND b = ?", "a LIKE 'x%%' AND b = %s"),
        ("b IN (SELECT value FROM json_each(?))", "b IN (SELECT value FROM jsonb_array_elements_text((%s)::jsonb))"),
        ("FROM t INDEXED BY t_a WHERE TRUE", "FROM t WHERE TRUE"),
        ("one.value ->> 1", "one.value::jsonb ->> 1"),
    ],
)
def test_a_statement_is_read_as_it_was_meant(written: str, read: str) -> None:
    assert translate(written) == read


def test_numbered_parameters_have_names_and_others_their_order() -> None:
    assert parameters("?2 ?1 ?1", ("a", "b")) == {"p1": "a", "p2": "b"}
    assert parameters("? ?", ("a", "b")) == ("a", "b")


def test_a_definition_has_the_types_of_postgresql_and_the_order_of_bytes() -> None:
    table = """
    CREATE TABLE seen (
      at      TEXT    NOT NULL,
      count   INTEGER NOT NULL DEFAULT 0,
      is_over INTEGER NOT NULL DEFAULT FALSE,
      PRIMARY KEY (at)
    ) STRICT, WITHOUT ROWID"""

    assert " ".join(definition(table).split()) == (
        'CREATE TABLE seen ( at TEXT COLLATE "C" NOT NULL, count BIGINT NOT NULL DEFAULT 0, '
        "is_over BOOLEAN NOT NULL DEFAULT FALSE, PRIMARY KEY (at) )"
    )
    assert definition("ALTER TABLE outbox ADD COLUMN is_foreign INTEGER NOT NULL DEFAULT 1").endswith("DEFAULT TRUE")
