import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow, fullDate } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, type Session, sessionList } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";

/** The number of sessions that are listed at first, most recent first. */
const SHOWN = 5;

export function SessionsSection() {
  const { data: sessions, error } = useQuery(sessionList);
  const [shown, setShown] = useState(SHOWN);
  const end = useMutation({
    mutationFn: () => hub.accounts.endOtherSessions.mutate(),
    onSuccess: ({ message }) => {
      void invalidate(sessionList.queryKey);
      void toast({ message });
    },
  });
  const failed = error ?? end.error;
  return (
    <SettingsSection title="Sessions">
      <ul className="divided">
        {sessions?.slice(0, shown).map((session) => (
          <li key={session.id}>
            <OneSession session={session} />
          </li>
        ))}
      </ul>
      {sessions && sessions.length > shown && (
        <Button variant="subtle" color="gray" onClick={() => setShown(sessions.length)}>
          Show {sessions.length - shown} older ones
        </Button>
      )}
      {failed && <FailureNote failure={failureOf(failed)} />}
      {sessions && sessions.length > 1 && (
        <Button variant="default" loading={end.isPending} onClick={() => end.mutate()}>
          Sign out all others
        </Button>
      )}
    </SettingsSection>
  );
}

function OneSession({ session }: { session: Session }) {
  const { id, label, current, created_at, expires_at, last_used_at } = session;
  const end = useMutation({
    mutationFn: () => hub.accounts.endSession.mutate({ id }),
    onSuccess: async ({ message }) => {
      await invalidate(sessionList.queryKey);
      void toast({ message });
    },
  });
  const name = label ?? "A browser";
  // The last use is exact to the hour, so it may be before the sign-in.
  const isUsedLater = last_used_at !== null && last_used_at > created_at && !current;
  return (
    <>
      <strong>
        {name}
        {current && " (this browser)"}
      </strong>
      <span className="muted">
        Signed in {fromNow(created_at)}
        {isUsedLater && `, last used ${fromNow(last_used_at)}`}. Ends {fullDate(expires_at)}.
      </span>
      {!current && (
        <span className="row">
          <Button
            size="compact-sm"
            variant="default"
            loading={end.isPending}
            aria-label={`Sign out this one: ${name}, signed in ${fromNow(created_at)}`}
            onClick={() => end.mutate()}
          >
            Sign out this one
          </Button>
        </span>
      )}
      {end.isError && <FailureNote failure={failureOf(end.error)} />}
    </>
  );
}
