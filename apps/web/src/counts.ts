/** "12,345". By hand: a formatter of the browser's takes a phone longer than all else on a card. */
export const exactCount = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",");

let compact: Intl.NumberFormat | undefined;

/** "980", "1.2K". */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  compact ??= new Intl.NumberFormat("en", { notation: "compact" });
  return compact.format(count);
}
