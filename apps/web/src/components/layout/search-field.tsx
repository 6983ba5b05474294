import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { SearchIcon } from "../icons.tsx";

const DEBOUNCE_MS = 220;

/** Searches souls while the user types. The query is part of the URL, so it can be shared. */
export function SearchField() {
  const navigate = useNavigate();
  const q = useRouterState({
    select: ({ location }) =>
      location.pathname === "/" ? String((location.search as { q?: string }).q ?? "") : "",
  });
  const [text, setText] = useState(q);
  const input = useRef<HTMLInputElement>(null);

  // The search field follows URL changes by the back button or a link, but not while the user
  // types.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(q);
  }, [q]);

  const search = (value: string) =>
    navigate({
      to: "/",
      search: (before) => ({ ...before, q: value.trim() || undefined }),
      // All changes of one search share one history entry, so that the back button leaves the whole
      // search.
      replace: q !== "" && value !== "",
      resetScroll: false,
    });
  const searchSoon = useDebouncedCallback(search, DEBOUNCE_MS);

  const change = (value: string) => {
    setText(value);
    searchSoon(value);
  };
  return (
    <search>
      <TextInput
        ref={input}
        size="sm"
        radius="xl"
        type="text"
        inputMode="search"
        enterKeyHint="search"
        maxLength={200}
        aria-label="Search souls"
        placeholder="Search souls"
        leftSection={<SearchIcon size={18} />}
        rightSection={
          text && (
            <CloseButton
              size="sm"
              radius="xl"
              aria-label="Clear the search"
              onClick={() => {
                change("");
                input.current?.focus();
              }}
            />
          )
        }
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === "Enter") searchSoon.flush();
        }}
      />
    </search>
  );
}
