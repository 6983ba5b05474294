import { useNavigate, useRouterState } from "@tanstack/react-router";
import { areSingleKeysOn } from "../keys/single-keys.ts";
import { SearchInput } from "../ui/search-input.tsx";

/** Searches souls. The query is part of the URL, so it can be shared. */
export function SearchField() {
  const navigate = useNavigate();
  const q = useRouterState({
    select: ({ location }) =>
      location.pathname === "/" ? String((location.search as { q?: string }).q ?? "") : "",
  });
  const search = (value: string) =>
    void navigate({
      to: "/",
      search: (before) => ({ ...before, q: value.trim() || undefined, match: undefined }),
      // All changes of one search share one history entry, so that the back button leaves the whole
      // search.
      replace: q !== "" && value !== "",
      resetScroll: false,
    });
  const shortcut = areSingleKeysOn() ? "/" : undefined;
  return <SearchInput q={q} label="Search souls" shortcut={shortcut} onSearch={search} />;
}
