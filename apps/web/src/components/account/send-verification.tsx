import { useMutation } from "@tanstack/react-query";
import { hub } from "../../hub.ts";
import { invalidate, me } from "../../queries.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { SmallButton } from "../ui/small-button.tsx";

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
        <SmallButton size="compact-md" call={send}>
          Send again
        </SmallButton>
      )}
      <FailureNote error={send.error} />
    </>
  );
}
