import { useMutation, useQuery } from "@tanstack/react-query";
import { fromNow } from "../../../clock.ts";
import { hub } from "../../../hub.ts";
import { invalidate, invitesOf, type RoomInvite } from "../../../queries.ts";
import { CopyableCode } from "../../feedback/copyable-code.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { NewInvite } from "./new-invite.tsx";

/** The open invites to a private room. */
export function Invites() {
  const { roomName } = useRoomContext();
  const { data: invites, error } = useQuery(invitesOf(roomName));
  return (
    <section>
      <h2>Invites</h2>
      <p>
        This room is private. People with an account join by an invite. They become members, and
        read the whole conversation.
      </p>
      <NewInvite />
      <FailureNote error={error} />
      <ul className="room-dialog__list" aria-label="Open invites">
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
    <div className="room-dialog__link">
      <CopyableCode text={url} />
      <div className="row">
        <p>
          {left === 1 ? "1 use" : `${left} uses`} of {uses} left · ends {fromNow(expires_at)}
        </p>
        <SmallButton size="compact-md" call={withdraw}>
          Withdraw
        </SmallButton>
      </div>
      <FailureNote error={withdraw.error} />
    </div>
  );
}
