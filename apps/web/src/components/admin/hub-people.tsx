import { Button, Skeleton, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { fullDate } from "../../clock.ts";
import { submitWith, textOf } from "../../form-data.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SmallButton } from "../ui/small-button.tsx";
import { hubPeople } from "./admin-queries.ts";
import { useOpenCase } from "./cases/open-case-form.tsx";

/** The staff and the restricted people, or the person of a name. */
export function HubPeople() {
  const [username, setUsername] = useState("");
  const { data: people, error } = useQuery(hubPeople(username));
  const open = useOpenCase();
  const failed = error ?? open.error;
  return (
    <section className="stack" aria-label="People">
      <p className="muted">
        Staff, and people who are suspended or silenced. A username finds anybody else. The operator
        gives roles, with <code>hub role</code>.
      </p>
      <form
        className="row row--fields"
        onSubmit={submitWith((form) => setUsername(textOf(form, "username")))}
      >
        <TextInput name="username" label="Username" autoComplete="off" autoCapitalize="none" />
        <Button type="submit" variant="default">
          Find
        </Button>
      </form>
      <FailureNote error={failed} />
      {!people && !error && <Skeleton height={120} radius="lg" />}
      {people && (
        <ul className="panel divided">
          {people.length === 0 && <li className="muted">There is no such person.</li>}
          {people.map((person) => (
            <li key={person.username}>
              <span className="row">
                <Link to="/u/$username" params={{ username: person.username }}>
                  {person.username}
                </Link>
                {person.role !== "member" && (
                  <span className="state-mark" data-tone="good">
                    {person.role}
                  </span>
                )}
                {person.moderation && (
                  <span className="state-mark" data-tone="warn">
                    {person.moderation.state}
                    {person.moderation.until && ` until ${fullDate(person.moderation.until)}`}
                  </span>
                )}
              </span>
              <span className="muted">Joined {fullDate(person.joined_at)}</span>
              <SmallButton
                aria-label={`Open a case about ${person.username}`}
                onClick={() => open.mutate({ kind: "person", username: person.username })}
              >
                Open a case
              </SmallButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
