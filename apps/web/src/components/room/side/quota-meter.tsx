import { Progress } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { exactCount } from "../../../counts.ts";
import { resetTime } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";

/** If less than this share of the quota remains, the quota bar changes its colour. */
const LOW = 0.2;

export function QuotaMeter() {
  const { left, isGuest } = useRoomContext();
  const next = useRouterState({ select: ({ location }) => location.href });
  if (!left) return null;
  const { daily_remaining, daily_limit } = left;
  const share = daily_remaining / Math.max(1, daily_limit);
  return (
    <>
      <p>
        <strong>{exactCount(daily_remaining)}</strong> of {exactCount(daily_limit)} left
      </p>
      <Progress
        value={share * 100}
        color={share <= LOW ? "orange" : "live"}
        size="sm"
        radius="xl"
        aria-label="Messages left today"
      />
      <p className="small">
        Resets at {resetTime(left)}.
        {isGuest && (
          <>
            {" "}
            <Link to="/sign-up" search={{ next }}>
              Sign up free
            </Link>
            : {left.account_daily_limit} a day.
          </>
        )}
      </p>
    </>
  );
}
