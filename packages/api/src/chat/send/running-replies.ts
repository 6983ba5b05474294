import { HubError } from "../../errors.ts";

declare module "../../context.ts" {
  interface Hub {
    replies: RunningReplies;
  }
}

/** A reply that this server is writing. */
interface RunningReply {
  roomKey: string;
  /** Participant id of the requester. */
  askerId: string;
  /** Cancels the reply, which then fails with this error code. */
  cancel: (code: "cancelled" | "banned") => void;
}

/** The replies in progress on this server, by reply id. */
export class RunningReplies extends Map<string, RunningReply> {
  readonly #stop = new AbortController();
  /**
   * Aborts every model call with `shutting_down`, even if its reply is not in this map yet. A
   * finished reply is still stored afterwards, but storing it is not retried.
   */
  readonly stopped = this.#stop.signal;

  /** Cancels the replies of a room, or only those to a participant that was banned from it. */
  cancelIn(roomKey: string, bannedId?: string): void {
    for (const reply of this.values()) {
      if (reply.roomKey !== roomKey) continue;
      if (bannedId === undefined) reply.cancel("cancelled");
      else if (bannedId === reply.askerId) reply.cancel("banned");
    }
  }

  /** Cancels every reply and every self-chat call. */
  cancelAll(): void {
    this.#stop.abort(new HubError("shutting_down"));
  }
}
