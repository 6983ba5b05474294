import type { ReplyStore, StoredReply } from "../replies/reply-store.ts";
import type { ReplyEvent } from "../room-events.ts";
import type { Cancel, RoomTimers } from "../room-timers.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisScript } from "./redis-script.ts";
import { APPEND, LIST } from "./reply-scripts.ts";

interface StoreOptions {
  link: RedisLink;
  /** Prefix of every key: separates the hubs that share one Redis. */
  prefix: string;
  timers: RoomTimers;
  /** A reply expires this long after its end or its last renewal, in milliseconds. */
  leaseMs: number;
  renewMs: number;
}

interface LocalReply {
  replyId: string;
  roomKey: string;
  /** All events of the reply in order, kept to store them again if Redis loses them. */
  events: ReplyEvent[];
  endedAt: number | undefined;
}

/** Stores replies in Redis: a list of events per reply, and a sorted set of reply ids per room. */
export function redisReplyStore({
  link,
  prefix,
  timers,
  leaseMs,
  renewMs,
}: StoreOptions): ReplyStore {
  const appendScript = redisScript<number>(link, APPEND);
  const listScript = redisScript<string[][]>(link, LIST);
  const local = new Map<string, LocalReply>();
  let cancelRenewal: Cancel | undefined;

  const repliesKey = (roomKey: string) => `${prefix}:replies:${roomKey}`;
  const eventsStart = `${prefix}:reply:`;

  /** Appends `events` from index `held` on, or all events if Redis holds fewer than `held`. */
  async function append(reply: LocalReply, held: number): Promise<void> {
    const { replyId, roomKey, events } = reply;
    const rest = events.slice(held).map((event) => JSON.stringify(event));
    const keys = [repliesKey(roomKey), eventsStart + replyId];
    const holds = await appendScript(keys, [leaseMs, replyId, held, ...rest]);
    if (holds < held) await append(reply, 0);
  }

  /** Appends events to Redis, or after the reconnect if Redis is down. */
  const tryAppend = (reply: LocalReply, held: number) => link.or(append(reply, held), undefined);

  function renew(): void {
    cancelRenewal = undefined;
    for (const [replyId, reply] of local) {
      const { endedAt, events } = reply;
      if (endedAt === undefined) void tryAppend(reply, events.length);
      else if (endedAt + leaseMs <= timers.now()) local.delete(replyId);
    }
    if (local.size > 0) cancelRenewal = timers.after(renewMs, renew);
  }

  link.onReconnect(() => {
    for (const reply of local.values()) void tryAppend(reply, 0);
  });

  return {
    async store(roomKey, event) {
      const replyId = event.reply_id;
      const reply = local.get(replyId) ?? { replyId, roomKey, events: [], endedAt: undefined };
      const held = reply.events.push(event) - 1;
      local.set(replyId, reply);
      if (event.type === "reply-done" || event.type === "reply-failed")
        reply.endedAt = timers.now();
      cancelRenewal ??= timers.after(renewMs, renew);
      await tryAppend(reply, held);
    },
    async list(roomKey) {
      const listed = listScript([repliesKey(roomKey)], [eventsStart]);
      const stored = await link.or<string[][] | undefined>(listed, undefined);
      if (!stored) return undefined;
      return {
        replies: stored.flatMap(
          (events) => foldReply(events.map((text) => JSON.parse(text))) ?? [],
        ),
        isComplete: performance.now() - link.upSince >= renewMs,
      };
    },
    close() {
      cancelRenewal?.();
      local.clear();
    },
  };
}

function foldReply([asked, ...events]: ReplyEvent[]): StoredReply | undefined {
  if (asked?.type !== "asked") return undefined;
  const { type: _, ...question } = asked;
  const stored: StoredReply = { reply: { ...question, text: "" } };
  for (const event of events) {
    if (event.type === "reply-delta") stored.reply.text += event.text;
    else if (event.type !== "asked") stored.end = event;
  }
  return stored;
}
