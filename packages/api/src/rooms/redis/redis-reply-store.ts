import type { ReplyStore, StoredReply } from "../reply-store.ts";
import type { ReplyEvent } from "../room-events.ts";
import type { Cancel, RoomTimers } from "../room-timers.ts";
import type { RedisLink } from "./redis-link.ts";
import { redisScript } from "./redis-script.ts";
import { APPEND, LIST } from "./reply-scripts.ts";

interface StoreOptions {
  link: RedisLink;
  /** Before every key: what keeps two hubs on one Redis apart. */
  prefix: string;
  timers: RoomTimers;
  /** How long a reply counts without a sign of its server, and after its end. */
  leaseMs: number;
  renewMs: number;
}

interface OwnReply {
  replyId: string;
  roomKey: string;
  /** Everything said of it: what Redis must hold. */
  events: ReplyEvent[];
  endedAt: number | undefined;
}

/** Replies in Redis: a list of events each, and per room a sorted set of their ids. */
export function redisReplyStore({
  link,
  prefix,
  timers,
  leaseMs,
  renewMs,
}: StoreOptions): ReplyStore {
  const append = redisScript<number>(link, APPEND);
  const list = redisScript<string[][]>(link, LIST);
  const own = new Map<string, OwnReply>();
  let cancelBeat: Cancel | undefined;

  const repliesKey = (roomKey: string) => `${prefix}:replies:${roomKey}`;
  const eventsStart = `${prefix}:reply:`;

  /** Sends what comes after the first `held` events, or the whole where Redis has less than those. */
  async function send(reply: OwnReply, held: number): Promise<void> {
    const { replyId, roomKey, events } = reply;
    const rest = events.slice(held).map((event) => JSON.stringify(event));
    const keys = [repliesKey(roomKey), eventsStart + replyId];
    const holds = await append(keys, [leaseMs, replyId, held, ...rest]);
    if (holds < held) await send(reply, 0);
  }

  /** While Redis is away nothing is lost: it is told when it is back. */
  const sendIfUp = (reply: OwnReply, held: number) => link.or(send(reply, held), undefined);

  function beat(): void {
    cancelBeat = undefined;
    for (const [replyId, reply] of own) {
      const { endedAt, events } = reply;
      if (endedAt === undefined) void sendIfUp(reply, events.length);
      else if (endedAt + leaseMs <= timers.now()) own.delete(replyId);
    }
    if (own.size > 0) cancelBeat = timers.after(renewMs, beat);
  }

  link.onReturn(() => {
    for (const reply of own.values()) void sendIfUp(reply, 0);
  });

  return {
    async keep(roomKey, event) {
      const replyId = event.reply_id;
      const reply = own.get(replyId) ?? { replyId, roomKey, events: [], endedAt: undefined };
      const held = reply.events.push(event) - 1;
      own.set(replyId, reply);
      if (event.type === "reply-done" || event.type === "reply-failed")
        reply.endedAt = timers.now();
      cancelBeat ??= timers.after(renewMs, beat);
      await sendIfUp(reply, held);
    },
    async list(roomKey) {
      const asked = list([repliesKey(roomKey)], [eventsStart]);
      const stored = await link.or<string[][] | undefined>(asked, undefined);
      if (!stored) return undefined;
      return {
        replies: stored.flatMap(
          (events) => foldReply(events.map((text) => JSON.parse(text))) ?? [],
        ),
        isWhole: performance.now() - link.upSince >= renewMs,
      };
    },
    close() {
      cancelBeat?.();
      own.clear();
    },
  };
}

function foldReply([asked, ...events]: ReplyEvent[]): StoredReply | undefined {
  if (asked?.type !== "asked") return undefined;
  const { reply_id, sender_name, content } = asked;
  const stored: StoredReply = { reply: { reply_id, sender_name, content, text: "" } };
  for (const event of events) {
    if (event.type === "reply-delta") stored.reply.text += event.text;
    else if (event.type !== "asked") stored.end = event;
  }
  return stored;
}
