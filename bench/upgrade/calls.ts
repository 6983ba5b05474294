import { setTimeout as sleep } from "node:timers/promises";
import type { Actor, Answer } from "@soul-hub/api/testing";
import type { RoomName } from "../processes/chat-hub.ts";
import { ok } from "../processes/member.ts";
import type { Table } from "../runner/measure.ts";
import { quantile } from "../runner/quantile.ts";

/** A member with a soul, who chats in its room, likes it, and reads. */
export interface Participant {
  actor: Actor;
  room: RoomName;
}

/** Calls of several kinds, repeated until `end`, with their results by phase. */
export class Calls {
  /** Responses other than 200, and failed connections. */
  readonly faults: string[] = [];
  /** The questions that the hub has answered with 200, by room. */
  readonly acknowledged = new Map<number, string[]>();
  /** Whether the participant likes the soul, according to the last response. */
  readonly likes = new Map<number, boolean>();
  readonly #phases: { name: string; ms: number[] }[] = [];
  #isOver = false;
  #loops: Promise<void>[] = [];

  /** Begins a phase. The results of later calls belong to it. */
  begin(name: string): void {
    this.#phases.push({ name, ms: [] });
  }

  /** Starts the calls of one participant. Each kind of call waits for its own responses only. */
  start({ actor, room }: Participant): void {
    const acknowledged: string[] = [];
    const { soul_id, session_token } = room;
    this.acknowledged.set(soul_id, acknowledged);
    this.#repeat(150, async (nth) => {
      const content = `${actor.name} asks ${nth}`;
      const answer = await actor.post("/api/chat", { ...room, content });
      if (answer.status === 200) acknowledged.push(content);
      return answer;
    });
    this.#repeat(100, async () => {
      const answer = await actor.post("/api/like", { soul_id });
      if (answer.status === 200) this.likes.set(soul_id, answer.body.liked);
      return answer;
    });
    this.#repeat(50, (nth) => actor.get(nth % 2 ? `/api/soul/${soul_id}` : "/api/souls?limit=20"));
    const log = `/api/chat-sync?soul_id=${soul_id}&session_token=${session_token}&last_id=0`;
    this.#repeat(50, () => actor.get(log));
    this.#repeat(500, (nth) =>
      actor.put(`/api/soul/${soul_id}`, { description: `Version ${nth}` }),
    );
  }

  #repeat(pauseMs: number, call: (nth: number) => Promise<Answer>): void {
    const loop = async () => {
      for (let nth = 0; !this.#isOver; nth++) {
        const phase = this.#phases.at(-1);
        const start = performance.now();
        await ok(call(nth)).catch((error: Error) =>
          this.faults.push(`${phase?.name}: ${error.message} ${error.cause ?? ""}`),
        );
        phase?.ms.push(performance.now() - start);
        await sleep(pauseMs);
      }
    };
    this.#loops.push(loop());
  }

  /** Resolves when all running calls have ended. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  table(): Table {
    const rowOf = ({ name, ms }: { name: string; ms: number[] }) =>
      [
        name,
        {
          calls: ms.length,
          "p50 ms": quantile(ms, 0.5),
          "p99 ms": quantile(ms, 0.99),
          "max ms": quantile(ms, 1),
        },
      ] as const;
    return new Map(this.#phases.map(rowOf));
  }
}
