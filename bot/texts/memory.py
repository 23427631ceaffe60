"""What the memory library says to people, in the language of now: it knows no catalogue, and says it in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from bot.texts.catalogue import current_language, mark, tr

SAID = (
    mark("A fact has at most {most} characters; this one would have {count}. Nothing was noted."),
    mark("Another process has been writing to {folder} for {seconds} seconds."),
    mark("Ask again what would be forgotten."),
    mark("Ask again."),
    mark("Ask for 1 to {most}: -k 25"),
    mark("Ask for it again."),
    mark("Change the file by hand."),
    mark("Change the file itself."),
    mark("Check the name."),
    mark("Close it elsewhere, then try again."),
    mark("Exchange them, or leave one out."),
    mark('Give a day (2026-01-31), a time back (30d, 2w, 3m, 1y), or words in quotes ("last week").'),
    mark("Files are still being read: {done} of {total}."),
    mark("Ids stand behind each hit."),
    mark("It has the lines 1 to {most}."),
    mark("Leave it out, and say it again."),
    mark("Leave it out, or say that it is to be kept."),
    mark("Leave it out."),
    mark("Listed, newest first."),
    mark("Look at `/review` again."),
    mark("Names stand behind `@` in facts: `/memory` lists them."),
    mark("Narrowed to {filter}."),
    mark("No note has {words} or any other word of the question."),
    mark("No note has {words}."),
    mark("No proposal `{id}` waits."),
    mark("Nobody is called {name}."),
    mark("Nothing found has {words} or any other word of the question."),
    mark("Nothing found has {words}."),
    mark("Nothing in {path} belongs to this chat."),
    mark("Nothing that it was narrowed to ({filter}) has any of the words."),
    mark("Nothing that it was narrowed to ({filter}) is there."),
    mark("Nothing was noted: this looks like it holds a secret of your configuration."),
    mark("Nothing was noted: this looks like it holds {kinds}."),
    mark("Only they or the owner can change it."),
    mark("Only what was written here is taken back, not edits by hand."),
    mark("Preparing the built-in embedder (once, a few seconds) ..."),
    mark("Put it back there, then start Scrubjay again."),
    mark("Read it again and make the change anew."),
    mark("Say it shorter, or put it into a file of the workspace."),
    mark("Say what is to be remembered."),
    mark("Search instead."),
    mark("Searched by the days that were asked for."),
    mark("Searched by words and meaning."),
    mark("Searched by words; nothing in it has been embedded yet."),
    mark("Searched by words; searching by meaning is not set up."),
    mark("Some files cannot be read: run `scrubjay doctor`."),
    mark("Somebody else wrote that."),
    mark("The categories are {names}."),
    mark("The kinds are {names}."),
    mark("The preview has no line {number}."),
    mark("The question has no words to look for."),
    mark("The question has only common words, so these were looked for."),
    mark("The workspace {folder} was removed or moved."),
    mark("There are no notes from around those days."),
    mark("There is no ^{id} in memory; nothing was forgotten."),
    mark("There is no `^{id}` in memory."),
    mark("There is no fact ^{id} in memory."),
    mark("There is no option `--{name}`."),
    mark("There is no preview {token} to confirm."),
    mark("There is nothing in memory yet that may be shown here."),
    mark("There is nothing in memory yet."),
    mark("There is nothing of yours to undo."),
    mark("There is nothing to undo."),
    mark("There is nothing to write down."),
    mark("Told in the order of time."),
    mark("Try again in a moment."),
    mark("Try again."),
    mark("Use letters and digits, with hyphens between words."),
    mark("Wait for it to end, or stop it; then try again."),
    mark("What is new is searched by words: {reason}"),
    mark("Words are searched alone: nothing in it has been embedded yet."),
    mark("Words are searched alone: searching by meaning is not set up."),
    mark("Words are searched alone: {reason}"),
    mark("You asked for this ({place})."),
    mark("You asked for this on {day} ({place})."),
    mark("You told this preference or need ({place})."),
    mark("You told this preference or need on {day} ({place})."),
    mark("`/about` shows all names that lead there."),
    mark("`/review` shows those that do."),
    mark("`/review` shows those that wait."),
    mark("`{option}` has no value."),
    mark("`{typed}` is no category."),
    mark("`{typed}` is no kind."),
    mark("`{typed}` names no day."),
    mark("`{since}` is after `{until}`."),
    mark("The text has a character that no text file can hold."),
    mark("{count} passages cannot be handed over."),
    mark("{name} is no name."),
    mark("{old} and {into} are one already."),
    mark("{path} exists already."),
    mark("{path} has been changed meanwhile."),
    mark("{path} has been changed since this was proposed, so it was dropped."),
    mark("{path} has been changed since this was proposed."),
    mark("{path} has been edited since: the text of {at} is not there as it was left."),
    mark("{path} is being changed all the time."),
    mark("{path} is being changed at this moment."),
    mark("{path} is being rewritten all the time."),
    mark("{path} is in an extra folder, which is only read."),
    mark("{path} is not what it was when it was shown."),
    mark("{path} was saved by an editor in the same moment."),
    mark("There is no {path}."),
    *(mark("Evidence points to {path} `{id}`, which is not there."), mark("It counts until it is removed.")),
    *(mark("{link} points to the page `{page}`, which is not there."), mark("Mend or remove the link.")),
    *(mark("{link} points to the line `{id}`, which is not there."), mark("`{id}` is the id of {place} as well.")),
    mark("Take the id off one of the two lines, or remove the line if it was copied."),
    mark("Keep what is right of the lines down to `>>>>>>>`, and remove the marks."),
    mark("Git could not merge two versions of what follows."),
    mark("Remove it, or leave it if you wrote it for yourself."),
    mark("New statements since the last run: {count}; it waits for {least}."),
    mark("Nothing new was said that could be brought together."),
    mark("Something was said a moment ago."),
    mark("No fact is about whom this page is named after."),
    mark("The generated part `{part}` is not between one mark where it begins and one where it ends."),
    mark("Leave one `{begin}` and, below it, one `{end}`."),
    *(mark("this is not UTF-8 text."), mark("Save the file as UTF-8.")),
    *(mark("A bullet cannot be read: `{field}` is not {values}."), mark("Write {example}.")),
)
"""Sentences of `memory`, with names in the place of what it fills in."""

LIMITS = (
    *(mark("facts"), mark("kind {values}"), mark("about {names}"), mark("category {values}")),
    *(mark("from {first} to {last}"), mark("from {first}"), mark("to {last}"), mark("what is in {names}")),
    *(mark("what held on {day}"), mark("what held from {first} to {last}")),
    mark("what had been written down by {day}"),
)
"""What a search can be narrowed to, as the library says it in a `{filter}`; one that others begin like comes last."""

_VALUES = (
    *(mark("world"), mark("experience"), mark("opinion"), mark("observation"), mark("procedure"), mark("intention")),
    *(mark("note"), mark("conversation"), mark("cron"), mark("inference"), mark("external")),
    *(mark("owner"), mark("agent"), mark("guest"), mark("untrusted"), mark("system"), mark("import")),
    *(mark("alive"), mark("faded"), mark("pinned"), mark("merged"), mark("meaning"), mark("entity"), mark("wikilink")),
    *(mark("merge"), mark("link"), mark("novel"), mark("sensory")),
    *(mark("remember"), mark("forget"), mark("append"), mark("replace"), mark("accept"), mark("reject"), mark("pin")),
    *(mark("unpin"), mark("promote"), mark("consolidate")),
    *(mark("episodic"), mark("semantic"), mark("procedural"), mark("prospective")),
    *(mark("written"), mark("cited"), mark("shown"), mark("corrected"), mark("restated"), mark("restate")),
    mark("approved"),
    *(mark("decision"), mark("lesson"), mark("person"), mark("rule"), mark("event"), mark("fact"), mark("goal")),
    *(mark("workflow"), mark("preference"), mark("other"), mark("belief"), mark("pattern"), mark("topic")),
    *(mark("value"), mark("project"), mark("insight")),
    *(mark("a confidence from 0 to 1"), mark("an ISO day"), mark("time")),
)
"""Values of `memory` that pages and tables show: kinds, sources, origins, states, links, decisions, stores, reviews."""

_NAME = re.compile(r"\\\{(\w+)\\\}")


def of_memory(said: object) -> str:
    """Return what the memory library says, an error or a remark, sentence by sentence in the language of now.

    A sentence that is not known stays English.
    """
    text = str(said)
    return text if current_language() == "en" else " ".join(_sentences(text))


def _sentences(text: str) -> Iterator[str]:
    while text:
        found = ((template, match) for template, pattern in _patterns(SAID) if (match := pattern.match(text)))
        template, match = next(found, ("", None))
        if match is None:
            first, end, text = text.partition(". ")
            yield first + end.rstrip()
        else:
            yield _translated(template, match)
            text = text[match.end() :]


def _translated(template: str, match: re.Match[str]) -> str:
    return tr(template, **{name: _filled_in(name, value) for name, value in match.groupdict().items()})


def _filled_in(name: str, value: str) -> str:
    """Return what the library has filled in, translated where it is words of its own."""
    match name:
        case "kinds":
            return tr(" and ").join(map(tr, value.split(" and ")))
        case "values":
            return tr(" or ").join(map(tr, value.split(" or ")))
        case "filter":
            return ", ".join(map(_limit, value.split(", ")))
    return value.replace('" or "', f'"{tr(" or ")}"')


def _limit(value: str) -> str:
    """Return one of `LIMITS` as the library has filled it in, translated; what is none of them but for its "or"."""
    known = ((text, pattern.fullmatch(value)) for text, pattern in _patterns(LIMITS))
    value = next((_translated(text, match) for text, match in known if match), value)
    return value.replace(" or ", tr(" or "))


@cache
def _patterns(texts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return texts with what recognises each at the beginning of another, up to the next one."""
    made = ((text, _NAME.sub(r"(?P<\1>\\S.*?)", re.escape(text).replace(r"\ ", " "))) for text in texts)
    return tuple((text, re.compile(rf"{pattern}(?:\s+|$)", re.DOTALL)) for text, pattern in made)
