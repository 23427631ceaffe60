from __future__ import annotations

import io
from itertools import pairwise
from typing import Annotated

import pytest
from cyclopts import Parameter
from rich.console import Console

from bot.cli.help import Whose, command, group, joined
from bot.errors import UsageError

PAGE = """
Does things.

Examples:
  tool thing one
"""


def thing(
    what: Annotated[str, Parameter(help="Which thing.")],
    extra: Annotated[str, Parameter(help="More of it.")] = "",
    /,
    *more: Annotated[str, Parameter(help="Even more.")],
    a_very_long_name_for_an_option: Annotated[
        int,
        Parameter(
            help="A number that matters a great deal, so that its explanation needs more than one line of the page."
        ),
    ] = 7,
    quiet: Annotated[bool, Parameter(help="Say nothing.")] = False,
) -> None:
    """Do one thing.

    It takes a while, and says meanwhile how far it has come,
    which a terminal shows in one line.

    Examples:
      tool thing one
    """


def page(*words: str, width: int = 80) -> str:
    tool = group("tool", PAGE)
    command(tool, "zebra")(thing)
    command(tool)(thing)
    output = io.StringIO()
    tool.help_print(list(words), console=Console(file=output, width=width))
    return output.getvalue()


EXPECTED = """\
Do one thing.

It takes a while, and says meanwhile how far it has come,
which a terminal shows in one line.

Examples:
  tool thing one

Usage: scrubjay tool thing WHAT [EXTRA] MORE... [OPTIONS]

Arguments:
  WHAT                  Which thing.
  EXTRA                 More of it.
  MORE                  Even more.

Options:
  --a-very-long-name-for-an-option INT
                        A number that matters a great deal, so that its
                        explanation needs more than one line of the page.
                        [default: 7]
  --quiet               Say nothing.

"""


def test_a_page_says_what_it_does_then_examples_then_how_it_is_called_then_options() -> None:
    assert page("thing") == EXPECTED


def test_a_group_lists_its_commands_in_the_order_in_which_they_were_added() -> None:
    shown = page()

    assert shown.startswith("Does things.\n\nExamples:\n  tool thing one\n\nUsage: tool COMMAND\n")
    assert shown.index("  zebra                 Do one thing.") < shown.index("  thing                 Do one thing.")


@pytest.mark.parametrize("width", [40, 45, 50])
def test_a_narrow_terminal_gets_narrow_lines(width: int) -> None:
    before, options = page("thing", width=width).split("Options:")

    assert max(map(len, options.splitlines())) <= width
    prose = before.split("\n\n")[1].splitlines()
    assert max(map(len, prose)) <= width
    assert all(len(f"{line} {after.split()[0]}") > width for line, after in pairwise(prose)), "no line ends early"
    assert "\nExamples:\n  tool thing one\n" in before


def test_words_need_no_quotes() -> None:
    assert joined(["where", "is", "the key?"]) == "where is the key?"
    assert joined([" ", ""]) == ""


def test_bytes_that_are_no_text_are_a_misuse() -> None:
    with pytest.raises(UsageError):
        joined(["caf\udce9"])


def test_a_scope_is_the_owners_or_one_chats() -> None:
    assert Whose().scope == "owner"
    assert Whose(facts="chat:telegram.1:-100").scope == "chat:telegram.1:-100"


@pytest.mark.parametrize("written", ["", "Owner", "chat", "chat:", "guest:1", "owner "])
def test_anything_else_is_no_scope(written: str) -> None:
    with pytest.raises(UsageError, match="is not a scope"):
        _ = Whose(facts=written).scope
