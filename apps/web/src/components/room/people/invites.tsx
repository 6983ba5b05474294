import { useQuery } from "@tanstack/react-query";
import { fromNow } from "../../../clock.ts";
import { hub } from "../../../hub.ts";
import { invalidate, invitesOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { LinkRow } from "../link-row.tsx";
import { useRoomContext } from "../room-context.ts";
import { NewInvite } from "./new-invite.tsx";

const usesLeft = (count: number) => (count === 1 ? "1 use" : `${count} uses`);

/** The open invites to a private room. */
export function Invites() {
  const { roomName } = useRoomContext();
  const { data: invites, error } = useQuery(invitesOf(roomName));
  return (
    <section className="stack stack--close">
      <h3>Invites</h3>
      <p className="muted">
        This room is private. People with an account join by an invite. They become members, and
        read the whole conversation.
      </p>
      <NewInvite />
      <FailureNote error={error} />
      <ul className="divided" aria-label="Open invites">
        {invites?.map(({ invite, url, uses, used, expires_at }) => (
          <LinkRow
            key={invite}
            url={url}
            facts={`${usesLeft(uses - used)} of ${uses} left · ends ${fromNow(expires_at)}`}
            end={{
              verb: "Withdraw",
              body: "Nobody can join with it any more. People who have joined stay members.",
              run: () => hub.rooms.uninvite.mutate({ invite }),
            }}
            onEnded={() => invalidate(invitesOf(roomName).queryKey)}
          />
        ))}
      </ul>
    </section>
  );
}
