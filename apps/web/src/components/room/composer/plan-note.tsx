import { Button } from "@mantine/core";
import type { Quota } from "../../../queries.ts";
import { AccountButton } from "../../ui/sign-in-link.tsx";
import { resetTime } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";

export type PlanNoteTopic = "image" | "deep-think";

interface PlanNoteProps {
  topic: PlanNoteTopic;
  left: Quota;
  onClose: () => void;
}

/** Explains why a feature is unavailable and which plan includes it. */
export function PlanNote({ topic, left, onClose }: PlanNoteProps) {
  const { isGuest } = useRoomContext();
  const { deep_think_cost: cost, daily_remaining } = left;
  const isOverQuota = topic === "deep-think" && cost > 0;
  return (
    <div
      className="note note--question popup composer-note"
      role="dialog"
      aria-label={names[topic]}
    >
      <p>
        <strong>{names[topic]}.</strong> {descriptions[topic]}{" "}
        {isOverQuota
          ? `This feature uses ${cost} messages, and you have ${daily_remaining} left today. New ones at ${resetTime(left)}.`
          : `This feature needs a vip or pro pass${isGuest ? " and an account" : ""}. The operator of this hub grants passes.`}
      </p>
      {isGuest && (
        <AccountButton to="/sign-up" size="sm">
          Create an account
        </AccountButton>
      )}
      <Button autoFocus size="sm" variant="default" onClick={onClose}>
        Got it
      </Button>
    </div>
  );
}

const names: Record<PlanNoteTopic, string> = { image: "Images", "deep-think": "Deep think" };
const descriptions: Record<PlanNoteTopic, string> = {
  image: "Show the soul an image and ask about it.",
  "deep-think": "The soul reasons before it answers: slower, and better at hard questions.",
};
