import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { hub } from "../../hub.ts";
import { blockList, me } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { ask } from "../feedback/confirm.tsx";
import { useBlockedNames } from "./use-blocked-names.ts";

/** Asks before the member is blocked or unblocked. */
export function askToBlock(username: string, isBlocked: boolean): void {
  const verb = isBlocked ? "Unblock" : "Block";
  ask({
    title: `${verb} ${username}?`,
    body: isBlocked
      ? "Then this person can use your souls and enter your rooms again. You see their messages."
      : "Then this person can't fork, like or rate your souls, and can't enter your rooms. In other rooms their messages are folded for you. The hub tells them nothing.",
    verb,
    tone: isBlocked ? "live" : "red",
    run: () =>
      hub.accounts[isBlocked ? "unblock" : "block"]
        .mutate({ username })
        .then(afterChange([blockList.queryKey])),
  });
}

/** The button that blocks or unblocks another member (0064). Guests and the member get no button. */
export function BlockButton({ username }: { username: string }) {
  const { data: user } = useQuery(me);
  const isBlocked = useBlockedNames().has(username);
  if (!user || user.username === username) return null;
  const verb = isBlocked ? "Unblock" : "Block";
  return (
    <Button
      className="block-button"
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-haspopup="dialog"
      aria-label={`${verb}: ${username}`}
      onClick={() => askToBlock(username, isBlocked)}
    >
      {verb}
    </Button>
  );
}
