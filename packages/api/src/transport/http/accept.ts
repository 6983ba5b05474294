/**
 * Reads a header `Accept` (RFC 9110, 12.5.1).
 * @returns the weight of each range, such as `text/*`; a malformed weight is 0
 */
export const acceptedRanges = (accept: string): ReadonlyMap<string, number> =>
  new Map(accept.split(",").map(readRange));

/** The weight of a media type, which its most specific range decides. */
export function weightOf(type: string, ranges: ReadonlyMap<string, number>): number {
  const all = type.replace(/\/.*/, "/*");
  return ranges.get(type) ?? ranges.get(all) ?? ranges.get("*/*") ?? 0;
}

/** Reads one range, such as `text/html;q=0.8`. */
function readRange(range: string): [type: string, weight: number] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="));
  return [type, weight === undefined ? 1 : Number(weight.slice("q=".length)) || 0];
}
