import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { fromNow } from "../../../clock.ts";
import { failureOf } from "../../../failures.ts";
import { hub } from "../../../hub.ts";
import { invalidate, type RoomShare, sharesOf } from "../../../queries.ts";
import { CopyableCode } from "../../feedback/copyable-code.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../room-context.ts";

interface ShareRowProps {
  share: RoomShare;
  /** The last shared message; undefined if the page has not loaded it. */
  upTo: string | undefined;
}

/** A read-only link, with a button that revokes it. */
export function ShareRow({ share, upTo = "an earlier message" }: ShareRowProps) {
  const { roomName } = useRoomContext();
  const { share_id, url, names, created_at } = share;
  const revoke = useMutation({
    mutationFn: () => hub.shares.remove.mutate({ share_id }),
    onSettled: () => invalidate(sharesOf(roomName).queryKey),
  });
  return (
    <div className="stack stack--close">
      <CopyableCode text={url} />
      <p className="muted">
        Up to <bdi>{upTo}</bdi>
      </p>
      <div className="row row--apart">
        <p className="muted">
          {names ? "With names" : "Without names"} · created {fromNow(created_at)}
        </p>
        <Button
          size="compact-md"
          variant="default"
          c="var(--bad-text)"
          aria-label={`Revoke the link up to ${upTo}`}
          loading={revoke.isPending}
          onClick={() => revoke.mutate()}
        >
          Revoke
        </Button>
      </div>
      {revoke.isError && <FailureNote failure={failureOf(revoke.error)} />}
    </div>
  );
}
