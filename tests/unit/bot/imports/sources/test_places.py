from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from bot.errors import BotError, Refused
from bot.imports.sources import places
from bot.imports.sources.base import Skipped, notes
from bot.imports.sources.lancedb import read_rows
from bot.imports.sources.places import Source
from tests.support.foreign import zipped


def elements(tmp_path: Path, text: str) -> list[object]:
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    with Source.at(tmp_path / "a.json") as source:
        return list(source.elements("a.json"))


def test_an_array_is_read_one_element_after_the_other_wherever_a_portion_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"text": 'läuft \\ " ] }, {' * 3, "n": number} for number in range(30)]
    text = json.dumps(rows, ensure_ascii=False, indent=1)

    for size in (1, 2, 7, 64, 1 << 20):
        monkeypatch.setattr(places, "READ_AT_ONCE", size)
        assert elements(tmp_path, f"\ufeff{text}\n") == rows
    assert elements(tmp_path, "[]") == []
    assert elements(tmp_path, '[1, "two", null, 3.5]') == [1, "two", None, 3.5]


@pytest.mark.parametrize("text", ["", "{}", "[", "[1", '[{"a": 1},', '[{"a": 1}, {"b"', "[{]}", "[" * 100_000])
def test_what_is_no_whole_array_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(BotError, match=r"a\.json cannot be read"):
        elements(tmp_path, text)


def test_what_came_before_the_damage_has_been_read(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[1, 2, tru", encoding="utf-8")
    found: list[object] = []
    with Source.at(tmp_path / "a.json") as source, pytest.raises(BotError, match="after 2 entries"):
        found += (one for one in source.elements("a.json"))
    with Source.at(tmp_path / "a.json") as source:
        assert next(source.elements("a.json")) == 1


@pytest.mark.parametrize("text", ["Der Schlüssel liegt im Café – links.\n", "Tänään syömme mämmiä, äiti.\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_a_text_is_read_as_whatever_its_editor_has_written(tmp_path: Path, encoding: str, text: str) -> None:
    (tmp_path / "a.md").write_text(text, encoding=encoding)

    with Source.at(tmp_path / "a.md") as source:
        assert source.text("a.md") == text


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)),
        "Нина любит чай.\n".encode("cp1251"),
        "小明喜欢喝茶。\n".encode("gbk"),
        "Anna likes tea.\n".encode("utf-16-le"),
        "Anna likes tea.\n".encode("utf-32"),
    ],
)
def test_what_is_no_text_in_a_known_encoding_is_told_as_such(tmp_path: Path, content: bytes) -> None:
    for name in ("a.md", "a.csv"):
        (tmp_path / name).write_bytes(content)

    with Source.at(tmp_path / "a.md") as source:
        assert source.text("a.md") is None
        assert [*notes(source, ["a.md"])] == [Skipped("a.md", "it is not text in UTF-8")]
    with Source.at(tmp_path / "a.csv") as source, pytest.raises(BotError, match="it is not text in UTF-8"):
        next(read_rows(source, "a.csv"))


def test_an_empty_file_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").touch()

    with Source.at(tmp_path / "a.md") as source:
        assert [*notes(source, ["a.md"])] == [Skipped("a.md", "nothing is said in it")]


def test_an_archive_is_read_without_its_outer_folder_and_without_paths_that_lead_out(tmp_path: Path) -> None:
    files = {f"Vault/{name}": name for name in ("a.md", "b/c.md", ".obsidian/app.json")}
    hostile = {"../out.md": "", "Vault/../../out.md": "", "/etc/passwd": "", "C:/x.md": "", "__MACOSX/a.md": ""}

    with Source.at(zipped(tmp_path / "v.zip", files | hostile)) as source:
        assert source.names == ("a.md", "b/c.md")
        assert source.folders == {"b", ".obsidian"}
        assert [name for name, _ in source.left_out] == [*hostile][:4]
        assert source.text("b/c.md") == "Vault/b/c.md".removeprefix("Vault/")


def test_links_in_archives_and_folders_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret")
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "a.md").symlink_to(tmp_path / "secret.md")
    (folder / "b.md").write_text("b")
    (folder / "c").symlink_to(tmp_path)
    with zipfile.ZipFile(tmp_path / "l.zip", "w") as archive:
        link = zipfile.ZipInfo("link.md")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("b.md", "b")

    for path in (folder, tmp_path / "l.zip"):
        with Source.at(path) as source:
            assert source.names == ("b.md",)


def test_an_encrypted_archive_is_refused(tmp_path: Path) -> None:
    data = bytearray(zipped(tmp_path / "e.zip", {"a.md": "a"}).read_bytes())
    data[data.rindex(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "e.zip").write_bytes(data)

    with pytest.raises(Refused, match="encrypted"), Source.at(tmp_path / "e.zip"):
        pass


def test_a_file_of_an_archive_whose_checksum_is_wrong_is_refused(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("conversations.json", "[1, 2, 3]")
    (tmp_path / "c.zip").write_bytes(out.getvalue().replace(b"[1, 2, 3]", b"[1, 2, 4]"))

    with Source.at(tmp_path / "c.zip") as source, pytest.raises(BotError, match="cannot be read"):
        list(source.elements("conversations.json"))


def test_too_many_files_are_refused(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.md").touch()

    with pytest.raises(BotError, match="more than 3 files"), Source.at(tmp_path, most_files=3):
        pass
