// Limits of a search. Each is a count of rows, so none depends on the speed of a machine (0010).

/** A sample has `sqrt(SAMPLE_FACTOR × souls)` rows, so it grows more slowly than the hub. */
export const SAMPLE_FACTOR = 10;
export const MIN_SAMPLE = 100;
/** If at most this number of matches is expected, all matches are read, ranked and counted. */
export const FEW = 1_000;
/** The first read from an index stops after this many rows, since estimates may be wrong. */
export const MAX_GATHERED = 5_000;
/** The number of matches that paging reaches in a search with many matches. */
export const REACH = 1_000;
/**
 * Rows of a sort order are read up to this multiple of the estimate, since matches spread unevenly.
 */
export const SPARE = 1.3;
/**
 * How many times too low an estimate may be. After an index returned too many rows, this many times
 * more rows are read in sort order.
 */
export const GROWTH = 4;
