import { dayName, localDay, secondsBetween } from "../../../clock.ts";
import type { ShownMessage } from "./use-older-messages.ts";

/** Messages of one person that are no further apart than this, in seconds, form a group. */
const GROUP_SECONDS = 300;

type Dated = Pick<ShownMessage, "created_at">;

/** True for the first loaded message of a day in local time. A hub of an old release sends no times. */
export const startsDay = ({ created_at }: Dated, before: Dated | undefined): boolean =>
  created_at !== undefined &&
  (before?.created_at === undefined || localDay(created_at) !== localDay(before.created_at));

/**
 * True if a message follows another one of the same person closely, so that it needs no name. A
 * message off the record has its mark beside the name.
 */
export function continues(line: ShownMessage, before: ShownMessage | undefined): boolean {
  if (!before || line.role !== "user" || before.role !== "user") return false;
  if (line.sender_name !== before.sender_name) return false;
  if (line.audience === "people" || before.audience === "people") return false;
  const [from, to] = [before.created_at, line.created_at];
  return from !== undefined && to !== undefined && secondsBetween(from, to) <= GROUP_SECONDS;
}

export function DaySeparator({ at }: { at: string | undefined }) {
  if (at === undefined) return null;
  return (
    <p className="room__day">
      <span>{dayName(at)}</span>
    </p>
  );
}

/** Below the last message that was copied from another conversation. */
export function CopyMark({ at, from }: { at: string; from: string }) {
  const day = dayName(at);
  return (
    <p className="room__version">
      <span>
        Copied {day.includes(" ") ? `on ${day}` : day.toLowerCase()} from “<bdi>{from}</bdi>”
      </span>
    </p>
  );
}
