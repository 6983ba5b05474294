import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fromNow, fullDate } from "../../clock.ts";
import { hub } from "../../hub.ts";
import { type Session, sessionList } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { ask, pageContent } from "../feedback/confirm.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SettingsSection } from "../ui/settings-section.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { StoredRow } from "./stored-row.tsx";

/** The number of sessions that are listed at first, most recent first. */
const SHOWN = 5;

export function SessionsSection() {
  const { data: sessions, error } = useQuery(sessionList);
  const [shown, setShown] = useState(SHOWN);
  return (
    <SettingsSection title="Sessions">
      <ul className="divided">
        {sessions?.slice(0, shown).map((session) => (
          <OneSession key={session.id} session={session} />
        ))}
      </ul>
      {sessions && sessions.length > shown && (
        <Button variant="subtle" color="gray" onClick={() => setShown(sessions.length)}>
          Show {sessions.length - shown} older ones
        </Button>
      )}
      <FailureNote error={error} />
      {sessions && sessions.length > 1 && (
        <Button
          variant="default"
          onClick={() =>
            ask({
              title: "Sign out all others?",
              body: "Every other browser has to sign in again. Keys stay valid.",
              verb: "Sign out",
              run: () =>
                hub.accounts.endOtherSessions.mutate().then(afterChange([sessionList.queryKey])),
            })
          }
        >
          Sign out all others
        </Button>
      )}
    </SettingsSection>
  );
}

function OneSession({ session }: { session: Session }) {
  const { id, label, current, created_at, expires_at, last_used_at } = session;
  const name = label ?? "A browser";
  // The last use is exact to the hour, so it may be before the sign-in.
  const isUsedLater = last_used_at !== null && last_used_at > created_at && !current;
  const used = isUsedLater ? `, last used ${fromNow(last_used_at)}` : "";
  return (
    <StoredRow
      name={`${name}${current ? " (this browser)" : ""}`}
      facts={[`Signed in ${fromNow(created_at)}${used}. Ends ${fullDate(expires_at)}.`]}
    >
      {!current && (
        <SmallButton
          aria-label={`Sign out this one: ${name}, signed in ${fromNow(created_at)}`}
          onClick={() =>
            ask({
              title: "Sign out this browser?",
              body: `${name}, signed in ${fromNow(created_at)}, has to sign in again.`,
              verb: "Sign out",
              next: pageContent,
              run: () =>
                hub.accounts.endSession.mutate({ id }).then(afterChange([sessionList.queryKey])),
            })
          }
        >
          Sign out this one
        </SmallButton>
      )}
    </StoredRow>
  );
}
