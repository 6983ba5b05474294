import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { failureOf } from "../../failures.ts";
import { hub } from "../../hub.ts";
import { invalidate, me } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";

/** The button that mails the link to verify the member's address again (0059). */
export function SendVerification() {
  const send = useMutation({
    mutationFn: () => hub.accounts.sendVerification.mutate(),
    // The address may be verified meanwhile, in another browser.
    onSuccess: () => invalidate(me.queryKey),
  });
  return (
    <>
      {send.isSuccess ? (
        <span role="status">{send.data.message}</span>
      ) : (
        <Button
          size="compact-md"
          variant="default"
          loading={send.isPending}
          onClick={() => send.mutate()}
        >
          Send again
        </Button>
      )}
      {send.isError && <FailureNote failure={failureOf(send.error)} />}
    </>
  );
}
