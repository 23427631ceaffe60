"""Summaries of entities' pages by a language model: each sentence is checked against the facts that it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from memory.files.managed import read_part
from memory.knowledge.composing import Sentence, ask_for_list, follows, read_cited
from memory.knowledge.context import KnowledgeContext
from memory.knowledge.reflection.pages import FOLDER, HEAD, OPENING, SUMMARY_MARK, key_of
from memory.knowledge.reflection.reflect import PageRun, Reflection
from memory.ports import Writer

MAX_PAGES = 8
"""Pages that are summed up in one run: each is one question to the model."""
MAX_SENTENCES = 3
MAX_FACTS = 60

INSTRUCTIONS = """\
You sum up what is known of {name} for the head of a page about them. Each line of the data is one fact with its number,
the newest first. Answer with a JSON array of at most {most} objects, and nothing else:
{{"sentence": one sentence in the language of most facts, "of": [the numbers of the facts that say so]}}
Take what matters most for whoever meets {name} next. Add nothing that no fact says.
"""

_LINK = re.compile(r"\s*\[\[[^\]\n]*\]\]\s*$")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a model made of a page: sentences, and the page's facts by which they are found out of date."""

    path: str
    text: str
    key: str


async def summarise(reflection: Reflection, writer: Writer, today: date) -> tuple[Summary, ...]:
    """Ask a model to sum up the pages that a reflection has written; an answer that does not hold is dropped."""
    summaries = []
    for page in [page for page in reflection.pages if page.path.startswith(FOLDER)][:MAX_PAGES]:
        part = read_part(page.after) or ""
        facts = [_LINK.sub("", line[2:]) for line in part.split("\n") if line.startswith("- ")][:MAX_FACTS]
        name = part.partition("\n")[0].removeprefix("# ")
        text = await _ask(name, facts, writer, today) if facts else ""
        if text:
            summaries.append(Summary(page.path, text, key_of(part)))
    return tuple(summaries)


def put(context: KnowledgeContext, summary: Summary, *, op_id: str, actor: str) -> bool:
    """Put a summary at the head of its page; False if the page has other facts by now, or it may hold a secret."""
    part = read_part(context.workspace.read_lenient(summary.path)[0]) or ""
    if key_of(part) != summary.key or context.is_secret(summary.text):
        return False
    head = f"\n{summary.text}\n{SUMMARY_MARK.format(summary.key)}\n\n"
    run = PageRun(context, op_id=op_id, actor=actor)
    run.write_part(summary.path, HEAD.sub(lambda one: one["title"] + head, part, count=1), head="")
    return summary.path not in run.found.left


async def _ask(name: str, facts: Sequence[str], writer: Writer, today: date) -> str:
    data = "\n".join(f"{number}. {fact}" for number, fact in enumerate(facts, 1))
    sentences = []
    answer = await ask_for_list(writer, INSTRUCTIONS.format(name=name, most=MAX_SENTENCES), data)
    for cited in read_cited(Sentence, answer or (), len(facts)):
        said = "\n".join([name, *(facts[number - 1] for number in cited.of)])
        text = " ".join(cited.sentence.split())
        if follows(text, said, today) and not OPENING.match(text):
            sentences.append(text)
    return " ".join(sentences[:MAX_SENTENCES])
