import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { SearchIcon } from "./icons.tsx";

const PAUSE_MS = 220;

/** Searches as you type; the address carries the search, so it can be shared. */
export function SearchField() {
  const navigate = useNavigate();
  const q = useRouterState({
    select: ({ location }) =>
      location.pathname === "/" ? String((location.search as { q?: string }).q ?? "") : "",
  });
  const [text, setText] = useState(q);
  const input = useRef<HTMLInputElement>(null);

  // The address changed without us: back, forward, a link.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(q);
  }, [q]);

  const search = (value: string) =>
    navigate({
      to: "/",
      search: (before) => {
        const { q: _, ...rest } = before as { q?: string; role?: string };
        return value.trim() ? { ...rest, q: value.trim() } : rest;
      },
      // One step back leaves the search, not each letter of it.
      replace: q !== "" && value !== "",
      resetScroll: false,
    });
  const searchSoon = useDebouncedCallback(search, PAUSE_MS);

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
