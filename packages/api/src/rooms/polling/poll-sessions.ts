import type { Participant } from "../ports/presence-store.ts";
import type { Room } from "../room.ts";
import { PollSession, type Wait } from "./poll-session.ts";

/** Limit of waiting calls per participant and room. More are answered at once (decisions §5). */
const MAX_WAITS = 2;

/** The poll sessions of one server: one for each polling client of a participant in a room. */
export class PollSessions {
  /**
   * The sessions by participant and room. Sessions without a call are ordered by the end of their
   * last call.
   */
  readonly #sessions = new Map<string, Set<PollSession>>();

  /**
   * Returns a session, which the call must dispose of at its end. A call does not name its client.
   * It therefore gets the session that has been without a call for the longest time. A participant
   * with two clients thus needs no identifier: the client that was answered first calls first.
   * @returns undefined if MAX_WAITS calls already use sessions
   */
  take(room: Room, participant: Participant): PollSession | undefined {
    const id = `${participant.id} ${room.key}`;
    const sessions = this.#sessions.get(id) ?? new Set<PollSession>();
    const idle = [...sessions].find(({ isInUse }) => !isInUse);
    idle?.begin();
    if (idle || sessions.size >= MAX_WAITS) return idle;
    const session = new PollSession(room, participant, {
      onIdle() {
        sessions.delete(session);
        sessions.add(session);
      },
      onEnd: () => {
        sessions.delete(session);
        if (sessions.size === 0) this.#sessions.delete(id);
      },
    });
    this.#sessions.set(id, sessions.add(session));
    return session;
  }

  /** Returns all waiting calls, so that a server that shuts down can end them. */
  waits(): Wait[] {
    const sessions = [...this.#sessions.values()].flatMap((each) => [...each]);
    return sessions.flatMap(({ waiting }) => waiting ?? []);
  }
}
