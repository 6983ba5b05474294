import "./souls-section.css";
import { ActionIcon } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef, useState } from "react";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { CrossIcon, PlusIcon, TalkIcon } from "../../icons.tsx";
import type { Entries } from "../../ui/entries.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { More } from "../../ui/more.tsx";
import { Sigil } from "../../ui/sigil.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { useRoomContext } from "../room-context.ts";
import { type SoulInRoom, useRoomSouls } from "./use-room-souls.ts";

const AddSoul = lazyPart(() => import("./add-soul.tsx"), "AddSoul");

/** A room has at most this many souls (decisions §5, Several souls). */
const MAX_SOULS = 4;

/** The souls of the room and how to address them. The room's owner adds and removes souls. */
export function SoulsSection() {
  const { room, mayChange, isWithdrawn, isGuest, canSetPrivate } = useRoomContext();
  const { souls, change } = useRoomSouls();
  const [isAdding, setAdding] = useState(false);
  /** Gets the focus when the search or a soul goes. With four souls, there is no other place. */
  const heading = useRef<HTMLHeadingElement>(null);
  const [host] = souls;
  if (!host) return null;
  const answers = room.room?.answers ?? "always";
  const close = () => {
    setAdding(false);
    heading.current?.focus();
  };
  const isFull = souls.length >= MAX_SOULS;
  const entries = (): Entries => [
    !isFull && { name: "Add a soul", icon: PlusIcon, run: () => setAdding(true) },
    {
      name: "Answer only when mentioned",
      icon: TalkIcon,
      isOn: answers === "addressed",
      run: () => change.mutate({ answers: answers === "addressed" ? "always" : "addressed" }),
    },
  ];
  return (
    <section className="stack stack--close stack--form room-souls">
      <div className="row row--apart">
        <h2 ref={heading} tabIndex={-1}>
          Souls <span className="small">{souls.length}</span>
        </h2>
        {mayChange && <More label="More about the souls" entries={entries} size={34} />}
      </div>
      <ul className="stack stack--close" aria-label="Souls">
        {souls.map((one) => (
          <RoomSoul
            key={one.soul_id}
            one={one}
            mayChange={mayChange && one !== host}
            onUpdate={() =>
              change.mutate({
                souls: souls.map((soul) =>
                  soul === one ? { ...soul, version: one.latest } : soul,
                ),
              })
            }
            onRemove={() => {
              change.mutate({ souls: souls.filter((soul) => soul !== one) });
              heading.current?.focus();
            }}
          />
        ))}
      </ul>
      {!isWithdrawn && <p className="small">{howToAsk(souls, answers)}</p>}
      {change.isError && <FailureNote failure={failureOfAction(change.error)} />}
      {mayChange &&
        (isAdding && !isFull ? (
          <AddSoul onClose={close} />
        ) : !isFull ? (
          <SmallButton leftSection={<PlusIcon size={15} />} onClick={() => setAdding(true)}>
            Add a soul
          </SmallButton>
        ) : (
          <p className="small">A room has at most {MAX_SOULS} souls.</p>
        ))}
      {!mayChange && !isGuest && canSetPrivate && (
        <p className="small">After your first message, you can add other souls.</p>
      )}
    </section>
  );
}

interface RoomSoulProps {
  one: SoulInRoom;
  mayChange: boolean;
  onUpdate: () => void;
  onRemove: () => void;
}

function RoomSoul({ one, mayChange, onUpdate, onRemove }: RoomSoulProps) {
  const { soul_id, title, handle, version, latest } = one;
  const isOutdated = version !== null && latest !== null && version < latest;
  const number = version ?? latest;
  return (
    <li className="item">
      <Sigil id={soul_id} size={34} />
      <span className="item__words">
        <Link to="/soul/$id" params={{ id: soul_id }} className="quiet-link">
          <bdi>{title}</bdi>
        </Link>
        <small>
          @{handle}
          {number !== null && ` · v${number}`}
          {isOutdated && ` · update available: v${latest}`}
        </small>
        {isOutdated && mayChange && (
          <SmallButton size="compact-xs" mt={4} onClick={onUpdate}>
            Update to v{latest}
          </SmallButton>
        )}
      </span>
      {mayChange && (
        <ActionIcon size={36} radius="xl" aria-label={`Remove ${title}`} onClick={onRemove}>
          <CrossIcon size={18} />
        </ActionIcon>
      )}
    </li>
  );
}

function howToAsk(souls: readonly SoulInRoom[], answers: "always" | "addressed"): string {
  const [host, guest] = souls;
  const handle = guest?.handle ?? host?.handle;
  if (answers === "addressed") {
    return `A soul answers only a message that mentions it, as @${handle}. Other messages cost nothing.`;
  }
  if (!guest) return `${host?.title} answers every message.`;
  return `${host?.title} answers every message that mentions no soul. To ask another one, write @${handle}. Several mentioned souls answer one after the other; each reply counts.`;
}
