import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { soulById } from "../../queries.ts";
import { PlusIcon } from "../icons.tsx";
import { TalkButton } from "../soul/talk-button.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { useOpenRoom } from "../ui/open-room.ts";
import { RoomList } from "./room-list.tsx";

/** The list of rooms beside the open room. */
export function OpenRoomList({ onShown }: { onShown: () => void }) {
  const [q, setQ] = useState("");
  useEffect(onShown);
  return (
    <RoomList
      q={q}
      onSearch={setQ}
      actions={<RoomActions />}
      empty={
        <p className="muted room-list__note">
          No conversations yet. This room stands here after your first message.
        </p>
      }
    />
  );
}

function RoomActions() {
  const open = useOpenRoom();
  const { data: soul } = useQuery({ ...soulById(open?.soul_id ?? 0), enabled: false });
  return (
    <>
      {open && soul && (
        <TalkButton
          // Each room offers another new one.
          key={`${open.soul_id}/${open.session_token}`}
          soulId={soul.id}
          soulTitle={soul.title}
          label="New room"
          size="xs"
          variant="default"
          leftSection={<PlusIcon size={16} />}
        />
      )}
      <LinkButton to="/" size="xs" variant="default">
        Find a soul
      </LinkButton>
    </>
  );
}
