import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { type Failure, failureOf, hintOf } from "../../failures.ts";
import { AlertIcon } from "../icons.tsx";
import { SignInLink } from "../ui/sign-in-link.tsx";

interface FailureNoteProps {
  failure?: Failure | undefined;
  /** The error of a call, where its usual words fit. */
  error?: Error | null | undefined;
  children?: ReactNode;
}

/** Shows the failure of a form or list next to it; nothing without a failure. */
export function FailureNote({ failure, error, children }: FailureNoteProps) {
  const shown = error ? failureOf(error) : failure;
  return shown && <Note failure={shown}>{children}</Note>;
}

/** Moves the focus to the first invalid field of its form. */
function Note({ failure, children }: { failure: Failure; children?: ReactNode }) {
  const note = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure.code !== "invalid_input") return;
    const form = note.current?.closest("form");
    form?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [failure.code]);
  return (
    <div
      ref={note}
      className="note"
      role="alert"
      data-tone={failure.recovery === "wait" ? "warn" : "bad"}
    >
      <AlertIcon />
      <div className="stack stack--close">
        <p>
          <strong>{failure.title}.</strong> {hintOf(failure)}{" "}
          {failure.recovery === "sign-in" && <SignInLink />}
          {failure.recovery === "undo-deletion" && (
            <Link to="/undo-deletion">Keep the account</Link>
          )}
          {failure.recovery === "notices" && <Link to="/notices">Read your notices</Link>}
        </p>
        {children && <div className="row">{children}</div>}
      </div>
    </div>
  );
}
