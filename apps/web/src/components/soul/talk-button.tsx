import type { ButtonProps } from "@mantine/core";
import { useState } from "react";
import { newRoomToken } from "../../new-room.ts";
import { TalkIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";

interface TalkButtonProps extends ButtonProps {
  soulId: number;
  /** The soul's title, which is part of the accessible name. */
  soulTitle: string;
  label?: string;
  /** The text of the room's composer. */
  draft?: string;
}

/** A button that opens a new room with a soul. As a link, it can also open a new tab. */
export function TalkButton(props: TalkButtonProps) {
  const { soulId, soulTitle, label = "Talk", draft, ...rest } = props;
  const [session] = useState(newRoomToken);
  return (
    <LinkButton
      to="/chat/$id/$session"
      params={{ id: soulId, session }}
      {...(draft !== undefined && { state: { draft } })}
      leftSection={<TalkIcon size={18} />}
      aria-label={`${label}: ${soulTitle}`}
      {...rest}
    >
      {label}
    </LinkButton>
  );
}
