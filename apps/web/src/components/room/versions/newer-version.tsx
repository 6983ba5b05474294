import { Button, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useCallback, useEffect } from "react";
import { versionOf, versionsOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";
import { useStay } from "./use-stay.ts";

/** Names the newer version and what it changed, and offers to see, to take or to decline it. */
export function NewerVersion({ pinned, latest }: { pinned: number; latest: number }) {
  const { soul, outbox, setDialog, scroll } = useRoomContext();
  const { scroller } = scroll;
  const { pin } = usePin();
  const [stayedAt, stay] = useStay();
  const newest = useQuery(versionOf(soul.id, latest));
  const { data: versions, refetch } = useQuery({ ...versionsOf(soul.id, latest), staleTime: 0 });
  const isRefused = outbox.shown.some(({ failure }) => failure?.code === "version_withdrawn");
  useEffect(() => {
    if (isRefused) void refetch();
  }, [isRefused, refetch]);

  const keepFocus = useCallback(
    (banner: HTMLElement) => () => {
      // The banner goes with the button that was pressed, and the focus with it. "Switch" is disabled
      // while it runs, so the body has the focus already.
      const { activeElement, body } = document;
      if (activeElement === body || banner.contains(activeElement)) {
        scroller.current?.focus({ preventScroll: true });
      }
    },
    [scroller],
  );
  const isWithdrawn = versions?.every(({ number }) => number !== pinned) ?? false;
  if (newest.isPending || (stayedAt >= latest && !isWithdrawn)) return null;
  const note = newest.data?.note;
  return (
    <section
      ref={keepFocus}
      className="note note--bar version-banner"
      data-tone="good"
      aria-label="Another version of the soul"
    >
      {isWithdrawn ? (
        <p role="status">
          <strong>The author has hidden version {pinned}</strong>, which answers here. The soul does
          not reply until you choose another version.
        </p>
      ) : (
        <p className="clamp" role="status" dir="auto">
          <strong>Version {latest}</strong>
          {note ? `: ${note}` : " of this soul is there."}
        </p>
      )}
      <Group gap="xs">
        {!isWithdrawn && (
          <SmallButton onClick={() => setDialog("changes")}>See changes</SmallButton>
        )}
        <Button size="compact-sm" loading={pin.isPending} onClick={() => pin.mutate(latest)}>
          {isWithdrawn ? `Switch to version ${latest}` : "Switch"}
        </Button>
        {!isWithdrawn && (
          <Button size="compact-sm" variant="subtle" onClick={() => stay(latest)}>
            Stay
          </Button>
        )}
      </Group>
      <FailureNote error={pin.error} />
    </section>
  );
}
