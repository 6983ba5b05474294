import { Button, type ButtonProps } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { newRoomToken } from "../new-room.ts";
import { TalkIcon } from "./icons.tsx";

interface TalkButtonProps extends ButtonProps {
  soulId: number;
  /** For those who can't see which card the button stands on. */
  soulTitle: string;
  label?: string;
}

/** One click into a room of its own. A link, so that it can be opened in a new tab. */
export function TalkButton({ soulId, soulTitle, label = "Talk", ...rest }: TalkButtonProps) {
  const [session] = useState(newRoomToken);
  return (
    <Button
      leftSection={<TalkIcon size={18} />}
      {...rest}
      renderRoot={(props) => (
        <Link
          to="/chat/$id/$session"
          params={{ id: soulId, session }}
          aria-label={`${label}: ${soulTitle}`}
          {...props}
        />
      )}
    >
      {label}
    </Button>
  );
}
