import { Button } from "@mantine/core";
import { fromNow, fullTime } from "../../../clock.ts";
import { LockIcon } from "../../icons.tsx";
import { AccountButton } from "../../ui/sign-in-link.tsx";
import { useRoomContext } from "../room-context.ts";
import type { Silence } from "./use-silence.ts";

/** Takes the place of the composer while the reader may not talk. Reading goes on. */
export function SilenceNote({ silence }: { silence: NonNullable<Silence> }) {
  const { draft, setDialog } = useRoomContext();
  return (
    <div className="note" role="status">
      <LockIcon size={18} />
      <p>
        <strong>{reasonOf(silence)}</strong> You can still read
        {silence.by === "muted" && silence.until === null && ", and the owner can lift this"}.
        {draft.text !== "" && " Your draft is kept."}
      </p>
      {silence.by === "soul" && (
        <Button size="sm" variant="default" onClick={() => setDialog("export")}>
          Export
        </Button>
      )}
      {silence.by === "members" && (
        <div className="row">
          <AccountButton to="/sign-up" size="sm">
            Create an account
          </AccountButton>
          <AccountButton to="/sign-in" size="sm" variant="default">
            Sign in
          </AccountButton>
        </div>
      )}
    </div>
  );
}

const SOUL_REASONS = {
  private: "This soul is private now.",
  gated: "Only holders of an NFT can talk to this soul.",
  deleted: "This soul was deleted.",
};

function reasonOf(silence: NonNullable<Silence>): string {
  switch (silence.by) {
    case "muted":
      return silence.until === null
        ? "The owner of this room has muted you."
        : `The owner of this room has muted you until ${fullTime(silence.until)} (${fromNow(silence.until)}).`;
    case "members":
      return "Only people with an account may write here.";
    case "owner":
      return "Only the owner of this room may write here.";
    case "soul":
      return SOUL_REASONS[silence.state];
  }
}
