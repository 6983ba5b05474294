import { ActionIcon } from "@mantine/core";
import { toast } from "../feedback/toasts.tsx";
import { BellIcon, BellOffIcon } from "../icons.tsx";
import { noticeHints, useMentionNotices } from "./use-mention-notices.ts";

/** Turns notifications of mentions on or off, or says why this browser shows none. */
export function MentionBell({ username }: { username: string }) {
  const { label, state, turn } = useMentionNotices(username);
  const isOn = state === "on";
  const press = async () => {
    const next = isOn || state === "off" ? await turn(!isOn) : state;
    if (next === "blocked" || next === "unsupported") void toast({ message: noticeHints[next] });
  };
  return (
    <ActionIcon
      size={36}
      radius="xl"
      aria-label={label}
      aria-pressed={isOn}
      title={`${label}. ${noticeHints[state]}`}
      onClick={() => void press()}
    >
      {isOn ? <BellIcon /> : <BellOffIcon />}
    </ActionIcon>
  );
}
