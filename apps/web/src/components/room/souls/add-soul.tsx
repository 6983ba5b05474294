import { TextInput, UnstyledButton } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../../hub.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { closeOnEscape } from "../../ui/close-on-escape.ts";
import { Sigil } from "../../ui/sigil.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { useRoomSouls } from "./use-room-souls.ts";

const DEBOUNCE_MS = 200;
const FOUND = 6;

/** Searches the public souls for another soul of the room. */
export function AddSoul({ onClose }: { onClose: () => void }) {
  const { souls, change } = useRoomSouls();
  const [query, setQuery] = useState("");
  const [q] = useDebouncedValue(query.trim(), DEBOUNCE_MS);
  const search = useQuery({
    queryKey: ["room-souls", q],
    queryFn: ({ signal }) => hub.souls.list.query({ q, limit: FOUND + souls.length }, { signal }),
    placeholderData: (previous) => previous,
  });
  const found = search.data?.data
    .filter(({ id }) => souls.every(({ soul_id }) => soul_id !== id))
    .slice(0, FOUND);
  const add = (soul_id: number) =>
    change.mutate({ souls: [...souls, { soul_id, version: null }] }, { onSuccess: onClose });
  return (
    <search className="stack stack--close stack--form" {...closeOnEscape(onClose)}>
      <TextInput
        autoFocus
        label="Search public souls"
        value={query}
        onChange={({ currentTarget }) => setQuery(currentTarget.value)}
      />
      <FailureNote error={search.error} />
      {change.isError && <FailureNote failure={failureOfAction(change.error)} />}
      <ul className="stack stack--tight" aria-label="Found souls">
        {found?.map(({ id, title, username }) => (
          <li key={id}>
            <UnstyledButton
              className="item item--choice"
              // A disabled button would lose the focus.
              aria-disabled={change.isPending}
              onClick={() => change.isPending || add(id)}
            >
              <Sigil id={id} size={30} />
              <span className="item__words">
                <bdi>{title}</bdi>
                <small>by {username}</small>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
      <p className="small" role="status">
        {found?.length === 0 && "No public soul matches."}
      </p>
      <SmallButton onClick={onClose}>Cancel</SmallButton>
    </search>
  );
}
