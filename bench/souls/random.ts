export type Random = () => number;

/** The generator mulberry32: the same seed gives the same numbers on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** An index below `size` by Zipf's law: index n is n + 1 times rarer than index 0. */
export const zipf = (random: Random, size: number): number =>
  Math.floor((size + 1) ** random()) - 1;
