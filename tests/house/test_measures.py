"""The measures measure."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.house import measures
from tests.house.measures import Source, body_lines, depth

PATH = Path("a.py")

CLASSES = """
@dataclass(frozen=True)
class Point:
    left: int
    right: int
    top: int
    away: int = 0
    _own: int = 0

    def forward(self, item, *, key=None):
        "Text."
        return self.items.append(item, key=key)

    async def forward_later(self):
        await self.items.close()

    def work(self, item):
        return self.items.append(item + 1)

    def other(self, item):
        return item.close()

    def _once(self):
        return self._twice() + self._twice()

    def _twice(self):
        return self._once() + 1

    def __len__(self):
        return 0

class Plain:
    left: int
    lost: int

def use(point: Point):
    match point:
        case Point(_, right):
            point.away = 1
            return getattr(point, "top"), Plain, point.work, "other", Point(away=2)
"""

HANDLERS = """
try:
    pass
except Exception:
    pass
except (ValueError, BaseException) as error:
    log(error)
except Exception:
    raise
except ValueError:
    pass
except:
    while True:
        continue
"""


def source(text: str) -> Source:
    return Source.parse({PATH: text})


def names(places: list[str]) -> list[str]:
    return [place.partition(" ")[2] for place in places]


def test_lines_and_depth_of_a_function() -> None:
    text = '''
def f(x):
    """Text
    of two lines."""
    for a in x:
        if a:
            pass
        elif x:
            with a:
                pass

    def g():
        while x:
            pass

def h():
    """Text."""
'''
    (_, outer), (_, empty), (_, inner) = source(text).functions()

    assert (body_lines(outer), depth(outer)) == (10, 3)
    assert (body_lines(inner), depth(inner)) == (2, 1)
    assert (body_lines(empty), depth(empty)) == (0, 0)


def test_percentile_and_middle() -> None:
    assert measures.percentile(range(1, 101), 0.95) == 95
    assert measures.middle([3, 1, 2]) == 2
    assert measures.middle([]) == 0


def test_a_helper_that_is_used_once_and_a_method_that_forwards() -> None:
    found = source(CLASSES)

    assert names(measures.single_use_helpers(found)) == ["_once"]
    assert names(measures.forwarders(found)) == ["forward", "forward_later"]
    assert found.thousands == len(CLASSES.splitlines()) / 1000


def test_names_and_fields_that_nothing_uses() -> None:
    found = source(CLASSES)

    assert measures.unused(found) == ["a.py:36 use", "a.py:10 forward", "a.py:14 forward_later"]
    assert names(measures.unused_fields(found)) == ["Point.away"]


def test_handlers_that_catch_everything() -> None:
    handlers = [handler for _, handler in measures.broad_handlers(source(HANDLERS))]

    assert [handler.lineno for handler in handlers] == [4, 6, 12]
    assert [measures.swallows(handler) for handler in handlers] == [True, False, False]


def test_a_place_is_written_as_an_editor_opens_it() -> None:
    tree = ast.parse(HANDLERS)
    assert isinstance(tree.body[0], ast.Try)

    assert measures.at(PATH, tree.body[0].handlers[0]) == "a.py:4"
