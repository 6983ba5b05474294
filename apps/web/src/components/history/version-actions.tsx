import { Button } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { hub } from "../../hub.ts";
import { invalidateHistory, type SoulVersion } from "../../queries.ts";
import { toastFailure } from "../feedback/toasts.tsx";
import { NoteForm } from "./note-form.tsx";
import { RestoreButton } from "./restore-button.tsx";
import { SignVersion } from "./sign-version.tsx";

/** The buttons with which the author changes the note of a version, restores, hides or signs it. */
export function VersionActions({ version }: { version: SoulVersion }) {
  const { soul_id, number, note, is_current, is_hidden = false, signature } = version;
  const [form, setForm] = useState<"note" | "sign">();
  const noteButton = useRef<HTMLButtonElement>(null);
  const hide = useMutation({
    mutationFn: () => hub.versions.set.mutate({ soul_id, number, is_hidden: !is_hidden }),
    onSuccess: () => invalidateHistory(soul_id),
    onError: toastFailure,
  });
  const isSignable = !signature && !is_hidden;
  const opener = (name: "note" | "sign") => ({
    ...button,
    "aria-expanded": form === name,
    onClick: () => setForm(form === name ? undefined : name),
  });
  const close = () => {
    setForm(undefined);
    noteButton.current?.focus();
  };
  return (
    <>
      <div className="row version-card__actions">
        <Button ref={noteButton} {...opener("note")}>
          {note ? "Edit note" : "Add a note"}
        </Button>
        {isSignable && <Button {...opener("sign")}>Sign</Button>}
        {!is_current && (
          <>
            <RestoreButton version={version} />
            <Button {...button} loading={hide.isPending} onClick={() => hide.mutate()}>
              {is_hidden ? "Show to others" : "Hide from others"}
            </Button>
          </>
        )}
      </div>
      {!is_current && (
        // The API does not say which versions are from such a time.
        <p className="muted">Others never see a version from a time when the soul was private.</p>
      )}
      {form === "note" && <NoteForm version={version} onDone={close} />}
      {form === "sign" && isSignable && <SignVersion version={version} onDone={close} />}
    </>
  );
}

const button = { variant: "default", size: "xs" } as const;
