import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { fromNow, fullDate } from "../../clock.ts";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { sessionList } from "../../queries.ts";
import { FailureNote } from "../failure-note.tsx";
import { toast } from "../toasts.tsx";
import { SettingsSection } from "./settings-section.tsx";

/** Of those signed in the latest; the button below ends all. */
const SHOWN = 5;

export function SessionsSection() {
  const cache = useQueryClient();
  const { data: sessions, error } = useQuery(sessionList);
  const end = useMutation({
    mutationFn: () => hub.accounts.endOtherSessions.mutate(),
    onSuccess: ({ message }) => {
      void cache.invalidateQueries({ queryKey: sessionList.queryKey });
      void toast({ message });
    },
  });
  const failed = error ?? end.error;
  return (
    <SettingsSection title="Signed-in browsers">
      <ul className="settings__list">
        {sessions?.slice(0, SHOWN).map(({ created_at, expires_at, current }, at) => (
          // They have no names, and their order is that of the hub.
          <li key={`${created_at} ${at}`}>
            <strong>{current ? "This browser" : "Another browser"}</strong>
            <span>
              signed in {fromNow(created_at)}, at the latest until {fullDate(expires_at)}
            </span>
          </li>
        ))}
      </ul>
      {sessions && sessions.length > SHOWN && (
        <p>and {sessions.length - SHOWN} more, signed in earlier</p>
      )}
      {failed && <FailureNote failure={failureOf(failed)} />}
      {sessions && sessions.length > 1 && (
        <Button
          className="settings__way"
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
