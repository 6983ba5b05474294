import { Button, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { exactCount } from "../../counts.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { hubHealth } from "./admin-queries.ts";

/** `found` of GET /healthz. */
interface FoundState {
  state: string;
  embedded: number;
  waiting: number;
  reason: string | null;
}

function foundText(found: FoundState | undefined): string {
  // A server that starts, or of the release before, does not tell.
  if (!found) return "unknown";
  const { state, embedded, waiting, reason } = found;
  if (state === "off") return `off (${reason})`;
  return `${state}, ${exactCount(embedded)} souls${waiting > 0 ? `, ${exactCount(waiting)} wait` : ""}`;
}

const yesNo = (is: boolean) => (is ? "yes" : "no");

/** The state of the hub's parts. Its metrics are for the operator alone. */
export function HubHealth() {
  const { data, error, refetch, isFetching } = useQuery(hubHealth);
  if (error) return <FailureNote error={error} />;
  if (!data) return <Skeleton height={200} radius="lg" />;
  const { about, alive, ready } = data;
  const facts: readonly (readonly [name: string, value: string])[] = [
    [
      "Ready",
      ready.status === "ready" ? "yes" : `no (${Object.values(ready).slice(1).join(", ")})`,
    ],
    ["Version", about.version],
    ["Database", `${alive.database}, ${ready.database === "ok" ? "answers" : "does not answer"}`],
    ["Disk", ready.storage === "full" ? "full: writes are refused" : "has space"],
    ["Bus between servers", String(ready.bus ?? "unknown")],
    ["A model is set up", yesNo(alive.model_configured === true)],
    ["Search by meaning", foundText(alive.found as FoundState | undefined)],
    ["Mail is set up", yesNo(about.mail)],
    ["Registration", about.registration],
    ["Guests may chat", yesNo(about.guests)],
  ];
  return (
    <section className="stack" aria-label="Health">
      <dl className="panel facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
          Check again
        </Button>
      </div>
    </section>
  );
}
