import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { hub } from "../../hub.ts";
import { newRoomToken } from "../../new-room.ts";
import { invalidate, me, myChats } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { CopyIcon } from "../icons.tsx";
import { AccountButton } from "../ui/sign-in-link.tsx";

/** Copies a shared conversation into a private room of the reader's own. A guest signs in first. */
export function ContinueButton({ shareId }: { shareId: string }) {
  const { data: user } = useQuery(me);
  const navigate = useNavigate();
  const copy = useMutation({
    mutationFn: async () => {
      const session = newRoomToken();
      const { soul_id } = await hub.rooms.copy.mutate({
        share_id: shareId,
        new_session_token: session,
      });
      return { id: soul_id, session };
    },
    onSuccess: async (params) => {
      void invalidate(myChats.queryKey);
      await navigate({ to: "/chat/$id/$session", params });
    },
    onError: toastFailure,
  });
  if (!user) {
    return (
      <AccountButton to="/sign-in" leftSection={<CopyIcon size={18} />}>
        Sign in to continue in a copy of your own
      </AccountButton>
    );
  }
  return (
    <Button
      leftSection={<CopyIcon size={18} />}
      loading={copy.isPending}
      onClick={() => copy.mutate()}
    >
      Continue in a copy of your own
    </Button>
  );
}
