import { EventEmitter, once } from "node:events";
import { emptyRoom, type JoinedRoom, joinRoom, type RoomState } from "@soul-hub/client";
import { Failure } from "@soul-hub/program";
import type { Hub } from "../hub/hub.ts";
import type { Session } from "../hub/session.ts";
import { type RoomChange, roomChanges } from "./room-changes.ts";

/** A room that a person enters from the terminal. */
export interface Visit {
  hub: Hub;
  session: Session;
  name: { soul_id: number; session_token: string };
}

interface OpenVisit extends Disposable {
  state(): RoomState;
  /** Resolves when a state holds. @throws Failure of a hub that closes the room */
  until(holds: (state: RoomState) => boolean, signal?: AbortSignal): Promise<RoomState>;
}

/** Joins the room and reports each change of it. The caller leaves by disposing of the visit. */
export function enter({ hub, name }: Visit, onChange: (change: RoomChange) => void): OpenVisit {
  const room: JoinedRoom = joinRoom({ client: hub.client, ...name });
  let known = emptyRoom;
  // Each line that is sent waits for the connection.
  const states = new EventEmitter().setMaxListeners(0);
  room.subscribe(() => {
    const state = room.getSnapshot();
    const changes = roomChanges(known, state);
    known = state;
    for (const change of changes) onChange(change);
    states.emit("state");
  });
  return {
    state: () => known,
    async until(holds, signal) {
      while (!holds(known)) {
        const { connection, error } = known;
        if (connection === "closed" && error) throw new Failure(error.code, error.message);
        await once(states, "state", { ...(signal && { signal }) });
      }
      return known;
    },
    [Symbol.dispose]: room.close,
  };
}

/** True if the person may ask: the room is live, and no own question still waits for its reply. */
export const isFree = ({ connection, replies, you }: RoomState): boolean =>
  connection === "live" && replies.every(({ sender_name }) => sender_name !== you?.name);

/** Cancels the replies that this person may cancel: the own ones, and all in an own room. */
export function cancelReplies({ hub }: Visit, { replies, you }: RoomState): boolean {
  const own = replies.filter((reply) => you?.is_owner || reply.sender_name === you?.name);
  for (const { reply_id } of own) {
    // A reply that has ended meanwhile cannot be cancelled.
    hub.client.chat.cancel.mutate({ reply_id }).catch(() => {});
  }
  return own.length > 0;
}
