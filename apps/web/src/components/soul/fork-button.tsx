import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { invalidate, type Soul } from "../../queries.ts";
import { toast, toastFailure } from "../feedback/toasts.tsx";
import { ForkIcon } from "../icons.tsx";

/** Forks a soul into a private copy and opens the copy for editing. */
export function ForkButton({ soul: { id, title } }: { soul: Soul }) {
  const navigate = useNavigate();
  const fork = useMutation({
    mutationFn: () => hub.social.fork.mutate({ soul_id: id }),
    onSuccess: async ({ new_soul_id }) => {
      void invalidate(["soul", id], ["my-souls"]);
      await navigate({ to: "/soul/$id/edit", params: { id: new_soul_id } });
      void toast({
        title: "Forked",
        message: "Only you can see your copy. Edit it, then make it public when it is ready.",
      });
    },
    onError: toastFailure,
  });
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<ForkIcon size={18} />}
      aria-label={`Fork: ${title}`}
      loading={fork.isPending}
      onClick={() => fork.mutate()}
    >
      Fork
    </Button>
  );
}
