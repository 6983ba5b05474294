import { setTimeout as sleep } from "node:timers/promises";
import { connectDatabase } from "@soul-hub/api";
import type { LogKeeper } from "@soul-hub/api/testing";
import type { Calls, Participant } from "./calls.ts";

/** The time in milliseconds that clients get to receive the last messages. */
const SETTLE_MS = 15_000;

/** Compares the database with what the hub acknowledged, and with the logs of all clients. */
export async function findFaults(
  url: string,
  participants: readonly Participant[],
  keepers: readonly (readonly LogKeeper[])[],
  calls: Calls,
) {
  const { db, close } = await connectDatabase({ url });
  const faults: string[] = [];
  let messages = 0;
  for (const [n, { room }] of participants.entries()) {
    const log = await db
      .selectFrom("chat_messages as line")
      .innerJoin("chat_rooms as room", "room.id", "line.room_id")
      .select(["line.id", "line.prev_id", "line.content"])
      .where("room.soul_id", "=", room.soul_id)
      .orderBy("line.id")
      .execute();
    messages += log.length;
    for (const [nth, { id, prev_id }] of log.entries()) {
      if (prev_id !== (log[nth - 1]?.id ?? 0)) faults.push(`message ${id} follows ${prev_id}`);
    }
    const stored = log.map(({ content }) => content);
    const questions = calls.acknowledged.get(room.soul_id) ?? [];
    const asked = stored.filter((_, nth) => nth % 2 === 0);
    if (asked.join("\n") !== questions.join("\n")) {
      faults.push(`room ${n} has ${asked.length} questions, and ${questions.length} were answered`);
    }
    const soul = await db
      .selectFrom("souls")
      .select(["like_count"])
      .where("id", "=", room.soul_id)
      .executeTakeFirstOrThrow();
    if (soul.like_count !== Number(calls.likes.get(room.soul_id))) {
      faults.push(`soul ${room.soul_id} has ${soul.like_count} likes`);
    }
    for (const keeper of keepers[n] ?? []) {
      const deadline = performance.now() + SETTLE_MS;
      const isWhole = () => keeper.ids.join() === log.map(({ id }) => id).join();
      while (!isWhole() && performance.now() < deadline) await sleep(50);
      if (!isWhole()) faults.push(`a client of room ${n} has ${keeper.ids.length} messages`);
      if (keeper.restarts > 0) faults.push(`a client of room ${n} lost its place`);
      faults.push(...keeper.faults);
      keeper.vanish();
    }
  }
  await close();
  return { messages, faults };
}
