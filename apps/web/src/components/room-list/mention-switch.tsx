import { Switch } from "@mantine/core";
import { noticeHints, useMentionNotices } from "./use-mention-notices.ts";

/** Turns notifications of mentions on or off, for this browser. */
export function MentionSwitch({ username }: { username: string }) {
  const { label, state, turn } = useMentionNotices(username);
  return (
    <Switch
      label={label}
      description={noticeHints[state]}
      checked={state === "on"}
      disabled={state === "blocked" || state === "unsupported"}
      onChange={({ currentTarget }) => void turn(currentTarget.checked)}
    />
  );
}
