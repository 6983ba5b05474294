import { Button, Switch } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";
import { LockIcon } from "../icons.tsx";

interface PrivateSwitchProps {
  isPrivate: boolean;
  wanted: boolean;
  onChange: (wanted: boolean) => void;
  /** It is theirs, or nobody's yet. */
  mayDecide: boolean;
}

export function PrivateSwitch({ isPrivate, wanted, onChange, mayDecide }: PrivateSwitchProps) {
  const [isAsking, setAsking] = useState(false);
  if (isPrivate) {
    return (
      <span className="private-mark">
        <LockIcon size={16} /> Private for good
      </span>
    );
  }
  if (!mayDecide) return null;
  const decide = (choice: boolean) => {
    onChange(choice);
    setAsking(false);
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || !isAsking) return;
    // It closes this question, and stops no reply.
    event.stopPropagation();
    setAsking(false);
  };
  return (
    <div className="private-switch">
      <Switch
        size="sm"
        label="Private"
        checked={wanted}
        aria-expanded={isAsking}
        onKeyDown={leave}
        onChange={() => (wanted ? onChange(false) : setAsking((before) => !before))}
      />
      {isAsking && (
        <div className="composer-note" role="dialog" aria-label="Make this room private?">
          <p>
            <strong>Make this room private?</strong> From your next message on only you can read and
            write here. Everybody else is shown out, the link stops working for them, and it can't
            be opened again.
          </p>
          <Button
            size="sm"
            // The question has just been asked: Enter answers it.
            autoFocus
            onKeyDown={leave}
            leftSection={<LockIcon size={16} />}
            onClick={() => decide(true)}
          >
            Yes, with my next message
          </Button>
          <Button size="sm" variant="default" onKeyDown={leave} onClick={() => decide(false)}>
            Stay open
          </Button>
        </div>
      )}
    </div>
  );
}
