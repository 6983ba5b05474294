import { Button, Group, Modal, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { hub } from "../../hub.ts";
import { blockList, invalidate } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";

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
  const change = useMutation({
    mutationFn: () => hub.accounts[wasBlocked ? "unblock" : "block"].mutate({ username }),
    onSuccess: async ({ message }) => {
      await invalidate(blockList.queryKey);
      onClose();
      void toast({ message });
    },
  });
  return (
    <Modal opened onClose={onClose} title={`${verb} ${username}?`}>
      <Text mb="md">
        {wasBlocked
          ? "Then this person can use your souls and enter your rooms again. You see their messages."
          : "Then this person can't fork, like or rate your souls, and can't enter your rooms. In other rooms their messages are folded for you. The hub tells them nothing."}
      </Text>
      <FailureNote error={change.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button
          {...(!wasBlocked && { color: "red" })}
          loading={change.isPending}
          onClick={() => change.mutate()}
        >
          {verb}
        </Button>
      </Group>
    </Modal>
  );
}
