export type Random = () => number;

/** mulberry32: small, even enough, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The n-th most frequent is n times rarer than the first. */
export const zipf = (random: Random, size: number): number =>
  Math.floor((size + 1) ** random()) - 1;
