import { Button, Skeleton, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Failure, failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { myChats, queryClient } from "../../queries.ts";
import { countCharacters } from "../../soul-files.ts";
import { FailureNote } from "../failure-note.tsx";

interface RoomMemoryProps {
  soulId: number;
  sessionToken: string;
  /** Of the room's newest message: the memory follows the conversation. */
  head: number;
}

/** Decisions §5, Memory. */
const MAX_SUMMARY_CHARS = 2_000;
/** The hub folds new lines in after it has answered. */
const FOLDED_AFTER_MS = 4_000;

/** What the soul remembers of this room beyond its newest lines. For whoever began it. */
export function RoomMemory({ soulId, sessionToken, head }: RoomMemoryProps) {
  const list = useQuery({ ...myChats, staleTime: 0 });
  const { refetch } = list;
  const [draft, setDraft] = useState<string>();
  /** The memory that the draft began with. */
  const [base, setBase] = useState("");
  const [theirs, setTheirs] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const edit = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (head === 0) return;
    const later = setTimeout(() => void refetch(), FOLDED_AFTER_MS);
    return () => clearTimeout(later);
  }, [head, refetch]);

  const find = (data: typeof list.data) =>
    data?.sessions.find((one) => one.soul_id === soulId && one.session_token === sessionToken);
  const session = find(list.data);

  const close = () => {
    setDraft(undefined);
    setTheirs(undefined);
    setAsking(false);
    setFailure(undefined);
    // The button comes back with the next rendering.
    requestAnimationFrame(() => edit.current?.focus());
  };
  const save = async (summary: string | null, expected: string) => {
    setSaving(true);
    setFailure(undefined);
    try {
      const name = { soul_id: soulId, session_token: sessionToken };
      await hub.chat.correctSummary.mutate({ ...name, summary, expected });
      await queryClient.invalidateQueries({ queryKey: myChats.queryKey });
      close();
    } catch (error) {
      const refused = failureOf(error);
      const now = refused.code === "summary_changed" ? await refetch() : undefined;
      if (now?.isSuccess) setTheirs(find(now.data)?.summary ?? "");
      else setFailure(refused);
    }
    setSaving(false);
  };

  if (list.isPending) return <Skeleton height={64} radius="md" />;
  const heading = <h2>What the soul remembers</h2>;
  if (!session) {
    // A room that was only just begun is in the list with its first reply.
    return (
      <section className="room-memory">
        {heading}
        <p className="room-side__small">Nothing yet beyond what stands in the room.</p>
      </section>
    );
  }
  const { summary } = session;
  if (draft === undefined) {
    return (
      <section className="room-memory">
        {heading}
        {summary ? (
          <p className="room-memory__text">{summary}</p>
        ) : (
          <p className="room-side__small">
            Nothing yet beyond the newest lines. Older ones are summed up here as the conversation
            grows, and you can correct that.
          </p>
        )}
        {isAsking ? (
          <div className="room-memory__ask" role="dialog" aria-label="Forget all of it?">
            <p>
              <strong>Forget all of it?</strong> What was said so far is not summed up again. The
              messages stay in the room.
            </p>
            <Button
              size="compact-sm"
              color="red"
              autoFocus
              loading={isSaving}
              onClick={() => void save(null, summary)}
            >
              Forget it
            </Button>
            <Button size="compact-sm" variant="default" onClick={close}>
              Keep it
            </Button>
          </div>
        ) : (
          <div className="room-memory__ways">
            <Button
              ref={edit}
              size="compact-sm"
              variant="default"
              onClick={() => {
                setBase(summary);
                setDraft(summary);
              }}
            >
              {summary ? "Correct" : "Write it yourself"}
            </Button>
            {summary && (
              <Button size="compact-sm" variant="subtle" onClick={() => setAsking(true)}>
                Forget…
              </Button>
            )}
          </div>
        )}
        {theirs !== undefined && !failure && (
          <p role="alert">It has just changed. Look at it once more.</p>
        )}
        {failure && <FailureNote failure={failure} />}
      </section>
    );
  }
  const count = countCharacters(draft.trim());
  const isTooLong = count > MAX_SUMMARY_CHARS;
  return (
    <section className="room-memory">
      {heading}
      <Textarea
        autosize
        autoFocus
        minRows={4}
        maxRows={14}
        aria-label="What the soul remembers of this room"
        value={draft}
        error={isTooLong && "Too long to be remembered."}
        description={`${count.toLocaleString("en")} of ${MAX_SUMMARY_CHARS.toLocaleString("en")} characters`}
        inputWrapperOrder={["input", "description", "error"]}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={({ key }) => {
          // Nothing was changed, so nothing is lost.
          if (key === "Escape" && draft === base) close();
        }}
      />
      {theirs !== undefined && (
        <div className="room-memory__ask" role="alert">
          <p>
            <strong>The soul has gone on meanwhile.</strong> It now remembers:
          </p>
          <p className="room-memory__text">{theirs || "Nothing."}</p>
          <Button size="compact-sm" onClick={() => void save(draft, theirs)} loading={isSaving}>
            Put mine in its place
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Leave it at that
          </Button>
        </div>
      )}
      {failure && <FailureNote failure={failure} />}
      {theirs === undefined && (
        <div className="room-memory__ways">
          <Button
            size="compact-sm"
            loading={isSaving}
            disabled={isTooLong || draft === base}
            onClick={() => void save(draft, base)}
          >
            Save
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Leave as it was
          </Button>
        </div>
      )}
    </section>
  );
}
