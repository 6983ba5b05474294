/** Formats 12345 as "12,345". An Intl formatter takes longer to create than a card to render. */
export const exactCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

let compact: Intl.NumberFormat | undefined;

/** Formats a count briefly, e.g. "980" or "1.2K". */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  compact ??= new Intl.NumberFormat("en", { notation: "compact" });
  return compact.format(count);
}
