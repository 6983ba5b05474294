import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { me } from "../../queries.ts";
import { lazyPart } from "../ui/lazy-part.tsx";
import { useBlockedNames } from "./use-blocked-names.ts";

const BlockDialog = lazyPart(() => import("./block-dialog.tsx"), "BlockDialog");

/** The button that blocks or unblocks another member (0064). Guests and the member get no button. */
export function BlockButton({ username }: { username: string }) {
  const { data: user } = useQuery(me);
  const isBlocked = useBlockedNames().has(username);
  const [isAsking, { open, close }] = useDisclosure();
  if (!user || user.username === username) return null;
  return (
    <>
      <Button
        className="block-button"
        size="compact-sm"
        variant="subtle"
        color="gray"
        aria-label={`${isBlocked ? "Unblock" : "Block"}: ${username}`}
        onClick={open}
      >
        {isBlocked ? "Unblock" : "Block"}
      </Button>
      {isAsking && <BlockDialog username={username} isBlocked={isBlocked} onClose={close} />}
    </>
  );
}
