"""`scrubjay backup`: save the whole home, and bring it back."""

from __future__ import annotations

import asyncio
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from bot.cli.help import JSON, Answer, Run, command, group
from bot.cli.invocation import Invocation
from bot.errors import Missing, Refused, UsageError
from bot.paths import Home, expanded, read_value
from bot.texts.catalogue import mark, tr, trn
from bot.texts.formatting import sized

if TYPE_CHECKING:
    from bot.backup.archive import Key

PAGE = """
Save the whole home in one file, and bring it back.

In it are the workspaces with their journal, the state file, conversations and
what people have sent; indexes are left out, since they are derived. It is made
while the bot runs. Secrets are left out unless you ask for them.

Examples:
  scrubjay backup create
  scrubjay backup list
  scrubjay backup verify
  scrubjay backup restore scrubjay-2026-11-21T044500.tar.gz
"""

app = group("backup", PAGE)

Identity = Annotated[Path | None, Parameter(metavar="FILE", help="Where the private key of age stands.")]
Passphrase = Annotated[Path | None, Parameter(metavar="FILE", help="Where the passphrase stands.")]


@command(app, json=JSON)
async def create(
    *,
    to: Annotated[
        Path | None, Parameter(metavar="FOLDER", help="Where it goes, if not where jobs.backup says.")
    ] = None,
    with_secrets: Annotated[bool, Parameter(help="Put tokens and keys in, too; guard it well.")] = False,
    recipient: Annotated[
        str, Parameter(metavar="KEY", help="A public key of age (age1...): encrypt it for its owner.")
    ] = "",
    passphrase_file: Passphrase = None,
    run: Run,
) -> Answer:
    """Make a backup now, and look it through.

    Examples:
      scrubjay backup create
      scrubjay backup create --to /mnt/nas/scrubjay
      scrubjay backup create --with-secrets --passphrase-file secret.txt
    """
    from bot.backup import create as making
    from bot.backup.archive import Key, open_archive
    from bot.backup.catalog import LastBackup, backup_folder, note_last

    if recipient and passphrase_file:
        message = tr("--recipient and --passphrase-file are two ways to encrypt.")
        raise UsageError(message, hint=tr("Choose one of them."))
    options = run.config.jobs.backup
    run.terminal.log_apart()
    key = Key(recipient or ("" if passphrase_file else options.recipient), passphrase=_content(passphrase_file))
    folder = expanded(to).resolve() if to else backup_folder(run.home, options)
    made = await asyncio.to_thread(
        making.create, run.home, run.config, folder=folder, now=run.clock.now(), key=key, secrets=with_secrets
    )
    if not key.recipient:  # what only another can read cannot be looked through here
        with open_archive(made.path, key=key) as archive:
            await asyncio.to_thread(archive.extract, None)
    note_last(run.home, LastBackup(str(made.path), made.manifest.made))
    count = len(made.manifest.files)
    run.terminal.out(str(made.path))
    run.terminal.note(trn("{count} file, {size}.", "{count} files, {size}.", count, size=sized(made.size)))
    secrets = [*made.manifest.secrets]
    if secrets:
        run.terminal.note(tr("Left out, since they are secrets: {names}", names=", ".join(secrets)))
    return {"path": str(made.path), "size": made.size, "files": count, "secrets_left_out": secrets}


@command(app, "list", json=JSON)
def listing(
    folder: Annotated[Path | None, Parameter(help="Which folder; where jobs.backup puts them if left out.")] = None,
    /,
    *,
    run: Run,
) -> Answer:
    """List the backups in a folder, newest first.

    Examples:
      scrubjay backup list
      scrubjay backup list --json | jq -r '.backups[0].path'
    """
    from bot.backup.catalog import backup_folder, backups, last_backup

    where = expanded(folder).resolve() if folder else backup_folder(run.home, run.config.jobs.backup)
    copies, last, now = backups(where), last_backup(run.home), run.clock.now()
    verified = {last.path: last.verified} if last else {}
    rows = [
        {"path": str(copy.path), "at": copy.at.isoformat(), "size": copy.size, "encrypted": copy.is_encrypted}
        | {"verified": verified.get(str(copy.path)) or None}
        for copy in copies
    ]
    table = []
    for copy in copies:
        days = (now - copy.at).days
        age = trn("{count} day ago", "{count} days ago", days) if days else tr("today")
        notes = [tr("encrypted")] if copy.is_encrypted else []
        notes += [tr("verified")] if verified.get(str(copy.path)) else []
        table.append((copy.path.name, age, sized(copy.size), ", ".join(notes)))
    lack = tr("There is none in {folder}. To make one: scrubjay backup create", folder=where)
    run.terminal.table(table, heads=(str(where), tr("made"), tr("size"), ""), lack=lack)
    return {"folder": str(where), "backups": rows}


