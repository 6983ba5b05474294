import type { Actor, Answer } from "../testing/actor.ts";

export const like = (actor: Actor, soul_id: number): Promise<Answer> =>
  actor.post("/api/like", { soul_id });

export const rate = (actor: Actor, soul_id: number, rating: unknown): Promise<Answer> =>
  actor.post("/api/rate", { soul_id, rating });

export const fork = (actor: Actor, soul_id: number): Promise<Answer> =>
  actor.post("/api/fork", { soul_id });
