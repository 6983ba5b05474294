import "./memory-history.css";
import { Button, Group, UnstyledButton } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useRef, useState } from "react";
import { fromNow } from "../../../clock.ts";
import { type Failure, failureOf } from "../../../failures.ts";
import type { SummaryVersion } from "../../../queries.ts";
import { compareTexts } from "../../../soul-diff.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { toast } from "../../feedback/toasts.tsx";
import { FileComparison } from "../../history/file-diff.tsx";
import { Ask } from "../../ui/ask.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { useMemory } from "./use-memory.ts";

/** The versions of the room's summary. One of them is open: compared with the current one. */
export function MemoryHistory() {
  const { query, current, history, restore } = useMemory();
  const [openVersion, setOpenVersion] = useState<number>();
  const openHead = useRef<HTMLButtonElement>(null);
  const close = () => {
    openHead.current?.focus();
    setOpenVersion(undefined);
  };
  return (
    <>
      <p className="muted">
        Each summary and each edit is a version. The hub keeps the newest 50 of this conversation.
      </p>
      {query.isLoadingError && <FailureNote error={query.error} />}
      <ol className="stack stack--close memory-history" aria-busy={query.isFetching}>
        {history.map((entry) => {
          const { version } = entry;
          const isOpen = version === openVersion;
          const isCurrent = version === current?.version;
          return (
            <li key={version}>
              <UnstyledButton
                ref={isOpen ? openHead : undefined}
                className="row memory-history__head"
                aria-expanded={isOpen}
                onClick={() => setOpenVersion(isOpen ? undefined : version)}
              >
                <strong>Version {version}</strong>
                {isCurrent && (
                  <span className="state-mark" data-tone="good">
                    Current
                  </span>
                )}
                <span>
                  {makerOf(entry)}, {fromNow(entry.created_at)}
                </span>
              </UnstyledButton>
              {isOpen && (
                <div className="stack stack--close memory-history__version">
                  <Coverage of={entry} />
                  {isCurrent ? (
                    <p className="long-text" dir="auto">
                      {entry.text || "Empty."}
                    </p>
                  ) : (
                    <Former entry={entry} current={current} restore={restore} onDone={close} />
                  )}
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}

function makerOf({ made_by, name, text }: SummaryVersion): string {
  if (made_by === "fold") return "Summarised by the model";
  if (made_by === "rollback") return `Brought back by ${name}`;
  return `${text ? "Edited" : "Emptied"} by ${name}`;
}

const EXCERPT_CHARS = 60;

/** Says which messages a version covers. */
function Coverage({ of: { covers_to } }: { of: SummaryVersion }) {
  const { room, older } = useRoomContext();
  if (covers_to === 0) return <p>Covers no messages.</p>;
  const last = [...older.messages, ...room.messages].find(({ id }) => id === covers_to);
  if (!last) return <p>Covers only messages older than those shown in the room.</p>;
  const excerpt = Array.from(last.content).slice(0, EXCERPT_CHARS).join("");
  return (
    <p>
      Covers the messages up to “<bdi>{excerpt}</bdi>
      {excerpt.length < last.content.length && "…"}” by <bdi>{last.sender_name}</bdi>.
    </p>
  );
}

interface FormerProps {
  entry: SummaryVersion;
  current: SummaryVersion | null;
  restore: ReturnType<typeof useMemory>["restore"];
  onDone: () => void;
}

/** Compares a former version with the current one, and offers to go back to it. */
function Former({ entry: { version, text }, current, restore, onDone }: FormerProps) {
  const [isAsking, setAsking] = useState(false);
  const askButton = useRef<HTMLButtonElement>(null);
  const cancel = () => {
    setAsking(false);
    requestAnimationFrame(() => askButton.current?.focus());
  };
  const now = current?.text ?? "";
  const file = useMemo(
    () => compareTexts(`the memory since version ${version}`, text, now),
    [version, text, now],
  );
  const goBack = useMutation({
    mutationFn: () => restore(version, current?.version),
    onSuccess: () => {
      onDone();
      void toast({ message: `The soul remembers version ${version} again.` });
    },
  });
  return (
    <>
      {text === now ? (
        <p>Its text is the current one.</p>
      ) : (
        <>
          <p>From version {version} to the current memory:</p>
          <FileComparison file={file} isNamed={false} />
        </>
      )}
      {goBack.isError && <FailureNote failure={refusalOf(goBack.error)} />}
      {isAsking ? (
        <Ask
          role="group"
          title={`Go back to version ${version}?`}
          onCancel={cancel}
          text="Messages after it are summarised again. The current memory stays in this list."
        >
          <Button
            size="compact-sm"
            autoFocus
            loading={goBack.isPending}
            onClick={() => goBack.mutate()}
          >
            Go back
          </Button>
          <SmallButton onClick={cancel}>Cancel</SmallButton>
        </Ask>
      ) : (
        <Group>
          <SmallButton ref={askButton} onClick={() => setAsking(true)}>
            Go back to this
          </SmallButton>
        </Group>
      )}
    </>
  );
}

/** The words for `version_not_found` elsewhere are about versions of a soul. */
function refusalOf(error: unknown): Failure {
  const failure = failureOf(error);
  if (failure.code !== "version_not_found") return failure;
  const { recovery: _, ...shown } = failure;
  return {
    ...shown,
    title: "This version is no longer there",
    hint: "The list shows the versions that are.",
  };
}
