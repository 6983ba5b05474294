import { ActionIcon } from "@mantine/core";
import { CrossIcon } from "../../icons.tsx";
import { useRoomContext } from "../room-context.ts";

/** Tells once why no soul answered, and how to ask one. */
export function UnansweredHint() {
  const { unanswered, room, input } = useRoomContext();
  const [first] = room.room?.souls ?? [];
  const close = () => {
    unanswered.hide();
    input.current?.focus();
  };
  return (
    <div className="row row--apart muted composer__hint-row">
      <p role="status">
        Nothing was spent: a soul answers here only when it is mentioned
        {first && (
          <>
            , as <strong>@{first.handle}</strong>
          </>
        )}
        .
      </p>
      <ActionIcon size={28} aria-label="Close the hint" onClick={close}>
        <CrossIcon size={16} />
      </ActionIcon>
    </div>
  );
}
