import { Button, Group, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { queryClient } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { EditIcon, TrashIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";

interface OwnerActionsProps {
  id: number;
  title: string;
}

/** Buttons with which the author edits or deletes a soul. */
export function OwnerActions({ id, title }: OwnerActionsProps) {
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <>
      <LinkButton
        to="/soul/$id/edit"
        params={{ id }}
        variant="default"
        size="sm"
        leftSection={<EditIcon size={17} />}
        aria-label={`Edit: ${title}`}
      >
        Edit
      </LinkButton>
      <Button
        variant="subtle"
        color="red"
        size="sm"
        leftSection={<TrashIcon size={17} />}
        aria-label={`Delete: ${title}`}
        onClick={open}
      >
        Delete
      </Button>
      <Modal opened={isAsking} onClose={close} title="Delete this soul?">
        <DeleteQuestion id={id} title={title} onDone={close} />
      </Modal>
    </>
  );
}

function DeleteQuestion({ id, title, onDone }: OwnerActionsProps & { onDone: () => void }) {
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => hub.souls.delete.mutate({ id }),
    onSuccess: async () => {
      onDone();
      await navigate({ to: "/my-souls" });
      queryClient.removeQueries({ queryKey: ["soul", id] });
      await queryClient.invalidateQueries({
        predicate: ({ queryKey }) => queryKey[0] !== "categories",
      });
      void toast({ message: `“${title}” was deleted.` });
    },
  });
  return (
    <>
      <Text mb="md" style={{ overflowWrap: "anywhere" }}>
        This deletes “<bdi>{title}</bdi>”, its history and all its rooms. Forks remain. It can't be
        undone.
      </Text>
      <FailureNote error={remove.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onDone} data-autofocus>
          Cancel
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete permanently
        </Button>
      </Group>
    </>
  );
}
