import { Button } from "@mantine/core";
import { useState } from "react";
import { SmallButton } from "../../../ui/small-button.tsx";
import { useRoomContext } from "../../room-context.ts";

/** Tells the reader of another branch that the room's path is another one. */
export function ElsewhereNote() {
  const { path, reader, mayChange, actions } = useRoomContext();
  const [isMoving, setMoving] = useState(false);
  const end = path.shown.at(-1)?.id;
  if (!path.isElsewhere || end === undefined) return null;
  const moveHere = async () => {
    setMoving(true);
    await actions.continueAt(end);
    setMoving(false);
  };
  return (
    <div className="note" data-tone="good">
      <p role="status">
        <strong>You are looking at another branch.</strong>{" "}
        {reader.isOwner
          ? "Your next message moves the conversation here."
          : "The conversation goes on elsewhere. Only the owner of the room can move it here."}
      </p>
      <div className="row">
        {mayChange && (
          <Button size="compact-sm" loading={isMoving} onClick={() => void moveHere()}>
            Continue here
          </Button>
        )}
        <SmallButton onClick={path.back}>Back to the conversation</SmallButton>
      </div>
    </div>
  );
}
