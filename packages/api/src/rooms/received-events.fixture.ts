import type { TrackedRoomEvent } from "./event-id.ts";
import type { RoomEvent } from "./room-events.ts";

type EventOf<T extends RoomEvent["type"]> = Extract<RoomEvent, { type: T }>;

/** The events that a client of a test has received. */
export class ReceivedEvents {
  /** The events in order, with their tracking ids. */
  readonly tracked: Pick<TrackedRoomEvent, "id" | "event">[] = [];

  get events(): RoomEvent[] {
    return this.tracked.map(({ event }) => event);
  }

  get types(): RoomEvent["type"][] {
    return this.events.map(({ type }) => type);
  }

  of<T extends RoomEvent["type"]>(type: T): EventOf<T>[] {
    return this.events.filter((event): event is EventOf<T> => event.type === type);
  }

  /** Ids of the received messages, in the order of arrival. */
  get ids(): number[] {
    return this.of("message").map(({ id }) => id);
  }

  /** The most recent online_count. */
  get online(): number | undefined {
    const counts = this.events.flatMap((event) =>
      "online_count" in event ? event.online_count : [],
    );
    return counts.at(-1);
  }
}
