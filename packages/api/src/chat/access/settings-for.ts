import { EventBatch } from "../../rooms/delivery/event-batch.ts";
import type { RoomSettings } from "../../rooms/room-events.ts";

/**
 * Returns a room's settings as a reader may see them (0076). A reader who may not use the room's own
 * soul gets its last public title, and no number of its present version.
 */
export function settingsFor(
  { outside, ...settings }: RoomSettings,
  mayUse: boolean,
): Omit<RoomSettings, "outside"> {
  const [own, ...others] = settings.souls;
  if (mayUse || !outside || !own) return settings;
  const { soul_state, title, handle } = outside;
  return { ...settings, soul_state, souls: [{ ...own, title, handle, latest: null }, ...others] };
}

/** Returns events for one subscriber. Those without settings stay encoded once for all of them. */
export function eventsFor(batch: EventBatch, mayUse: boolean): EventBatch {
  const isShared = batch.events.every(({ event }) => !("room" in event && event.room?.outside));
  if (isShared) return batch;
  return new EventBatch(
    batch.events.map((tracked) => {
      const { event } = tracked;
      if (!("room" in event && event.room)) return tracked;
      return { ...tracked, event: { ...event, room: settingsFor(event.room, mayUse) } };
    }),
  );
}
