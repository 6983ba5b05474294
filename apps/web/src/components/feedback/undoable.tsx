import type { Query } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import { loadWords } from "../../hub.ts";
import { queryClient } from "../../queries.ts";
import { SmallButton } from "../ui/small-button.tsx";
import { hideToast, toast, toastFailure } from "./toasts.tsx";
import { waitingDeletions } from "./waiting-deletions.ts";

const UNDO_MS = 10_000;

interface Deletion {
  /** The name of the call that deletes it, and its input. */
  call: "souls.delete" | "rooms.delete";
  input: object;
  /** What the toast says, e.g. "“Keeper of the Light” is deleted." */
  words: string;
  /** The first parts of the keys of the lists that contain it. */
  lists: readonly string[];
  /** Whether an entry of these lists is the deleted one. */
  isGone: (entry: never) => boolean;
  /** Called once the hub has deleted it. */
  onDeleted: () => unknown;
}

/** Hides something from its lists, and deletes it after ten seconds, in which it can be undone. */
export function undoable({ call, input, words, lists, isGone, onDeleted }: Deletion): void {
  const body = JSON.stringify(input);
  const id = call + body;
  if (waitingDeletions.has(id)) return;
  const isGiven = (entry: unknown) => !isGone(entry as never);
  const hideFrom = (list: Query) =>
    list.setData(
      JSON.parse(JSON.stringify(list.state.data), (_, value: unknown) =>
        Array.isArray(value) ? value.filter(isGiven) : value,
      ),
      { manual: true, updatedAt: list.state.dataUpdatedAt },
    );
  const isList = ({ queryKey, state }: Query) =>
    state.data !== undefined && lists.includes(String(queryKey[0]));
  const cache = queryClient.getQueryCache();
  cache.findAll({ predicate: isList }).forEach(hideFrom);
  // The hub's later answers contain it until it is deleted.
  const stopHiding = cache.subscribe((event) => {
    const { type, query } = event;
    if (type !== "updated" || event.action.type !== "success" || event.action.manual) return;
    if (isList(query)) hideFrom(query);
  });
  const end = () => {
    waitingDeletions.delete(id);
    clearTimeout(clock);
    void hideToast(id);
  };
  const refetch = () => {
    stopHiding();
    return queryClient.invalidateQueries();
  };
  const send = async () => {
    end();
    try {
      // The client of the hub cannot send a request that outlives its page.
      const response = await fetch(`/trpc/${call}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        keepalive: true,
      });
      if (!response.ok) await loadWords();
      if (!response.ok) throw TRPCClientError.from(await response.json());
      onDeleted();
    } catch (error) {
      toastFailure(error);
    }
    await refetch();
  };
  // A clock of its own, because the pointer over any toast stops the clocks of all toasts.
  const clock = setTimeout(send, UNDO_MS);
  waitingDeletions.set(id, send);
  const undo = () => {
    end();
    void refetch();
  };
  void toast({
    id,
    autoClose: false,
    message: (
      <div className="row row--apart undo">
        <span className="long-text">{words}</span>
        {/* The deleted thing took its button along, which had the focus. */}
        <SmallButton flex="none" autoFocus onClick={undo}>
          Undo
        </SmallButton>
      </div>
    ),
  });
}
