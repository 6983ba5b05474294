/** Parses the API's times: UTC without a zone, `YYYY-MM-DD HH:MM:SS`. */
const readUtc = (text: string): Date => new Date(`${text.replace(" ", "T")}Z`);

/** The time until a moment in milliseconds; negative for a past one. */
export const msUntil = (utc: string): number => readUtc(utc).getTime() - Date.now();

export const isPast = (utc: string): boolean => msUntil(utc) <= 0;

const units: ReadonlyArray<readonly [unit: string, seconds: number]> = [
  ["year", 31_557_600],
  ["month", 2_629_800],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Formats a time relative to now: "3 days ago", "in 5 hours". */
export function fromNow(utc: string): string {
  const seconds = msUntil(utc) / 1_000;
  for (const [unit, length] of units) {
    if (Math.abs(seconds) < length) continue;
    return relativeTime(Math.trunc(seconds / length), unit);
  }
  return seconds > 0 ? "in a moment" : "just now";
}

/** `Intl.RelativeTimeFormat` takes a phone 150 ms to create, as long as rendering half a page. */
function relativeTime(count: number, unit: string): string {
  const isLong = unit !== "hour" && unit !== "minute";
  if (count === 1 && isLong) return unit === "day" ? "tomorrow" : `next ${unit}`;
  if (count === -1 && isLong) return unit === "day" ? "yesterday" : `last ${unit}`;
  const length = `${Math.abs(count)} ${unit}${Math.abs(count) === 1 ? "" : "s"}`;
  return count > 0 ? `in ${length}` : `${length} ago`;
}

/** Formats the local time of day, e.g. "02:00"; 00:00 is "midnight". */
export function timeOfDay(utc: string): string {
  const time = readUtc(utc);
  return time.getHours() === 0 && time.getMinutes() === 0 ? "midnight" : shortTime(utc);
}

export const fullDate = (utc: string): string =>
  readUtc(utc).toLocaleDateString([], { year: "numeric", month: "long", day: "numeric" });

export const isoTime = (utc: string): string => readUtc(utc).toISOString();

/** English and its variants with a clock of 12 hours. All other languages get one of 24 hours. */
const TWELVE_HOURS = /^en(-(US|CA|AU|NZ|IN|PH))?$/i;

/**
 * Formats the local time of day of a message: "14:05", or "2:05 PM". The first formatter of `Intl`
 * takes a phone up to 200 ms to create, as long as rendering a room.
 */
export function shortTime(utc: string): string {
  const time = readUtc(utc);
  const hours = time.getHours();
  const minutes = twoDigits(time.getMinutes());
  return TWELVE_HOURS.test(navigator.language)
    ? `${hours % 12 || 12}:${minutes} ${hours < 12 ? "AM" : "PM"}`
    : `${twoDigits(hours)}:${minutes}`;
}

const twoDigits = (number: number): string => `${number}`.padStart(2, "0");

let full: Intl.DateTimeFormat | undefined;

/** Formats a local date with its time. */
export function fullTime(utc: string): string {
  full ??= new Intl.DateTimeFormat([], { dateStyle: "long", timeStyle: "short" });
  return full.format(readUtc(utc));
}

/** Returns the beginning of the local day, as a number to compare. */
export const localDay = (utc: string): number => readUtc(utc).setHours(0, 0, 0, 0);

/** Names a local day: "Today", "Yesterday", or its date, with the year unless it is this one. */
export function dayName(utc: string): string {
  const day = localDay(utc);
  const today = new Date();
  if (day === today.setHours(0, 0, 0, 0)) return "Today";
  // Subtracting 24 hours would miss the day when the clocks change.
  if (day === today.setDate(today.getDate() - 1)) return "Yesterday";
  const isThisYear = new Date(day).getFullYear() === new Date().getFullYear();
  return new Date(day).toLocaleDateString("en", {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(!isThisYear && { year: "numeric" }),
  });
}

export const secondsBetween = (earlier: string, later: string): number =>
  (readUtc(later).getTime() - readUtc(earlier).getTime()) / 1_000;