@command(app, json=JSON)
async def verify(
    archive: Annotated[Path | None, Parameter(help="Which one, or a folder of them; the newest if left out.")] = None,
    /,
    *,
    identity_file: Identity = None,
    passphrase_file: Passphrase = None,
    run: Run,
) -> Answer:
    """Restore a backup where it is in nobody's way, and ask its memory for facts.

    Exit code 0: every file is whole, and the facts were found; 1: they were not.

    Examples:
      scrubjay backup verify
      scrubjay backup verify ~/scrubjay-2026-11-21T044500.tar.gz
    """
    from bot.backup import restore as restoring
    from bot.backup.catalog import LastBackup, backup_folder, backups, last_backup, note_last

    run.use_owner_language()
    path = expanded(archive).resolve() if archive else backup_folder(run.home, run.config.jobs.backup)
    if path.is_dir() or not archive:
        if not (copies := backups(path)):
            hint = tr("Make one: scrubjay backup create")
            raise Missing(tr("There is no backup in {folder}.", folder=path), hint=hint)
        path = copies[0].path
    result = await restoring.verify(path, key=_key(identity_file, passphrase_file), open_memory=run.scratch)
    is_good = result.found == result.asked
    last = last_backup(run.home)
    if is_good and (archive is None or (last and last.path == str(path))):
        note_last(run.home, LastBackup(str(path), result.manifest.made, run.clock.now().isoformat(timespec="seconds")))
    summary = {"path": str(path), "ok": is_good, "made": result.manifest.made, "files": len(result.manifest.files)}
    summary |= {"asked": result.asked, "found": result.found}
    told = mark("{path}: {files} files are whole; of {asked} facts that its memory was asked for it found {found}.")
    run.terminal.out(tr(told, **summary))
    run.exit_code = 0 if is_good else 1
    return summary


@command(app, json=JSON)
async def restore(
    archive: Annotated[Path, Parameter(help="The backup.")],
    /,
    *,
    to: Annotated[Path | None, Parameter(metavar="HOME", help="Which home; this one if left out.")] = None,
    identity_file: Identity = None,
    passphrase_file: Passphrase = None,
    run: Run,
) -> Answer:
    """Bring a home back, whole or not at all, and look for what could be wrong.

    Nothing may be kept in the home yet. Exit code as of scrubjay doctor, which
    does not look with --json.

    Examples:
      scrubjay backup restore scrubjay-2026-11-21T044500.tar.gz
      scrubjay backup restore scrubjay-2026-11-21T044500.tar.gz --to ~/jay
    """
    from bot.backup import restore as restoring
    from bot.cli.commands.doctor import doctor
    from bot.system import instance

    run.use_owner_language()
    home = Home.at(to) if to else run.home
    if holder := instance.holder(home):
        raise Refused(tr("Scrubjay runs on this home: {holder}", holder=holder), hint=tr("Stop it first."))
    path = expanded(archive).resolve()
    manifest = await asyncio.to_thread(restoring.restore, path, home, key=_key(identity_file, passphrase_file))
    run.terminal.out(
        tr(
            "Restored from {when} ({host}): {agents}. Indexes are made anew when they are first needed.",
            when=manifest.made,
            host=manifest.host,
            agents=", ".join(manifest.agents),
        )
    )
    if manifest.secrets:
        run.terminal.note(tr("Give these again, since they were left out: {names}", names=", ".join(manifest.secrets)))
    for folder in manifest.left_out:
        run.terminal.note(tr("{folder} is part of the memory, and was not in the backup.", folder=folder))
    if to:
        run.terminal.note(tr("To use it: export SCRUBJAY_HOME={home}", home=shlex.quote(str(home.config.parent))))
    if not run.terminal.as_json:
        restored = Invocation(clock=run.clock, home=home)
        await doctor(run=restored)
        run.exit_code = restored.exit_code
    answer = {"home": str(home.config.parent), "made": manifest.made, "host": manifest.host}
    return {**answer, "agents": [*manifest.agents], "secrets": [*manifest.secrets], "left_out": [*manifest.left_out]}


def _key(identity_file: Path | None, passphrase_file: Path | None) -> Key:
    from bot.backup.archive import Key

    identity = [line for line in _content(identity_file).splitlines() if line and not line.startswith("#")]
    return Key(identity=identity[0] if identity else "", passphrase=_content(passphrase_file))


def _content(file: Path | None) -> str:
    """Read a file that holds a key; empty for None."""
    if file is None:
        return ""
    content = read_value(file, encoding="utf-8")  # a passphrase is taken to the letter, with a byte order mark, too
    if not content:
        raise UsageError(tr("{file} is empty.", file=file))
    return content
