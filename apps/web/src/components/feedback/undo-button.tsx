import { useMutation } from "@tanstack/react-query";
import { SmallButton } from "../ui/small-button.tsx";
import { toastFailure } from "./toasts.tsx";

/** The button of a toast that takes a change back, once. */
export function UndoButton({ onUndo }: { onUndo: () => Promise<unknown> }) {
  const undo = useMutation({ mutationFn: onUndo, onError: toastFailure });
  return (
    <SmallButton size="compact-xs" call={undo} disabled={undo.isSuccess}>
      {undo.isSuccess ? "Undone" : "Undo"}
    </SmallButton>
  );
}
