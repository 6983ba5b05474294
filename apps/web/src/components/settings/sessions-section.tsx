import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { fromNow, fullDate } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, sessionList } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { toast } from "../feedback/toasts.tsx";
import { SettingsSection } from "./settings-section.tsx";

/** The number of sessions that are listed, most recent first. */
const SHOWN = 5;

export function SessionsSection() {
  const { data: sessions, error } = useQuery(sessionList);
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
      <ul className="settings__list">
        {sessions?.slice(0, SHOWN).map(({ created_at, expires_at, current }, at) => (
          // A session has no id, so the key contains its index. The API always returns the sessions
          // in the same order.
          <li key={`${created_at} ${at}`}>
            <strong>{current ? "This browser" : "Another browser"}</strong>
            <span className="muted">
              Signed in {fromNow(created_at)}. Ends {fullDate(expires_at)}.
            </span>
          </li>
        ))}
      </ul>
      {sessions && sessions.length > SHOWN && (
        <p>{sessions.length - SHOWN} older sessions are not listed.</p>
      )}
      {failed && <FailureNote failure={failureOf(failed)} />}
      {sessions && sessions.length > 1 && (
        <Button
          className="settings__action"
          variant="default"
          loading={end.isPending}
          onClick={() => end.mutate()}
        >
          Sign out all others
        </Button>
      )}
    </SettingsSection>
  );
}
