import { setTimeout as sleep } from "node:timers/promises";
import type { LogKeeper } from "@soul-hub/api/testing";
import { runStatement } from "../runner/bench-database.ts";
import type { Calls, Participant } from "./calls.ts";

/** The time in milliseconds that clients get to receive the last messages. */
const SETTLE_MS = 15_000;

type Line = { id: string; prev_id: string; content: string };

/** Compares the database with what the hub acknowledged, and with the logs of all clients. */
export async function findFaults(
  url: string,
  participants: readonly Participant[],
  keepers: readonly (readonly LogKeeper[])[],
  calls: Calls,
): Promise<string[]> {
  const faults: string[] = [];
  for (const [n, { room }] of participants.entries()) {
    const { soul_id } = room;
    const log = await runStatement<Line>(
      `select line.id, line.prev_id, line.content from chat_messages line
        join chat_rooms room on room.id = line.room_id where room.soul_id = ${soul_id}
        order by line.id`,
      url,
    );
    for (const [nth, { id, prev_id }] of log.entries()) {
      if (prev_id !== (log[nth - 1]?.id ?? "0")) faults.push(`message ${id} follows ${prev_id}`);
    }
    const questions = calls.acknowledged.get(soul_id) ?? [];
    const asked = log.filter((_, nth) => nth % 2 === 0).map(({ content }) => content);
    if (asked.join("\n") !== questions.join("\n")) {
      faults.push(`room ${n} has ${asked.length} questions, and ${questions.length} were answered`);
    }
    const [soul] = await runStatement<{ like_count: number }>(
      `select like_count from souls where id = ${soul_id}`,
      url,
    );
    if (soul?.like_count !== Number(calls.likes.get(soul_id))) {
      faults.push(`soul ${soul_id} has ${soul?.like_count} likes`);
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
  return faults;
}
