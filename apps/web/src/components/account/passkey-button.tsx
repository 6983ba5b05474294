import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { hub } from "../../hub.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import type { AfterSignIn } from "./after-sign-in.tsx";
import { answerWithPasskey, hasPasskeys } from "./passkey.ts";

/** The button of the sign-in form that signs in with a passkey, if the browser has them (0060). */
export function PasskeyButton({ onSignedIn }: Pick<AfterSignIn, "onSignedIn">) {
  const signIn = useMutation({
    mutationFn: async (form: FormData) =>
      hub.accounts.passkeyLogin.mutate({
        response: await answerWithPasskey(),
        remember: form.has("remember"),
      }),
    onSuccess: (answer) => onSignedIn(answer),
  });
  if (!hasPasskeys()) return null;
  return (
    <>
      <Button
        variant="default"
        size="md"
        loading={signIn.isPending}
        onClick={({ currentTarget: { form } }) => form && signIn.mutate(new FormData(form))}
      >
        Use a passkey
      </Button>
      <FailureNote error={signIn.error} />
    </>
  );
}
