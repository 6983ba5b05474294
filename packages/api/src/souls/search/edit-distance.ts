/**
 * Returns the number of letters that were lost, added, replaced or swapped with their neighbour
 * between two words: the optimal string alignment distance.
 */
export function editDistance(from: string, to: string): number {
  const [a, b] = [Array.from(from), Array.from(to)];
  let twoBefore: number[] = [];
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [i, letter] of a.entries()) {
    const row = [i + 1];
    for (const [j, other] of b.entries()) {
      const replaced = (before[j] ?? 0) + (letter === other ? 0 : 1);
      const lost = (before[j + 1] ?? 0) + 1;
      const added = (row[j] ?? 0) + 1;
      const isSwap = i > 0 && j > 0 && letter === b[j - 1] && a[i - 1] === other;
      const swapped = isSwap ? (twoBefore[j - 1] ?? 0) + 1 : added;
      row.push(Math.min(replaced, lost, added, swapped));
    }
    twoBefore = before;
    before = row;
  }
  return before[b.length] ?? 0;
}
