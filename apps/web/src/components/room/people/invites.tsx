import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { fromNow } from "../../../clock.ts";
import { failureOf } from "../../../failures.ts";
import { hub } from "../../../hub.ts";
import { invalidate, invitesOf, type RoomInvite } from "../../../queries.ts";
import { CopyableCode } from "../../feedback/copyable-code.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../room-context.ts";
import { NewInvite } from "./new-invite.tsx";

/** The open invites to a private room. */
export function Invites() {
  const { roomName } = useRoomContext();
  const { data: invites, error } = useQuery(invitesOf(roomName));
  return (
    <section className="stack stack--close">
      <h2>Invites</h2>
      <p className="muted">
        This room is private. People with an account join by an invite. They become members, and
        read the whole conversation.
      </p>
      <NewInvite />
      {error && <FailureNote failure={failureOf(error)} />}
      <ul className="divided" aria-label="Open invites">
        {invites?.map((invite) => (
          <li key={invite.invite}>
            <Invite invite={invite} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Invite({ invite: { invite, url, uses, used, expires_at } }: { invite: RoomInvite }) {
  const { roomName } = useRoomContext();
  const withdraw = useMutation({
    mutationFn: () => hub.rooms.uninvite.mutate({ invite }),
    onSettled: () => invalidate(invitesOf(roomName).queryKey),
  });
  const left = uses - used;
  return (
    <div className="stack stack--close">
      <CopyableCode text={url} />
      <div className="row row--apart">
        <p className="muted">
          {left === 1 ? "1 use" : `${left} uses`} of {uses} left · ends {fromNow(expires_at)}
        </p>
        <Button
          size="compact-md"
          variant="default"
          loading={withdraw.isPending}
          onClick={() => withdraw.mutate()}
        >
          Withdraw
        </Button>
      </div>
      {withdraw.isError && <FailureNote failure={failureOf(withdraw.error)} />}
    </div>
  );
}
