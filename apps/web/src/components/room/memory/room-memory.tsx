import { Button, Skeleton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { Ask } from "../../ui/ask.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { useMemory } from "./use-memory.ts";

const MemoryEditor = lazyPart(() => import("./memory-editor.tsx"), "MemoryEditor");

/**
 * Delay in milliseconds after a new message, before the summary is read again. The hub updates the
 * summary after a reply.
 */
const UPDATED_AFTER_MS = 4_000;

/**
 * The summary of older messages that the soul gets with each question. The room's owner can edit
 * it, and go back to a former version.
 */
export function RoomMemory() {
  const { room, setDialog } = useRoomContext();
  const { query, current, history } = useMemory();
  const [mode, setMode] = useState<"shown" | "edited" | "forgotten">("shown");
  const editButton = useRef<HTMLButtonElement>(null);

  const head = room.messages.at(-1)?.id ?? 0;
  const { revision } = room;
  const { refetch } = query;
  useEffect(() => {
    if (head === 0 || revision === undefined) return;
    const later = setTimeout(() => void refetch(), UPDATED_AFTER_MS);
    return () => clearTimeout(later);
  }, [head, revision, refetch]);

  const close = () => {
    setMode("shown");
    // The edit button is not rendered until the next frame, so it gets the focus then.
    requestAnimationFrame(() => editButton.current?.focus());
  };
  const skeleton = <Skeleton height={64} radius="md" />;
  if (query.isPending) return skeleton;
  const text = current?.text ?? "";
  return (
    <div className="stack stack--close stack--form room-memory">
      {query.isLoadingError && <FailureNote error={query.error} />}
      {mode === "edited" ? (
        <MemoryEditor onDone={close} fallback={skeleton} />
      ) : (
        <>
          {text ? (
            <p className="quote long-text scrolled" dir="auto">
              {text}
            </p>
          ) : (
            <p className="small">
              Only the newest messages so far. As the conversation grows, a summary of the older
              ones appears here. You can edit it.
            </p>
          )}
          {mode === "forgotten" ? (
            <ForgetMemory onDone={close} />
          ) : (
            <div className="row">
              <SmallButton ref={editButton} onClick={() => setMode("edited")}>
                {text ? "Edit" : "Write a summary"}
              </SmallButton>
              {history.length > 0 && (
                <SmallButton onClick={() => setDialog("memory")}>History</SmallButton>
              )}
              {text && (
                <Button size="compact-sm" variant="subtle" onClick={() => setMode("forgotten")}>
                  Forget…
                </Button>
              )}
            </div>
          )}
        </>
      )}
    </div>
  );
}

/** Asks before the summary is reset. */
function ForgetMemory({ onDone }: { onDone: () => void }) {
  const { current, correct } = useMemory();
  const forget = useMutation({
    mutationFn: () => correct(null, current?.text ?? ""),
    onSuccess: onDone,
  });
  return (
    <>
      <Ask
        title="Forget the summary?"
        onCancel={onDone}
        text="Messages so far are not summarised again. They stay in the room."
      >
        <SmallButton c="var(--bad-text)" autoFocus call={forget}>
          Forget it
        </SmallButton>
        <SmallButton onClick={onDone}>Cancel</SmallButton>
      </Ask>
      <FailureNote error={forget.error} />
    </>
  );
}
