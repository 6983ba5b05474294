import { EventBatch } from "../../rooms/delivery/event-batch.ts";
import type { RoomSettings } from "../../rooms/room-events.ts";

/**
 * Returns a room's settings for one reader (0076). Without access to the room's own soul, the reader
 * gets the soul's last public title, and no version number.
 */
export function settingsFor(
  { outside, ...settings }: RoomSettings,
  mayUse: boolean,
): Omit<RoomSettings, "outside"> {
  const [own, ...others] = settings.souls;
  // Settings of a server of the former release tell no state. The next read brings it.
  const isTold = settings.soul_state !== undefined;
  if (mayUse) return isTold ? settings : { ...settings, soul_state: "available" };
  if (!isTold) return { ...settings, soul_state: "private", souls: [] };
  if (!outside || !own) return settings;
  const { soul_state, title, handle } = outside;
  const seen = { ...own, title, handle, version: null, latest: null };
  return { ...settings, soul_state, souls: [seen, ...others] };
}

const isWithheld = ({ soul_state, outside }: RoomSettings): boolean =>
  soul_state === undefined || outside !== undefined;

/** Returns events for one subscriber. Those without settings stay encoded once for all of them. */
export function eventsFor(batch: EventBatch, mayUse: boolean): EventBatch {
  const isShared = batch.events.every(
    ({ event }) => !("room" in event && event.room && isWithheld(event.room)),
  );
  if (isShared) return batch;
  return new EventBatch(
    batch.events.map((tracked) => {
      const { event } = tracked;
      if (!("room" in event && event.room)) return tracked;
      return { ...tracked, event: { ...event, room: settingsFor(event.room, mayUse) } };
    }),
  );
}
