import { hub } from "../../hub.ts";
import { type ChatSession, invalidate, myChats } from "../../queries.ts";
import { ask } from "../feedback/confirm.tsx";
import { toast, toastFailure } from "../feedback/toasts.tsx";
import { UndoButton } from "../feedback/undo-button.tsx";

/** Hides a room from the list, and offers a way back. A member leaves it, so the member is asked. */
export async function hideRoom(room: ChatSession, row: Element | null): Promise<void> {
  const { soul_id, session_token, is_member, is_private } = room;
  const hide = async (hidden: boolean) => {
    await hub.chat.correctSummary.mutate({ soul_id, session_token, hidden });
    await invalidate(myChats.queryKey);
  };
  if (is_member) {
    return ask({
      title: "Leave this room?",
      body: is_private
        ? "You are its member. To enter it again you need another invite."
        : "You are its member. It also leaves your list.",
      verb: "Leave",
      run: () => hide(true),
    });
  }
  const next = (row?.nextElementSibling ?? row?.previousElementSibling)?.querySelector("a");
  try {
    await hide(true);
  } catch (error) {
    return toastFailure(error);
  }
  next?.focus();
  void toast({
    title: "The room is hidden",
    message: (
      <>
        It comes back when somebody mentions you or you write there.{" "}
        <UndoButton onUndo={() => hide(false)} />
      </>
    ),
  });
}
