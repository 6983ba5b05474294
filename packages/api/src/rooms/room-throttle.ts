/** True for what was not let through within the last `ms`. Remembers no longer than that. */
export function atMostOnceIn(ms: number, now: () => number): (what: string) => boolean {
  const at = new Map<string, number>();
  return (what) => {
    const time = now();
    // The oldest stand first: stops at the first that still counts.
    for (const [known, since] of at) {
      if (time - since < ms) break;
      at.delete(known);
    }
    if (at.has(what)) return false;
    at.set(what, time);
    return true;
  };
}
