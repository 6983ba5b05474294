import type { RoomMessage } from "@soul-hub/api";
import type { RoomState } from "@soul-hub/client";

/** A change of a room: a line of `chat --json`, and what people see. */
export type RoomChange =
  | { type: "connection"; connection: RoomState["connection"]; via: RoomState["via"] }
  | { type: "history"; you: string; title: string; messages: readonly RoomMessage[] }
  | { type: "presence"; online_count: number; joined: string[]; left: string[] }
  | { type: "typing"; names: readonly string[] }
  | { type: "asked"; reply_id: string; sender_name: string; content: string; soul: string }
  | { type: "delta"; reply_id: string; text: string }
  /** `reply_id`: the message is the whole text of this streamed reply. */
  | { type: "message"; message: RoomMessage; reply_id: string | undefined }
  | { type: "ended"; reply_id: string }
  | { type: "failed"; reply_id: string; error: string };

/** Finds what happened between two states of a room, in the order in which it is shown. */
export function roomChanges(before: RoomState, after: RoomState): RoomChange[] {
  const changes: RoomChange[] = [];
  const { connection, via } = after;
  if (before.connection !== connection || (connection === "live" && before.via !== via)) {
    changes.push({ type: "connection", connection, via });
  }
  const isNewLog = before.log !== after.log || (!before.you && after.you !== undefined);
  if (isNewLog && after.you) {
    const [you, title] = [after.you.name, after.room?.title ?? ""];
    changes.push({ type: "history", you, title, messages: pathOf(after) });
  }
  changes.push(...presenceChanges(before, after));
  changes.push(...replyChanges(before, after));
  if (before.you && !isNewLog) changes.push(...newMessages(before, after));
  for (const { reply_id } of before.replies) {
    const isThere = after.replies.some((reply) => reply.reply_id === reply_id);
    if (!isThere) changes.push({ type: "ended", reply_id });
  }
  const { failed } = after;
  if (failed && failed.reply_id !== before.failed?.reply_id) {
    changes.push({ type: "failed", reply_id: failed.reply_id, error: failed.error });
  }
  return changes;
}

function presenceChanges(before: RoomState, after: RoomState): RoomChange[] {
  const changes: RoomChange[] = [];
  const [former, present] = [before, after].map((state) =>
    state.participants.map(({ name }) => name),
  ) as [string[], string[]];
  const joined = present.filter((name) => !former.includes(name));
  const left = former.filter((name) => !present.includes(name));
  if (joined.length + left.length > 0) {
    changes.push({ type: "presence", online_count: after.online_count, joined, left });
  }
  if (before.typing.join("\n") !== after.typing.join("\n")) {
    changes.push({ type: "typing", names: after.typing });
  }
  return changes;
}

function replyChanges(before: RoomState, after: RoomState): RoomChange[] {
  return after.replies.flatMap((reply): RoomChange[] => {
    const { reply_id, sender_name, content, text } = reply;
    const known = before.replies.find((former) => former.reply_id === reply_id);
    const delta = text.slice(known?.text.length ?? 0);
    const soul = after.room?.souls.find(({ soul_id }) => soul_id === reply.soul_id)?.title ?? "";
    return [
      ...(known ? [] : [{ type: "asked" as const, reply_id, sender_name, content, soul }]),
      ...(delta ? [{ type: "delta" as const, reply_id, text: delta }] : []),
    ];
  });
}

function newMessages(before: RoomState, after: RoomState): RoomChange[] {
  const last = before.messages.at(-1)?.id ?? 0;
  const ended = [...before.replies];
  return after.messages
    .filter(({ id }) => id > last)
    .map((message) => {
      const at = ended.findIndex((reply) => {
        const isSameSoul = !reply.soul_id || reply.soul_id === message.made_by?.soul_id;
        return message.role === "assistant" && isSameSoul && message.content.startsWith(reply.text);
      });
      const [reply] = at < 0 ? [] : ended.splice(at, 1);
      return { type: "message", message, reply_id: reply?.reply_id };
    });
}

/** The messages from the active one up to the root of its tree, oldest first (0038). */
function pathOf({ messages, room }: RoomState): RoomMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const path: RoomMessage[] = [];
  let next = byId.get(room?.active_id ?? messages.at(-1)?.id ?? 0);
  while (next) {
    path.push(next);
    next = byId.get(next.parent_id ?? 0);
  }
  return path.reverse();
}
