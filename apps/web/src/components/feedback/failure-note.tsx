import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { type Failure, hintOf } from "../../failures.ts";
import { AlertIcon } from "../icons.tsx";
import { SignInLink } from "../ui/sign-in-link.tsx";

interface FailureNoteProps {
  failure: Failure;
  children?: ReactNode;
}

/** Shows a failure next to its form or list, and moves the focus to the first invalid field. */
export function FailureNote({ failure, children }: FailureNoteProps) {
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
          <strong>{failure.title}.</strong> {hintOf(failure)}
          {failure.recovery === "sign-in" && (
            <>
              {" "}
              <SignInLink />
            </>
          )}
          {failure.recovery === "undo-deletion" && (
            <>
              {" "}
              <Link to="/undo-deletion">Keep the account</Link>
            </>
          )}
          {failure.recovery === "notices" && <Link to="/notices"> Read your notices</Link>}
        </p>
        {children && <div className="row">{children}</div>}
      </div>
    </div>
  );
}
