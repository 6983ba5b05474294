import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { failureOf } from "../../../failures.ts";
import { submitWith } from "../../../form-data.ts";
import { hub } from "../../../hub.ts";
import { DialogFoot } from "../../feedback/dialog-foot.tsx";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { toast } from "../../feedback/toasts.tsx";
import { useRoomContext } from "../room-context.ts";

/** The mark of a guest's chosen name (0040). */
const MARK = " (guest)";
const MAX_CHARS = 24;

/** Lets a guest choose a name. The room is joined again, because a socket keeps its cookies. */
export function GuestName({ onDone }: { onDone: () => void }) {
  const { selfName = "", rejoin } = useRoomContext();
  const [former] = useState(selfName.endsWith(MARK) ? selfName.slice(0, -MARK.length) : "");
  const [name, setName] = useState(former);
  const rename = useMutation({
    mutationFn: (chosen: string | null) => hub.accounts.setGuestName.mutate({ name: chosen }),
    onSuccess: ({ message }) => {
      onDone();
      rejoin();
      void toast({ message });
    },
  });
  const failure = rename.isError ? failureOf(rename.error) : undefined;
  const wanted = name.trim();
  return (
    <form className="stack" onSubmit={submitWith(() => rename.mutate(wanted))}>
      <TextInput
        data-autofocus
        label="Your name"
        description={`Everyone sees it as “${wanted || "Robin"}${MARK}”, in every room. Sent messages keep their name.`}
        maxLength={MAX_CHARS}
        value={name}
        error={failure?.fields.name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
      />
      <FailureNote failure={failure} />
      <DialogFoot
        onCancel={onDone}
        loading={rename.isPending}
        disabled={wanted === "" || wanted === former}
        further={
          former && (
            <Button variant="subtle" color="gray" onClick={() => rename.mutate(null)}>
              Be anonymous again
            </Button>
          )
        }
      >
        Save
      </DialogFoot>
    </form>
  );
}
