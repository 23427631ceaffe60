"""`scrubjay paths`: where everything lives."""

from __future__ import annotations

from bot.cli.help import JsonOption, Run, single


def paths(*, json: JsonOption = False, run: Run) -> None:
    """Show where everything lives.

    Set SCRUBJAY_HOME to keep all of it in one folder.

    Examples:
      scrubjay paths
      SCRUBJAY_HOME=~/scrubjay scrubjay paths
      scrubjay paths --json | jq -r .config
    """
    home = run.home
    places = {
        "config": home.config,
        "workspaces": home.workspaces,
        "state": home.state,
        "database": home.database,
        "cache": home.cache,
        "logs": home.logs,
    }
    if json:
        run.terminal.json({"chosen_by": home.chosen_by} | {name: str(path) for name, path in places.items()})
        return
    run.terminal.table(
        [(name, str(path), "" if path.exists() else "not there yet") for name, path in places.items()],
        heads=("what", "where", ""),
    )
    run.terminal.err(f"Chosen by {home.chosen_by}.")


app = single("paths", paths)
