/**
 * The components of a vector, or the sum of several vectors. Cosines do not depend on the length.
 */
export type Components = ArrayLike<number>;

/** Returns one bit per component: 1 if it is positive. Few different bits mean a high cosine. */
export const bitsOf = (vector: Components): string =>
  Array.from(vector, (component) => (component > 0 ? "1" : "0")).join("");

/** Returns the cosine of the angle between two vectors; 0 for a vector of zeros. */
export function cosine(a: Components, b: Components): number {
  let dot = 0;
  let squaresOfA = 0;
  let squaresOfB = 0;
  for (let at = 0; at < a.length; at++) {
    const [ofA, ofB] = [a[at] ?? 0, b[at] ?? 0];
    dot += ofA * ofB;
    squaresOfA += ofA * ofA;
    squaresOfB += ofB * ofB;
  }
  return dot === 0 ? 0 : dot / Math.sqrt(squaresOfA * squaresOfB);
}

/** Returns the sum of vectors of one length. */
export const sumOf = (vectors: readonly Components[]): number[] =>
  Array.from(vectors[0] ?? [], (_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0),
  );

/** Reads a stored vector, one byte per component. */
export const fromBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array =>
  new Int8Array(buffer, byteOffset, byteLength);
