import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { hub } from "../../hub.ts";
import { newRoomToken } from "../../new-room.ts";
import type { SoulListEntry } from "../../queries.ts";
import { Sigil } from "../ui/sigil.tsx";

const SHOWN = 5;

/** Souls that the hub finds for a text. Each row begins a conversation with one. */
export function FoundSouls({ text }: { text: string }) {
  const { data } = useQuery({
    queryKey: ["found-souls", text],
    queryFn: ({ signal }) => hub.souls.list.query({ q: text, limit: SHOWN }, { signal }),
    placeholderData: keepPreviousData,
  });
  if (!data?.count) return null;
  return (
    <section className="stack stack--tight" aria-label="Souls found">
      <p className="muted room-list__note">Start a new conversation with</p>
      <ul className="stack stack--tight">
        {data.data.map((soul) => (
          <li key={soul.id}>
            <FoundSoul soul={soul} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function FoundSoul({ soul: { id, title, username } }: { soul: SoulListEntry }) {
  const [session] = useState(newRoomToken);
  return (
    <Link
      to="/chat/$id/$session"
      params={{ id, session }}
      className="item item--choice room-row"
      data-row
    >
      <Sigil id={id} size={40} />
      <span className="item__words">
        <bdi className="one-line">{title}</bdi>
        <small className="one-line">by {username}</small>
      </span>
    </Link>
  );
}
