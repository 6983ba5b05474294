import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type RefObject, useState } from "react";
import { submitWith, textOf } from "../../../form-data.ts";
import { hub } from "../../../hub.ts";
import type { GivenTarget } from "../../../queries.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { targetAt } from "./target-at.ts";

/** Opens a case without a report, and then shows it. */
export function useOpenCase() {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (target: GivenTarget) => hub.moderation.openCase.mutate(target),
    onSuccess: ({ id }) => navigate({ to: "/admin", search: { case: id } }),
  });
}

/** A form that opens a case from the address of its target. */
export function OpenCaseForm({ field }: { field: RefObject<HTMLInputElement | null> }) {
  const open = useOpenCase();
  const [problem, setProblem] = useState<string>();
  const submit = (form: FormData) => {
    const target = targetAt(textOf(form, "address"));
    setProblem(target ? undefined : "This is no such address of this hub.");
    if (target) open.mutate(target);
  };
  return (
    <form
      className="panel stack stack--form"
      aria-label="Open a case"
      onSubmit={submitWith(submit)}
    >
      <TextInput
        ref={field}
        name="address"
        label="Open a case without a report"
        description="The address of a soul, a room, a profile, or of a message that a search has found."
        placeholder={`${location.origin}/soul/7`}
        autoComplete="off"
        error={problem}
      />
      <Button type="submit" variant="default" loading={open.isPending}>
        Open a case
      </Button>
      <FailureNote error={open.error} />
    </form>
  );
}
