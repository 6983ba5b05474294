/**
 * What it costs to …, in µs of a core, with a million souls (docs/decisions/0010-search.md). They
 * decide how long a search takes, never what it finds.
 */
export const costs = {
  /** … read a soul's row, wherever it lies. */
  visit: 2.5,
  /** … read it beside the one before. */
  row: 0.5,
  /** … gather one match of a finished word, or of letters, from an index. */
  gather: 0.1,
  /** … gather one of a word that is unfinished: those of all that begin so are put together first. */
  unfinished: 0.4,
  /** … look up in an index whether one that has the most seldom of several words has the others. */
  meet: 0.22,
  /** … step to the next soul in the index of an order. */
  step: 0.1,
};

/** One soul in so many is in the sample's index (migration 0010). */
export const SAMPLE = 8;
/** Chance is uneven: what is looked through should hold so many times what is wanted. */
export const SPARE = 1.3;
