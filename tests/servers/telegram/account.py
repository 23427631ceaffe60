"""The Bot API's methods about the bot itself, its updates, and the chats that it is in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.servers.telegram.call import Call
from tests.servers.telegram.posting import Webhook
from tests.servers.telegram.refusals import bad_request
from tests.servers.telegram.world import Chat, Topic, World

DOWNLOAD_LIMIT = 20 * 2**20
TOPIC_COLOR = 0x6FB9F0
GENERAL_TOPIC = 1
CHAT_ACTIONS = frozenset(
    "typing upload_photo record_video upload_video record_voice upload_voice upload_document choose_sticker "
    "find_location record_video_note upload_video_note".split()
)

RIGHTS = (
    "can_be_edited is_anonymous can_manage_chat can_delete_messages can_manage_video_chats can_restrict_members "
    "can_promote_members can_change_info can_invite_users can_post_stories can_edit_stories can_delete_stories "
    "can_manage_topics can_pin_messages can_send_welcome_messages"
).split()


class Account:
    """Methods about the bot and its chats; one Python method for each of the Bot API's."""

    def __init__(self, world: World) -> None:
        self.commands: dict[str, list[dict[str, Any]]] = {}
        self.description: dict[str, str] = {}
        self._world = world

    def get_me(self, _: Call) -> dict[str, Any]:
        rights = {"can_join_groups": True, "can_read_all_group_messages": not self._world.privacy}
        extras = {"supports_inline_queries": False, "can_connect_to_business": False, "has_main_web_app": False}
        return self._world.bot.shown | rights | extras

    async def get_updates(self, call: Call) -> list[dict[str, Any]]:
        return await self._world.queue.get(
            offset=call.get("offset", 0),
            limit=call.get("limit", 100),
            timeout_s=call.get("timeout", 0),
            allowed=call.get("allowed_updates"),
        )

    def set_webhook(self, call: Call) -> bool:
        """Updates are posted to an address of this machine, as a server in its local mode does; to none with TLS."""
        for name in ("certificate", "ip_address"):
            call.get(name)
        url = call["url"]
        if url and not url.startswith(("https://", "http://127.0.0.1:")):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        if call.get("allowed_updates"):
            self._world.queue.allow(call["allowed_updates"])
        webhook = Webhook(url, call.get("secret_token", ""), call.get("max_connections", 40))
        return self._webhook(webhook, drop=call.get("drop_pending_updates"))

    def delete_webhook(self, call: Call) -> bool:
        return self._webhook(Webhook(""), drop=call.get("drop_pending_updates"))

    def get_webhook_info(self, _: Call) -> dict[str, Any]:
        queue = self._world.queue
        webhook = queue.poster.webhook
        shown = {"url": webhook.url, "has_custom_certificate": False, "pending_update_count": len(queue.waiting)}
        failed = {"last_error_date": webhook.error_at, "last_error_message": webhook.error} if webhook.error else {}
        return shown | failed

    def set_my_commands(self, call: Call) -> bool:
        commands = call["commands"]
        if len(commands) > 100:
            raise bad_request("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            name = command["command"].removeprefix("/")
            if not (1 <= len(name) <= 32 and name.isascii() and name.replace("_", "a").isalnum() and name.islower()):
                raise bad_request("BOT_COMMAND_INVALID")
            if not 1 <= len(command["description"]) <= 256:
                raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        self.commands[_scope(call)] = commands
        return True

    def get_my_commands(self, call: Call) -> list[dict[str, Any]]:
        return self.commands.get(_scope(call), [])

    def delete_my_commands(self, call: Call) -> bool:
        self.commands.pop(_scope(call), None)
        return True

    def set_my_description(self, call: Call) -> bool:
        self.description["long"] = call.get("description", "")
        return True

    def set_my_short_description(self, call: Call) -> bool:
        self.description["short"] = call.get("short_description", "")
        return True

    def get_file(self, call: Call) -> dict[str, Any]:
        file = self._world.files.get(call["file_id"])
        if file is None:
            raise bad_request("wrong file_id or the file is temporarily unavailable")
        if file.size > DOWNLOAD_LIMIT:
            raise bad_request("file is too big")
        return file.shown | {"file_path": file.path}

    def get_chat(self, call: Call) -> dict[str, Any]:
        chat = self._world.chat(call["chat_id"], writing=False)
        gifts = "unlimited_gifts limited_gifts unique_gifts premium_subscription gifts_from_channels".split()
        details = {"accent_color_id": 0, "max_reaction_count": 11, "accepted_gift_types": dict.fromkeys(gifts, False)}
        return chat.shown | details

    def get_chat_member(self, call: Call) -> dict[str, Any]:
        chat = self._world.chat(call["chat_id"], writing=False)
        if call["user_id"] not in chat.members:
            raise bad_request("PARTICIPANT_ID_INVALID" if call["user_id"] in self._world.users else "user not found")
        return member(self._world, chat, call["user_id"])

    def leave_chat(self, call: Call) -> bool:
        chat = self._world.chat(call["chat_id"])
        if chat.kind == "private":
            raise bad_request("chat member status can't be changed in private chats")
        chat.members[self._world.bot.id] = "left"
        return True

    def send_chat_action(self, call: Call) -> bool:
        chat = self._world.chat(call["chat_id"])
        if call["action"] not in CHAT_ACTIONS:
            raise bad_request("Wrong parameter action in request")
        number = call.get("message_thread_id")
        is_general = chat.is_forum and number == GENERAL_TOPIC  # can be typed in, but not named when sending
        topic = None if is_general else self._world.topic(chat, number)
        thread = str(number) if topic or is_general else ""
        self._world.ledger.record("action", chat=str(chat.id), thread=thread, action=call["action"])
        return True

    def create_forum_topic(self, call: Call) -> dict[str, Any]:
        chat = self._forum(call)
        call.get("icon_color")
        return {
            "message_thread_id": new_topic(self._world, chat, call["name"]).id,
            "name": call["name"],
            "icon_color": TOPIC_COLOR,
        }

    def edit_forum_topic(self, call: Call) -> bool:
        topic = self._topic(call)
        if call.get("name", topic.name) == topic.name:
            raise bad_request("TOPIC_NOT_MODIFIED")
        topic.name = call["name"]
        return True

    def close_forum_topic(self, call: Call) -> bool:
        topic = self._topic(call)
        if topic.is_closed:
            raise bad_request("TOPIC_NOT_MODIFIED")
        topic.is_closed = True
        return True

    def _forum(self, call: Call) -> Chat:
        chat = self._world.chat(call["chat_id"])
        if not chat.is_forum:
            raise bad_request("the chat is not a forum")
        if chat.members.get(self._world.bot.id) != "administrator":
            raise bad_request("not enough rights to manage topics")
        return chat

    def _topic(self, call: Call) -> Topic:
        chat = self._forum(call)
        if call["message_thread_id"] not in chat.topics:
            raise bad_request("TOPIC_ID_INVALID")
        return chat.topics[call["message_thread_id"]]

    def _webhook(self, webhook: Webhook, *, drop: bool | None) -> bool:
        if drop:
            self._world.queue.drop()
        if webhook.url:
            self._world.queue.stop_poll("terminated by setWebhook request")
        current = self._world.queue.poster.webhook
        asked = (webhook.url, webhook.secret, webhook.connections)
        if asked != (current.url, current.secret, current.connections):
            self._world.queue.poster.set(webhook)
        return True


def new_topic(world: World, chat: Chat, name: str) -> Topic:
    """A topic, and the service message that begins it."""
    content = {"forum_topic_created": {"name": name, "icon_color": TOPIC_COLOR}}
    message = world.post(chat, world.bot, content)
    message |= {"message_thread_id": message["message_id"], "is_topic_message": True}
    topic = chat.topics[message["message_id"]] = Topic(message["message_id"], name)
    return topic


def member(world: World, chat: Chat, user: int) -> dict[str, Any]:
    """A ChatMember, with the rights that its status needs."""
    status = chat.members.get(user, "left")
    shown: dict[str, Any] = {"status": status, "user": world.users[user].shown}
    if status == "kicked":
        return shown | {"until_date": 0}
    if status == "creator":
        return shown | {"is_anonymous": False}
    if status == "administrator":
        return shown | dict.fromkeys(RIGHTS, True)
    return shown


def _scope(call: Call) -> str:
    scope: Mapping[str, Any] = call.get("scope") or {"type": "default"}
    place = "/".join(str(scope[name]) for name in ("chat_id", "user_id") if name in scope)
    return "/".join(part for part in (scope["type"], place, call.get("language_code", "")) if part)
