import "./failure-note.css";
import { Link, useRouterState } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { fromNow, timeOfDay } from "../clock.ts";
import type { Failure } from "../failures.ts";
import { AlertIcon } from "./icons.tsx";

interface FailureNoteProps {
  failure: Failure;
  children?: ReactNode;
}

/** A failure beside what failed. */
export function FailureNote({ failure, children }: FailureNoteProps) {
  const here = useRouterState({ select: ({ location }) => location.href });
  return (
    <div className="failure-note" role="alert" data-tone={failure.way === "wait" ? "warn" : "bad"}>
      <AlertIcon />
      <div className="failure-note__words">
        <p>
          <strong>{failure.title}.</strong> {failure.hint}
          {failure.resetsAt &&
            ` New ones come at ${timeOfDay(failure.resetsAt)}, ${fromNow(failure.resetsAt)}.`}
          {failure.way === "sign-in" && (
            <>
              {" "}
              <Link to="/sign-in" search={{ next: here }}>
                Sign in
              </Link>
            </>
          )}
        </p>
        {children && <div className="failure-note__ways">{children}</div>}
      </div>
    </div>
  );
}
