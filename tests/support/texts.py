"""What is expected to be said in a language."""

from __future__ import annotations

from bot.texts.catalogue import in_language, tr

TEXTS = {
    "contradiction": "This contradicts what you told me before:",
    "farewell": "Goodbye. What you told me is kept.",
    "forwarded": "Nothing was noted: what others wrote I keep only if you answer it with `/remember`.",
    "greeting": "Hello. Tell me something and I note it; ask and I look it up.",
    "known": "I know that already:",
    "no_model": "(I am in offline mode: no language model is configured, so I note what you say and answer with quotes "
    "from memory. `scrubjay init` shows how to add a model.)",
    "not_noted": "Nothing was noted. `/remember TEXT` notes something exactly as you type it.",
    "not_owner": "I note only what my owner tells me. `/remember TEXT` keeps something for this chat.",
    "nothing": "I know nothing about that.",
    "presence": "I am {agent}. Tell me something and I note it; ask and I look it up.",
    "reminder": 'When shall I remind you, and of what? `/remind WHEN WHAT` takes a time such as "tomorrow at 9". '
    "Nothing was noted.",
    "request": "I cannot do that without a language model, and nothing was noted. I can note what you tell me and look "
    "up what you have told me.",
    "welcome": "You're welcome.",
}


class Phrases:
    """The texts above in one language, each as an attribute."""

    def __init__(self, language: str) -> None:
        self._language = language

    def __getattr__(self, name: str) -> str:
        with in_language(self._language):
            return tr(TEXTS[name])


ENGLISH, GERMAN, CHINESE = map(Phrases, ("en", "de", "zh"))
