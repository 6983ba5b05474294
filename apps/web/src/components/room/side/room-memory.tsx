import { Button, Group, Skeleton, Textarea } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Failure, failureOf } from "../../../failures.ts";
import { hub } from "../../../hub.ts";
import { myChats } from "../../../queries.ts";
import { countCharacters } from "../../../soul-files.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../use-room-page.ts";

/** The maximum length of a summary, in characters (decisions §5, Memory). */
const MAX_SUMMARY_CHARS = 2_000;
/**
 * Delay in milliseconds after a new message, before the summary is read again. The hub updates the
 * summary after a reply.
 */
const UPDATED_AFTER_MS = 4_000;

/**
 * The summary of older messages that the soul gets with each question. The room's owner can edit
 * it.
 */
export function RoomMemory() {
  const { soul, sessionToken, room } = useRoomContext();
  const head = room.messages.at(-1)?.id ?? 0;
  const list = useQuery({
    ...myChats,
    staleTime: 0,
    // The list of sessions contains a new room only after the first reply is stored.
    select: ({ sessions }) =>
      sessions.find((one) => one.soul_id === soul.id && one.session_token === sessionToken),
  });
  const { refetch, data: session } = list;
  const [draft, setDraft] = useState<string>();
  /** The room's summary when the user began to edit it. */
  const [base, setBase] = useState("");
  /** The room's current summary, if the hub refused the draft because the summary had changed. */
  const [conflict, setConflict] = useState<string>();
  const [isConfirming, setConfirming] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const editButton = useRef<HTMLButtonElement>(null);

  useEffect(() => {
    if (head === 0) return;
    const later = setTimeout(() => void refetch(), UPDATED_AFTER_MS);
    return () => clearTimeout(later);
  }, [head, refetch]);

  const close = () => {
    setDraft(undefined);
    setConflict(undefined);
    setConfirming(false);
    setFailure(undefined);
    // The edit button is not rendered until the next frame, so it gets the focus then.
    requestAnimationFrame(() => editButton.current?.focus());
  };
  const save = async (summary: string | null, expected: string) => {
    const name = { soul_id: soul.id, session_token: sessionToken };
    setSaving(true);
    setFailure(undefined);
    try {
      await hub.chat.correctSummary.mutate({ ...name, summary, expected });
      await refetch();
      close();
    } catch (error) {
      const refused = failureOf(error);
      const current = refused.code === "summary_changed" ? await refetch() : undefined;
      if (current?.isSuccess) setConflict(current.data?.summary ?? "");
      else setFailure(refused);
    }
    setSaving(false);
  };

  if (list.isPending) return <Skeleton height={64} radius="md" />;
  const heading = <h2>What the soul remembers</h2>;
  if (!session) {
    return (
      <section className="room-memory">
        {heading}
        <p className="room-side__small">Only the messages in this room so far.</p>
      </section>
    );
  }
  const { summary } = session;
  if (draft === undefined) {
    return (
      <section className="room-memory">
        {heading}
        {summary ? (
          <p className="room-memory__text" dir="auto">
            {summary}
          </p>
        ) : (
          <p className="room-side__small">
            Only the newest messages so far. As the conversation grows, a summary of the older ones
            appears here. You can edit it.
          </p>
        )}
        {isConfirming ? (
          <Group
            className="room-memory__ask"
            gap="xs"
            mt="sm"
            role="dialog"
            aria-label="Forget the summary?"
          >
            <p>
              <strong>Forget the summary?</strong> Messages so far are not summarised again. They
              stay in the room.
            </p>
            <Button
              size="compact-sm"
              variant="default"
              c="var(--bad-text)"
              autoFocus
              loading={isSaving}
              onClick={() => void save(null, summary)}
            >
              Forget it
            </Button>
            <Button size="compact-sm" variant="default" onClick={close}>
              Cancel
            </Button>
          </Group>
        ) : (
          <Group gap="xs" mt="sm">
            <Button
              ref={editButton}
              size="compact-sm"
              variant="default"
              onClick={() => {
                setBase(summary);
                setDraft(summary);
              }}
            >
              {summary ? "Edit" : "Write a summary"}
            </Button>
            {summary && (
              <Button size="compact-sm" variant="subtle" onClick={() => setConfirming(true)}>
                Forget…
              </Button>
            )}
          </Group>
        )}
        {conflict !== undefined && !failure && (
          <p role="alert">The summary has just changed. Read it and try again.</p>
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
        error={isTooLong && "Shorten the summary."}
        description={`${count.toLocaleString("en")} of ${MAX_SUMMARY_CHARS.toLocaleString("en")} characters`}
        inputWrapperOrder={["input", "description", "error"]}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
        onKeyDown={({ key }) => {
          // The Escape key closes the editor only while nothing has been changed.
          if (key === "Escape" && draft === base) close();
        }}
      />
      {conflict !== undefined && (
        <Group className="room-memory__ask" gap="xs" mt="sm" role="alert">
          <p>
            <strong>The summary changed while you were editing.</strong> It is now:
          </p>
          <p className="room-memory__text" dir="auto">
            {conflict || "Empty."}
          </p>
          <Button size="compact-sm" onClick={() => void save(draft, conflict)} loading={isSaving}>
            Replace it with mine
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Discard mine
          </Button>
        </Group>
      )}
      {failure && <FailureNote failure={failure} />}
      {conflict === undefined && (
        <Group gap="xs" mt="sm">
          <Button
            size="compact-sm"
            loading={isSaving}
            disabled={isTooLong || draft === base}
            onClick={() => void save(draft, base)}
          >
            Save
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Cancel
          </Button>
        </Group>
      )}
    </section>
  );
}
