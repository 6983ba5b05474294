import { Button, NativeSelect } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { submitWith, textOf } from "../../../form-data.ts";
import { hub } from "../../../hub.ts";
import { invalidate, invitesOf } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { failureOfAction } from "../failure-of-action.ts";
import { useRoomContext } from "../room-context.ts";

const uses = [1, 2, 5, 10, 25, 50].map((count) => ({
  value: `${count}`,
  label: count === 1 ? "1 person" : `${count} people`,
}));
const days = [1, 7, 30].map((count) => ({
  value: `${count}`,
  label: count === 1 ? "1 day" : `${count} days`,
}));

/** Creates an invite, which appears in the list. */
export function NewInvite() {
  const { roomName } = useRoomContext();
  const create = useMutation({
    mutationFn: (form: FormData) =>
      hub.rooms.invite.mutate({
        ...roomName,
        uses: Number(textOf(form, "uses")),
        days: Number(textOf(form, "days")),
      }),
    onSuccess: () => invalidate(invitesOf(roomName).queryKey),
  });
  return (
    <form className="stack" onSubmit={submitWith(create.mutate)}>
      <div className="halves">
        <NativeSelect name="uses" label="For" data={uses} defaultValue="1" />
        <NativeSelect name="days" label="Ends after" data={days} defaultValue="7" />
      </div>
      <div>
        <Button type="submit" loading={create.isPending}>
          Create an invite
        </Button>
      </div>
      {create.isError && <FailureNote failure={failureOfAction(create.error)} />}
    </form>
  );
}
