import "./people.css";
import { Button, NativeSelect } from "@mantine/core";
import { useState } from "react";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { type PersonTarget, useSetPerson } from "./use-set-person.ts";

const HOUR = 60;
const DAY = 24 * HOUR;
/** The empty value stands for a restriction without an end. */
const lengths = [
  { value: "10", label: "10 minutes" },
  { value: `${HOUR}`, label: "1 hour" },
  { value: `${DAY}`, label: "1 day" },
  { value: `${7 * DAY}`, label: "7 days" },
  { value: "", label: "no end" },
];

const restrictions = [
  { state: "muted", verb: "Mute" },
  { state: "banned", verb: "Ban", c: "var(--bad-text)" },
] as const;

interface RestrictionFormProps {
  name: string;
  target: PersonTarget;
  onDone: () => void;
  /** The restriction that is in effect: it is not offered again. */
  present?: "muted" | "banned" | undefined;
  /** Shows a button "Cancel", and focuses the first field. */
  onCancel?: () => void;
}

/** Mutes or bans a person, for a time or without an end. */
export function RestrictionForm(props: RestrictionFormProps) {
  const { name, target, onDone, present, onCancel } = props;
  const [length, setLength] = useState(`${HOUR}`);
  const set = useSetPerson(target, onDone);
  return (
    <div className="row row--fields restriction">
      <p>
        <strong>
          Mute or ban <bdi>{name}</bdi>?
        </strong>{" "}
        Muted: reads, but can't write. Banned: can't open this room.
      </p>
      <NativeSelect
        label="For"
        size="sm"
        value={length}
        data={lengths}
        autoFocus={onCancel !== undefined}
        onChange={({ currentTarget }) => setLength(currentTarget.value)}
      />
      {restrictions
        .filter(({ state }) => state !== present)
        .map(({ state, verb, ...tone }) => (
          <SmallButton
            key={state}
            size="compact-md"
            {...tone}
            loading={set.isPending && set.variables.state === state}
            onClick={() =>
              set.mutate({ state, minutes: length === "" ? undefined : Number(length) })
            }
          >
            {verb}
          </SmallButton>
        ))}
      {onCancel && (
        <Button size="compact-md" variant="subtle" color="gray" onClick={onCancel}>
          Cancel
        </Button>
      )}
      {set.isError && <FailureNote failure={failureOfAction(set.error)} />}
    </div>
  );
}
