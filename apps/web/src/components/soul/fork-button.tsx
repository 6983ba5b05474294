import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import type { Soul } from "../../queries.ts";
import { ForkIcon } from "../icons.tsx";
import { toast } from "../toasts.tsx";

/** A copy of one's own, private at first, opened for writing. */
export function ForkButton({ soul: { id, title } }: { soul: Soul }) {
  const cache = useQueryClient();
  const navigate = useNavigate();
  const fork = useMutation({
    mutationFn: () => hub.social.fork.mutate({ soul_id: id }),
    onSuccess: async ({ new_soul_id }) => {
      void cache.invalidateQueries({ queryKey: ["soul", id] });
      void cache.invalidateQueries({ queryKey: ["my-souls"] });
      await navigate({ to: "/soul/$id/edit", params: { id: new_soul_id } });
      void toast({
        title: "The copy is yours",
        message: "Only you can see it. Change it, then make it public when it is ready.",
      });
    },
    onError: (error) => {
      const { title: what, hint } = failureOf(error);
      void toast({ color: "red", title: what, message: hint });
    },
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
