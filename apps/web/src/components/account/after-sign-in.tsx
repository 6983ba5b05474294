import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { hub } from "../../hub.ts";
import { resetQueries } from "../../queries.ts";
import { GUEST_IS_KEPT, writeItem } from "../../stored-item.ts";
import { FailureNote } from "../feedback/failure-note.tsx";

/** The part of a sign-in's answer that tells what the browser's guest has left (0077). */
interface SignedIn {
  guest_rooms?: number | undefined;
}

/**
 * What follows a sign-in, whatever its way: the guest's conversations and drafts are taken along if
 * the person wants that, then the page opens where the person was.
 * @param next the path of that page
 * @returns `question`: the part of the page that asks, in place of the form
 */
export function useAfterSignIn(next = "/") {
  const router = useRouter();
  /** The number of conversations; undefined before the sign-in. */
  const [rooms, setRooms] = useState<number>();
  const [isAsked, setIsAsked] = useState(false);
  const { mutate, mutateAsync, error, isPending } = useMutation({
    mutationFn: async ({ isKept, claims = isKept }: { isKept: boolean; claims?: boolean }) => {
      if (claims) await hub.accounts.claimGuest.mutate();
      writeItem(GUEST_IS_KEPT, isKept ? "yes" : undefined);
      // After the claim, which changes the cookie: a socket keeps the one that it was opened with.
      await resetQueries();
      router.history.replace(next);
    },
  });
  /** @param isKept the answer, if the form has asked already */
  async function onSignedIn({ guest_rooms = 0 }: SignedIn, isKept?: boolean): Promise<void> {
    setRooms(guest_rooms);
    if (guest_rooms === 0) return mutateAsync({ isKept: true, claims: false });
    if (isKept !== undefined) await mutateAsync({ isKept }).catch(() => setIsAsked(true));
    else {
      setIsAsked(true);
      await resetQueries();
    }
  }
  const them = rooms === 1 ? "it" : "them";
  const question = isAsked && (
    <div className="page page--narrow">
      <h1 className="page__title">Take along {conversations(rooms)} of this browser?</h1>
      <p className="page__lead">
        Somebody talked here without an account in the last 7 days. Leave {them} if it was not you.
      </p>
      <div className="panel stack">
        <FailureNote error={error} />
        <div className="row">
          <Button
            size="md"
            // The form that had the focus is gone.
            autoFocus
            loading={isPending}
            onClick={() => mutate({ isKept: true })}
          >
            Take along
          </Button>
          <Button
            size="md"
            variant="default"
            disabled={isPending}
            onClick={() => mutate({ isKept: false })}
          >
            Leave {them}
          </Button>
        </div>
      </div>
    </div>
  );
  return { onSignedIn, question, isSignedIn: rooms !== undefined };
}

export type AfterSignIn = ReturnType<typeof useAfterSignIn>;

/** Names a number of conversations. */
export const conversations = (count = 0): string =>
  count === 1 ? "1 conversation" : `${count} conversations`;
