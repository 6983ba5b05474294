import { useState } from "react";
import { hub } from "../../hub.ts";
import { blockList } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { Confirm } from "../feedback/confirm.tsx";

interface BlockDialogProps {
  username: string;
  isBlocked: boolean;
  onClose: () => void;
}

/** Explains the effect of a block, and blocks or unblocks. */
export function BlockDialog({ username, isBlocked, onClose }: BlockDialogProps) {
  // The dialog keeps its wording while the list of blocks is fetched again.
  const [wasBlocked] = useState(isBlocked);
  const verb = wasBlocked ? "Unblock" : "Block";
  return (
    <Confirm
      onClose={onClose}
      title={`${verb} ${username}?`}
      verb={verb}
      color={wasBlocked ? "live" : "red"}
      run={() => hub.accounts[wasBlocked ? "unblock" : "block"].mutate({ username })}
      onDone={afterChange([blockList.queryKey], onClose)}
    >
      {wasBlocked
        ? "Then this person can use your souls and enter your rooms again. You see their messages."
        : "Then this person can't fork, like or rate your souls, and can't enter your rooms. In other rooms their messages are folded for you. The hub tells them nothing."}
    </Confirm>
  );
}
