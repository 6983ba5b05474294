import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { queryClient } from "../../queries.ts";
import { ask } from "../feedback/confirm.tsx";
import { toast } from "../feedback/toasts.tsx";
import { EditIcon, TrashIcon } from "../icons.tsx";
import { LinkButton } from "../ui/link-button.tsx";

/** Buttons with which the author edits or deletes a soul. */
export function OwnerActions({ id, title }: { id: number; title: string }) {
  const navigate = useNavigate();
  const leave = async () => {
    await navigate({ to: "/my-souls" });
    queryClient.removeQueries({ queryKey: ["soul", id] });
    await queryClient.invalidateQueries({
      predicate: ({ queryKey }) => queryKey[0] !== "categories",
    });
    void toast({ message: `“${title}” was deleted.` });
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
        onClick={() =>
          ask({
            title: "Delete this soul?",
            body: (
              <>
                This deletes “<bdi>{title}</bdi>”, its history and the rooms in which only you
                wrote. Other people keep their rooms. Forks remain. It can't be undone.
              </>
            ),
            verb: "Delete permanently",
            run: () => hub.souls.delete.mutate({ id }).then(leave),
          })
        }
      >
        Delete
      </Button>
    </>
  );
}
