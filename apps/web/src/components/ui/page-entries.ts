import { useEffect, useRef } from "react";
import { type Entries, type Entry, offered } from "./entries.ts";

type Source = () => Entries;
const sources = new Set<{ current: Source }>();

/** Offers the entries of the open page's menus in the command palette. */
export function usePageEntries(entries: Source): void {
  const source = useRef(entries);
  useEffect(() => {
    source.current = entries;
  });
  useEffect(() => {
    sources.add(source);
    return () => void sources.delete(source);
  }, []);
}

/** The entries that the open page offers now. */
export const readPageEntries = (): Entry[] =>
  [...sources].flatMap(({ current }) => offered(current())).filter(({ run, link }) => run ?? link);
