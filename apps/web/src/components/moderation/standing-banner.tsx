import { Link } from "@tanstack/react-router";
import { fullDate } from "../../clock.ts";
import type { Me } from "../../queries.ts";
import { AlertIcon } from "../icons.tsx";

interface StandingBannerProps {
  standing: NonNullable<Me["moderation"]>;
}

/** Tells a suspended or silenced member so on every page. */
export function StandingBanner({ standing: { state, until } }: StandingBannerProps) {
  const end = until ? `until ${fullDate(until)}` : "until the staff lift this";
  return (
    <aside className="note note--bar" data-tone="warn" aria-label="The state of your account">
      <AlertIcon size={18} />
      <p>
        {state === "suspended"
          ? `Your account is suspended ${end}.`
          : `You can read, but not write, ${end}.`}{" "}
        <Link to="/notices">See why, and how to appeal</Link>
      </p>
    </aside>
  );
}
