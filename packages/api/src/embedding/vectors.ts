/** Returns one bit per component: 1 if it is positive. Few different bits mean a high cosine. */
export const bitsOf = (vector: ArrayLike<number>): string =>
  Array.from(vector, (component) => (component > 0 ? "1" : "0")).join("");

/** Returns the cosine of the angle between two vectors; 0 for a vector of zeros. */
export function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
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

/** Reads a stored vector, one byte per component. */
export const fromBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Int8Array =>
  new Int8Array(buffer, byteOffset, byteLength);
