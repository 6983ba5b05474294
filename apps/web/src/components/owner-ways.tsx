import { Button, Group, Modal, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { failureOf } from "../failures.ts";
import { hub } from "../hub.ts";
import { FailureNote } from "./failure-note.tsx";
import { EditIcon, TrashIcon } from "./icons.tsx";
import { toast } from "./toasts.tsx";

interface OwnerWaysProps {
  id: number;
  title: string;
}

/** Edit and delete, for the soul's author. */
export function OwnerWays({ id, title }: OwnerWaysProps) {
  const [isAsking, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        size="sm"
        leftSection={<EditIcon size={17} />}
        renderRoot={(props) => (
          <Link to="/soul/$id/edit" params={{ id }} aria-label={`Edit: ${title}`} {...props} />
        )}
      >
        Edit
      </Button>
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
      <Modal opened={isAsking} onClose={close} title="Delete this soul for good?">
        <DeleteQuestion id={id} title={title} onDone={close} />
      </Modal>
    </>
  );
}

function DeleteQuestion({ id, title, onDone }: OwnerWaysProps & { onDone: () => void }) {
  const navigate = useNavigate();
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: () => hub.souls.delete.mutate({ id }),
    onSuccess: async () => {
      onDone();
      await navigate({ to: "/my-souls" });
      cache.removeQueries({ queryKey: ["soul", id] });
      await cache.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "categories" });
      void toast({ message: `“${title}” is gone.` });
    },
  });
  return (
    <>
      <Text mb="md" style={{ overflowWrap: "anywhere" }}>
        “{title}”, its history and every room it was talked to in disappear. Forks of it live on.
        This can't be undone.
      </Text>
      {remove.isError && <FailureNote failure={failureOf(remove.error)} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onDone} data-autofocus>
          Keep it
        </Button>
        <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
          Delete for good
        </Button>
      </Group>
    </>
  );
}
