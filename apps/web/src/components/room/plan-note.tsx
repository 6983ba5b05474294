import { Button } from "@mantine/core";
import { Link, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { fromNow, timeOfDay } from "../../clock.ts";
import type { Quota } from "../../queries.ts";

export type PlanNoteTopic = "image" | "deep-think";

interface PlanNoteProps {
  topic: PlanNoteTopic;
  left: Quota;
  isGuest: boolean;
  onClose: () => void;
}

/** Why something can't be had now, and what it takes. */
export function PlanNote({ topic, left, isGuest, onClose }: PlanNoteProps) {
  const next = useRouterState({ select: ({ location }) => location.href });
  const close = useRef<HTMLButtonElement>(null);
  useEffect(() => close.current?.focus(), []);
  const { deep_think_cost: cost, daily_remaining, resets_at } = left;
  const isSpent = topic === "deep-think" && cost > 0;
  return (
    <div className="composer-note" role="dialog" aria-label={names[topic]}>
      <p>
        <strong>{names[topic]}.</strong> {meanings[topic]}{" "}
        {isSpent
          ? `It takes ${cost} of your messages, and ${daily_remaining} are left today. New ones come at ${timeOfDay(resets_at)}, ${fromNow(resets_at)}.`
          : `It comes with a vip or pro pass${isGuest ? " on an account" : ""}; whoever runs this hub grants one.`}
      </p>
      {isGuest && (
        <Button
          size="sm"
          renderRoot={(props) => <Link to="/sign-up" search={{ next }} {...props} />}
        >
          Create an account
        </Button>
      )}
      <Button ref={close} size="sm" variant="default" onClick={onClose}>
        Good to know
      </Button>
    </div>
  );
}

const names: Record<PlanNoteTopic, string> = { image: "Pictures", "deep-think": "Deep think" };
const meanings: Record<PlanNoteTopic, string> = {
  image: "Show the soul something and ask about it.",
  "deep-think": "The soul reasons before it answers. Slower, and better for hard questions.",
};
