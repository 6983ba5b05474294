import "./search-input.css";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { CrossIcon, SearchIcon } from "../icons.tsx";

const DEBOUNCE_MS = 220;

interface SearchInputProps {
  /** The query in the URL. */
  q: string;
  label: string;
  /** The key that focuses the field, shown while the field is empty. */
  shortcut?: string | undefined;
  /** Puts the query into the URL. */
  onSearch: (q: string) => void;
}

/** A field that searches while the user types. Each page has it, and no other field of Mantine. */
export function SearchInput({ q, label, shortcut, onSearch }: SearchInputProps) {
  const [text, setText] = useState(q);
  const input = useRef<HTMLInputElement>(null);

  // The search field follows URL changes by the back button or a link, but not while the user
  // types.
  useEffect(() => {
    if (document.activeElement !== input.current) setText(q);
  }, [q]);

  const searchSoon = useDebouncedCallback(onSearch, DEBOUNCE_MS);
  const change = (value: string) => {
    setText(value);
    searchSoon(value);
  };
  return (
    <search className="search-input">
      <SearchIcon size={18} />
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        dir="auto"
        maxLength={200}
        aria-label={label}
        placeholder={label}
        aria-keyshortcuts={shortcut}
        value={text}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === "Enter") searchSoon.flush();
        }}
      />
      {text ? (
        <button
          type="button"
          className="plain-button"
          aria-label="Clear the search"
          onClick={() => {
            change("");
            input.current?.focus();
          }}
        >
          <CrossIcon size={18} />
        </button>
      ) : (
        shortcut && <kbd>{shortcut}</kbd>
      )}
    </search>
  );
}
