import { setTimeout as sleep } from "node:timers/promises";
import { type Actor, keepLog, type LogKeeper, openRoom, say } from "@soul-hub/api/testing";
import type { RepeatedCalls } from "../load/repeated-calls.ts";
import { newMember } from "../processes/member.ts";
import { runStatement } from "../runner/bench-database.ts";

/** The time in milliseconds that clients get to receive the last messages. */
const SETTLE_MS = 15_000;

/** A member with a soul, who chats in its room, likes it, and reads. */
export interface Participant {
  name: string;
  soulId: number;
  /** The clients of the room. The last one uses SSE, the others WebSocket. */
  keepers: LogKeeper[];
  /** The questions that the hub has answered with 200. */
  acknowledged: string[];
  /** Whether the participant likes the soul, according to the last response. */
  likes: boolean;
}

/** Registers a participant, connects clients to its room, and starts its calls. */
export async function startParticipant(
  url: string,
  name: string,
  sockets: number,
  calls: RepeatedCalls,
): Promise<Participant> {
  const actor: Actor = await newMember(url, name);
  const room = await openRoom(actor);
  const { soul_id, session_token } = room;
  const keepers = Array.from({ length: sockets + 1 }, (_, n) =>
    keepLog({
      userAgent: `client ${name}.${n}`,
      url: () => url,
      room,
      overSse: n === sockets,
      isAskedToReconnect: true,
    }),
  );
  const participant: Participant = {
    name,
    soulId: soul_id,
    keepers,
    acknowledged: [],
    likes: false,
  };
  calls.repeat(150, async (nth) => {
    const content = `${name} asks ${nth}`;
    const answer = await say(actor, room, content);
    if (answer.status === 200) participant.acknowledged.push(content);
    return answer;
  });
  calls.repeat(100, async () => {
    const answer = await actor.post("/api/like", { soul_id });
    if (answer.status === 200) participant.likes = answer.body.liked;
    return answer;
  });
  const log = `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}&last_id=0`;
  calls.repeat(50, (nth) => actor.get(nth % 2 ? `/api/soul/${soul_id}` : "/api/souls?limit=20"));
  calls.repeat(50, () => actor.get(log));
  calls.repeat(500, (nth) => actor.put(`/api/soul/${soul_id}`, { description: `Version ${nth}` }));
  return participant;
}

/** Compares the database with what the hub acknowledged, and with the logs of all clients. */
export async function faultsOf(
  databaseUrl: string,
  { name, soulId, acknowledged, likes, keepers }: Participant,
): Promise<string[]> {
  const faults: string[] = [];
  const log = await runStatement<{ id: string; prev_id: string; content: string }>(
    `select line.id, line.prev_id, line.content from chat_messages line
      join chat_rooms room on room.id = line.room_id where room.soul_id = ${soulId} order by line.id`,
    databaseUrl,
  );
  for (const [nth, { id, prev_id }] of log.entries()) {
    if (prev_id !== (log[nth - 1]?.id ?? "0")) faults.push(`message ${id} follows ${prev_id}`);
  }
  const asked = log.filter((_, nth) => nth % 2 === 0).map(({ content }) => content);
  if (asked.join("\n") !== acknowledged.join("\n")) {
    faults.push(`${asked.length} questions are stored, and ${acknowledged.length} were answered`);
  }
  const [soul] = await runStatement<{ like_count: number }>(
    `select like_count from souls where id = ${soulId}`,
    databaseUrl,
  );
  if (soul?.like_count !== Number(likes)) faults.push(`the soul has ${soul?.like_count} likes`);
  const ids = log.map(({ id }) => id).join();
  for (const keeper of keepers) {
    const deadline = performance.now() + SETTLE_MS;
    while (keeper.ids.join() !== ids && performance.now() < deadline) await sleep(50);
    if (keeper.ids.join() !== ids) faults.push(`a client has ${keeper.ids.length} messages`);
    if (keeper.restarts > 0) faults.push("a client lost its place");
    faults.push(...keeper.faults);
    keeper.vanish();
  }
  return faults.map((fault) => `room of ${name}: ${fault}`);
}
