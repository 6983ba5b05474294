import { Button, Skeleton, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { fullDate } from "../../clock.ts";
import { textOf } from "../../form-data.ts";
import { hub } from "../../hub.ts";
import { invalidate } from "../../queries.ts";
import { afterChange } from "../feedback/after-change.ts";
import { CopyField } from "../feedback/copy-field.tsx";
import { FailureNote } from "../feedback/failure-note.tsx";
import { useFormMutation } from "../feedback/use-checked-form.ts";
import { SmallButton } from "../ui/small-button.tsx";
import { hubInvites } from "./admin-queries.ts";

const counts = [
  { name: "uses", label: "Accounts", defaultValue: "1", max: 1_000 },
  { name: "days", label: "Days", defaultValue: "30", max: 365 },
] as const;

/** The invites with which people register: to create, copy and withdraw. */
export function HubInvites() {
  const { data: invites, error } = useQuery(hubInvites);
  const { form, fields, ...create } = useFormMutation({
    mutationFn: (form: FormData) =>
      hub.invites.create.mutate({
        uses: Number(textOf(form, "uses")),
        days: Number(textOf(form, "days")),
        note: textOf(form, "note"),
      }),
    onSuccess: () => invalidate(hubInvites.queryKey),
  });
  const withdraw = useMutation({
    mutationFn: (id: number) => hub.invites.withdraw.mutate({ id }),
    onSuccess: afterChange([hubInvites.queryKey], create.reset),
  });
  const failed = error ?? create.error ?? withdraw.error;
  return (
    <section className="stack" aria-label="Invites">
      <form className="panel row row--fields" aria-label="New invite" {...form}>
        {counts.map(({ name, ...shown }) => (
          <TextInput
            key={name}
            name={name}
            type="number"
            min={1}
            required
            {...shown}
            error={fields[name]}
          />
        ))}
        <TextInput
          name="note"
          label="Note (only admins see it)"
          maxLength={200}
          autoComplete="off"
          error={fields.note}
        />
        <Button type="submit" loading={create.isPending}>
          Create an invite
        </Button>
      </form>
      <FailureNote error={failed} />
      {create.data && (
        <div role="status">
          <p>Copy the link now. It is not shown again.</p>
          <CopyField text={create.data.url} />
        </div>
      )}
      {!invites && !error && <Skeleton height={120} radius="lg" />}
      {invites && (
        <ul className="panel divided">
          {invites.length === 0 && <li className="muted">There are no open invites.</li>}
          {invites.map(({ id, note, uses, used, created_at, expires_at }) => (
            <li key={id}>
              <strong dir="auto">{note || `Invite ${id}`}</strong>
              <span className="muted">
                {used} of {uses} used. Created {fullDate(created_at)}, ends {fullDate(expires_at)}.
              </span>
              <SmallButton
                c="var(--bad-text)"
                aria-label={`Withdraw ${note || `invite ${id}`}`}
                loading={withdraw.isPending && withdraw.variables === id}
                onClick={() => withdraw.mutate(id)}
              >
                Withdraw
              </SmallButton>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
