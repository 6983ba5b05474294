import { useQuery } from "@tanstack/react-query";
import { me } from "../../queries.ts";
import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useBlockedNames } from "./use-blocked-names.ts";

const BlockDialog = lazyPart(() => import("./block-dialog.tsx"), "BlockDialog");

/** The button that blocks or unblocks another member (0064). Guests and the member get no button. */
export function BlockButton({ username }: { username: string }) {
  const { data: user } = useQuery(me);
  const isBlocked = useBlockedNames().has(username);
  if (!user || user.username === username) return null;
  const verb = isBlocked ? "Unblock" : "Block";
  return (
    <DialogButton
      className="block-button"
      size="compact-sm"
      variant="subtle"
      color="gray"
      aria-label={`${verb}: ${username}`}
      dialog={({ isOpened, onClose }) =>
        isOpened && <BlockDialog username={username} isBlocked={isBlocked} onClose={onClose} />
      }
    >
      {verb}
    </DialogButton>
  );
}
