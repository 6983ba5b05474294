import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Soul } from "../../queries.ts";
import { SignInLink } from "../ui/sign-in-link.tsx";

interface KeyNoteProps {
  soul: Soul;
  isMember: boolean;
  children: ReactNode;
}

/** Names the key that a program needs for a soul, and leads to the place where it is created. */
export function KeyNote({ soul, isMember, children }: KeyNoteProps) {
  const scopes = soul.is_public === 1 ? "the scope Chat" : "the scopes Chat and Read your souls";
  return (
    <p className="muted">
      {children}{" "}
      {isMember ? (
        <Link to="/settings/{-$group}" params={{ group: "keys" }}>
          Create a key
        </Link>
      ) : (
        <>
          <SignInLink /> to create a key
        </>
      )}{" "}
      with {scopes}.
    </p>
  );
}
