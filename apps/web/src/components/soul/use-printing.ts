import { useEffect, useState } from "react";
import { flushSync } from "react-dom";

/** Returns true while the browser prints the page. */
export function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser prints the page as soon as the listeners return, so React renders at once.
    const set = (value: boolean) => () => flushSync(() => setPrinting(value));
    const listeners = new AbortController();
    const { signal } = listeners;
    addEventListener("beforeprint", set(true), { signal });
    addEventListener("afterprint", set(false), { signal });
    return () => listeners.abort();
  }, []);
  return isPrinting;
}
