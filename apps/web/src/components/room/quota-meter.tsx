import { Progress } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { fromNow, timeOfDay } from "../../clock.ts";
import { quota } from "../../queries.ts";

/** Below a fifth it is worth looking at. */
const LOW = 0.2;

export function QuotaMeter({ isGuest }: { isGuest: boolean }) {
  const { data: left } = useQuery(quota);
  const next = useRouterState({ select: ({ location }) => location.href });
  if (!left) return null;
  const { daily_remaining, daily_limit, resets_at } = left;
  const share = daily_remaining / Math.max(1, daily_limit);
  return (
    <section>
      <h2>Messages today</h2>
      <p>
        <strong>{daily_remaining.toLocaleString("en")}</strong> of{" "}
        {daily_limit.toLocaleString("en")} left
      </p>
      <Progress
        value={share * 100}
        color={share <= LOW ? "orange" : "live"}
        size="sm"
        radius="xl"
        aria-label="Messages left today"
        mb="xs"
      />
      <p className="room-side__small">
        Full again at {timeOfDay(resets_at)} ({fromNow(resets_at)}).
        {isGuest && (
          <>
            {" "}
            <Link to="/sign-up" search={{ next }}>
              An account
            </Link>{" "}
            gives you more.
          </>
        )}
      </p>
    </section>
  );
}
