import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { queryClient } from "../../queries.ts";
import { undoable } from "../feedback/undoable.tsx";
import { EditIcon, TrashIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** Buttons with which the author edits or deletes a soul. */
export function OwnerActions({ id, title }: { id: number; title: string }) {
  const navigate = useNavigate();
  const remove = async () => {
    await navigate({ to: "/my-souls" });
    undoable({
      call: "souls.delete",
      input: { id },
      words: `“${title}” and your own rooms with it are deleted.`,
      lists: ["my-souls", "souls", "profile"],
      isGone: (entry: { id: number } | null) => entry?.id === id,
      onDeleted: () => queryClient.resetQueries({ queryKey: ["soul", id] }),
    });
  };
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
        onClick={() => void remove()}
      >
        Delete
      </Button>
    </>
  );
}
