/** Creates a throttle, which returns true for a key at most once in `ms` milliseconds. */
export function createThrottle(ms: number, now: () => number): (key: string) => boolean {
  const passedAt = new Map<string, number>();
  return (key) => {
    const time = now();
    // Keys are ordered by time, oldest first: after the first recent key all keys are recent.
    for (const [known, since] of passedAt) {
      if (time - since < ms) break;
      passedAt.delete(known);
    }
    if (passedAt.has(key)) return false;
    passedAt.set(key, time);
    return true;
  };
}
