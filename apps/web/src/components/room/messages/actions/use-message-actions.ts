import type { RoomState } from "@soul-hub/client";
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { type Failure, failureFor, failureOf } from "../../../../failures.ts";
import { hub } from "../../../../hub.ts";
import { invalidate, mutedIn, quota, type RoomName } from "../../../../queries.ts";
import { toast } from "../../../feedback/toasts.tsx";
import { failureOfAction } from "../../failure-of-action.ts";

interface MessageActionsOptions {
  roomName: RoomName;
  room: RoomState;
  /** Shows the reader's own new reply. */
  lookAtOwn: (id: number) => void;
}

/** A failed regeneration. */
export interface Refusal {
  questionId: number;
  failure: Failure;
}

interface OwnRefusal extends Refusal {
  /** The newest message at that time. The next message hides the refusal. */
  head: number | undefined;
}

export type MessageActions = ReturnType<typeof useMessageActions>["actions"];

/** Changes of stored messages. `actions` stays the same object, so that no message renders again. */
export function useMessageActions({ roomName: name, ...given }: MessageActionsOptions) {
  const [refusal, setRefusal] = useState<OwnRefusal>();
  /** The room's failure that the reader has closed. */
  const [closed, setClosed] = useState<RoomState["failed"]>();
  const latest = useRef(given);
  useLayoutEffect(() => {
    latest.current = given;
  });
  const actions = useMemo(() => {
    /** Rejects as the call does. A refusal because the reader is muted shows that at once. */
    const run = <T>(call: Promise<T>): Promise<T> =>
      call.catch((error: unknown) => {
        if (failureOf(error).code === "muted") void invalidate(mutedIn(name).queryKey);
        throw error;
      });
    return {
      /** @throws what the call throws */
      edit: (id: number, content: string, expected: string) =>
        run(hub.chat.edit.mutate({ ...name, id, content, expected })),
      /** @throws what the call throws */
      remove: (id: number) => run(hub.chat.remove.mutate({ ...name, id })),
      react: (id: number, emoji: string, on: boolean) =>
        orToast(run(hub.chat.react.mutate({ ...name, id, emoji, on }))),
      /** Makes the room's path end at a message. */
      continueAt: (active_id: number) => orToast(hub.rooms.set.mutate({ ...name, active_id })),
      /**
       * @param soulId the soul that replies again; undefined leaves it to the hub
       * @param file the question's image, which the hub does not store
       */
      async answerAgain(questionId: number, soulId?: number, file?: File) {
        const { lookAtOwn } = latest.current;
        setRefusal(undefined);
        try {
          const image = file ? await dataUriOf(file) : null;
          const to = soulId === undefined ? undefined : [soulId];
          const again = { ...name, content: "", regenerate: questionId, image, to };
          const { message_id } = await run(hub.chat.send.mutate(again));
          lookAtOwn(message_id);
        } catch (error) {
          const head = latest.current.room.messages.at(-1)?.id;
          setRefusal({ questionId, failure: failureOfAction(error), head });
        }
        void invalidate(quota.queryKey);
      },
      /** Hides the refusal of a question. */
      closeRefusal(questionId: number | null) {
        setRefusal(undefined);
        const { failed } = latest.current.room;
        if (failed?.regenerates === questionId) setClosed(failed);
      },
    };
  }, [name]);
  const { messages, failed } = given.room;
  const own = refusal && refusal.head === messages.at(-1)?.id ? refusal : undefined;
  const shown = failed === closed ? undefined : failed;
  return { actions, refusal: useMemo(() => own ?? refusalOf(shown), [own, shown]) };
}

/** The room tells everyone of a regeneration that its model failed. */
function refusalOf(failed: RoomState["failed"]): Refusal | undefined {
  if (!failed?.regenerates) return undefined;
  const failure = { ...failureFor(failed.error), hint: "The reply before it stays." };
  return { questionId: failed.regenerates, failure };
}

async function dataUriOf(file: File): Promise<string> {
  const { prepareImage } = await import("../../prepare-image.ts");
  return (await prepareImage(file)).dataUri;
}

/** Returns whether the call succeeded. */
async function orToast(call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    const { title, hint } = failureOfAction(error);
    void toast({ color: "red", title, message: hint });
    return false;
  }
}
