"""`scrubjay completion`: what makes a shell complete commands and options at Tab."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from bot.cli.help import Run, single
from bot.cli.main import build


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], Parameter(help="For which shell.")], /, *, run: Run
) -> None:
    """Print what makes a shell complete words at Tab.

    Put it where the shell looks for it, once, and again after an upgrade; shells
    that are open take it up when they are started anew. For zsh the folder has
    to be in fpath.

    Examples:
      scrubjay completion bash
      scrubjay completion bash >> ~/.bash_completion
      scrubjay completion zsh > ~/.zsh/completions/_cyclopts_scrubjay
      scrubjay completion fish > ~/.config/fish/completions/scrubjay.fish
    """
    run.terminal.out(build().generate_completion(prog_name="scrubjay", shell=shell))


app = single("completion", completion)
