import { Button, Switch } from "@mantine/core";
import { useState } from "react";
import { LockIcon } from "../icons.tsx";

interface PrivateSwitchProps {
  isPrivate: boolean;
  wanted: boolean;
  onChange: (wanted: boolean) => void;
  /** Somebody else began this room: only they can close it. */
  isOthers: boolean;
}

export function PrivateSwitch({ isPrivate, wanted, onChange, isOthers }: PrivateSwitchProps) {
  const [isAsking, setAsking] = useState(false);
  if (isPrivate) {
    return (
      <span className="private-mark">
        <LockIcon size={16} /> Private for good
      </span>
    );
  }
  if (isOthers) return null;
  const decide = (choice: boolean) => {
    onChange(choice);
    setAsking(false);
  };
  return (
    <div className="private-switch">
      <Switch
        size="sm"
        label="Private"
        checked={wanted}
        aria-expanded={isAsking}
        onChange={() => (wanted ? onChange(false) : setAsking((before) => !before))}
      />
      {isAsking && (
        <div
          className="private-switch__question"
          role="dialog"
          aria-label="Make this room private?"
        >
          <p>
            <strong>Make this room private?</strong> From your next message on only you can read and
            write here. Everybody else is shown out, the link stops working for them, and it can't
            be opened again.
          </p>
          <Button
            size="sm"
            // The question has just been asked: Enter answers it.
            autoFocus
            leftSection={<LockIcon size={16} />}
            onClick={() => decide(true)}
          >
            Yes, with my next message
          </Button>
          <Button size="sm" variant="default" onClick={() => decide(false)}>
            Stay open
          </Button>
        </div>
      )}
    </div>
  );
}
