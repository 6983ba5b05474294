import { useState } from "react";
import { newRoomToken } from "../../new-room.ts";
import type { Soul } from "../../queries.ts";
import { CopyTextButton } from "../feedback/copy-text-button.tsx";
import { LinkIcon, TalkIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** A new room with a soul: to enter, and to invite others into. */
export function InRoom({ soul: { id, title, is_public } }: { soul: Soul }) {
  // Link and button lead to the same room.
  const [session] = useState(newRoomToken);
  return (
    <>
      <p className="muted">
        {is_public === 1
          ? "Anyone with the room's link can join, and sees each word as it is written."
          : "Other people cannot enter its rooms while it is private, so there is no link to send."}
      </p>
      <div className="row">
        <LinkButton
          to="/chat/$id/$session"
          params={{ id, session }}
          size="sm"
          leftSection={<TalkIcon size={17} />}
          aria-label={`Start a chat: ${title}`}
        >
          Start a chat
        </LinkButton>
        {is_public === 1 && (
          <CopyTextButton
            text={`${location.origin}/chat/${id}/${session}`}
            label="Copy a room link"
            icon={<LinkIcon size={17} />}
          />
        )}
      </div>
    </>
  );
}
