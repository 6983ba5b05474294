import { setTimeout as sleep } from "node:timers/promises";
import type { Actor, Answer } from "@soul-hub/api/testing";

/** The results of the calls of one phase. */
interface Phase {
  name: string;
  ms: number[];
  /** Responses other than 200, and failed connections. */
  failures: string[];
}

export interface Room {
  soul_id: number;
  session_token: string;
}

/** A member with a soul, who chats in its room, likes it, and reads. */
export interface Participant {
  actor: Actor;
  room: Room;
}

/** Calls of several kinds, repeated until `end`, with their results by phase. */
export class Calls {
  readonly phases: Phase[] = [];
  /** The questions that the hub has answered with 200, by room. */
  readonly acknowledged = new Map<number, string[]>();
  /** Whether the participant likes the soul, according to the last response. */
  readonly likes = new Map<number, boolean>();
  #isOver = false;
  #loops: Promise<void>[] = [];

  /** Begins a phase. The results of later calls belong to it. */
  begin(name: string): void {
    this.phases.push({ name, ms: [], failures: [] });
  }

  /** Starts the calls of one participant. Each kind of call waits for its own responses only. */
  start({ actor, room }: Participant): void {
    const acknowledged: string[] = [];
    this.acknowledged.set(room.soul_id, acknowledged);
    const query = `soul_id=${room.soul_id}&session_token=${room.session_token}`;
    this.#repeat(150, async (nth) => {
      const content = `${actor.name} asks ${nth}`;
      const answer = await actor.post("/api/chat", { ...room, content });
      if (answer.status === 200) acknowledged.push(content);
      return answer;
    });
    this.#repeat(100, async () => {
      const answer = await actor.post("/api/like", { soul_id: room.soul_id });
      if (answer.status === 200) this.likes.set(room.soul_id, answer.body.liked);
      return answer;
    });
    this.#repeat(50, (nth) =>
      actor.get(nth % 2 ? `/api/soul/${room.soul_id}` : "/api/souls?limit=20"),
    );
    this.#repeat(50, () => actor.get(`/api/chat-sync?${query}&last_id=0`));
    this.#repeat(500, (nth) =>
      actor.put(`/api/soul/${room.soul_id}`, { description: `Version ${nth}` }),
    );
  }

  #repeat(pauseMs: number, call: (nth: number) => Promise<Answer>): void {
    const loop = async () => {
      for (let nth = 0; !this.#isOver; nth++) {
        const phase = this.phases.at(-1);
        const start = performance.now();
        const failure = await call(nth).then(
          ({ status, text }) => (status === 200 ? undefined : `${status} ${text}`),
          (error: Error) => `${error.message}: ${error.cause}`,
        );
        phase?.ms.push(performance.now() - start);
        if (failure) phase?.failures.push(failure);
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
}
