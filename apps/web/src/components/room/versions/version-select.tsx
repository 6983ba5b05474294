import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { versionsOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { useRoomContext } from "../room-context.ts";
import { usePin } from "./use-pin.ts";
import { useStay } from "./use-stay.ts";

const NOTE_CHARS = 50;

/** A field with the versions that the room can stay on, and one choice that follows the soul. */
export function VersionSelect({ pinned, latest }: { pinned: number | null; latest: number }) {
  const { soul } = useRoomContext();
  const { pin } = usePin();
  const [, stay] = useStay();
  const { data: former, error } = useQuery({ ...versionsOf(soul.id, latest), staleTime: 0 });
  const present = { number: latest, note: soul.version === latest ? soul.version_note : null };
  const readable =
    former?.filter(({ number, content_hidden }) => number < latest && !content_hidden) ?? [];
  const choices = [present, ...readable].map(({ number, note }) => ({
    value: `${number}`,
    label: `Version ${number}${note ? `: ${note.slice(0, NOTE_CHARS)}` : ""}`,
  }));
  const value = pinned === null ? "" : `${pinned}`;
  const isMissing = former && value !== "" && !choices.some((choice) => choice.value === value);
  return (
    <>
      <NativeSelect
        label="Which version answers"
        value={value}
        // A field that is disabled during the change, too, would lose the focus.
        disabled={!former}
        data={[
          { value: "", label: `Follow the soul (now version ${latest})` },
          ...choices,
          ...(isMissing ? [{ value, label: `Version ${value}, hidden by its author` }] : []),
        ]}
        onChange={({ currentTarget }) => {
          pin.mutate(currentTarget.value === "" ? null : Number(currentTarget.value));
          // The owner knows the newest version and has chosen another one.
          stay(latest);
        }}
      />
      <FailureNote error={error} />
      <FailureNote error={pin.error} />
    </>
  );
}
