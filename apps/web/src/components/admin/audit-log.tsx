import { Button, Skeleton, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fullTime } from "../../clock.ts";
import { submitWith, textOf } from "../../form-data.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { LoadMore } from "../feedback/load-more.tsx";
import { type AuditFilter, auditLog } from "./admin-queries.ts";

/** The actions of the staff and the operator, newest first. */
export function AuditLog() {
  const [filter, setFilter] = useState<AuditFilter>({ actor: "", action: "" });
  const list = useInfiniteQuery(auditLog(filter));
  const rows = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const read = (form: FormData) =>
    setFilter({ actor: textOf(form, "actor"), action: textOf(form, "action") });
  return (
    <section className="stack" aria-label="Audit log">
      <p className="muted">
        The log only grows, and each row holds the hash of the one before. The operator checks it
        with <code>hub audit --verify</code>.
      </p>
      <form className="row row--fields" onSubmit={submitWith(read)}>
        <TextInput name="actor" label="By" placeholder="a username or operator" />
        <TextInput name="action" label="Action" placeholder="hide-soul" />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </form>
      {list.isPending && <Skeleton height={160} radius="lg" />}
      <FailureNote error={list.error} />
      {list.data && (
        <ul className="panel divided admin__log">
          {rows.length === 0 && <li className="muted">There are no such rows.</li>}
          {rows.map((row) => (
            <li key={row.id}>
              <span>
                <strong>
                  <bdi>{row.actor_name ?? row.actor}</bdi>
                </strong>{" "}
                {row.action} <bdi>{row.target_name ?? row.target}</bdi>
              </span>
              {row.detail !== "{}" && <code className="code">{row.detail}</code>}
              <span className="muted">{fullTime(row.at)}</span>
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage && <LoadMore list={list} />}
    </section>
  );
}
