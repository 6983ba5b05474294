import { CloseButton } from "@mantine/core";
import { useRoomContext } from "../room-context.ts";

/** Tells once why no soul answered, and how to ask one. */
export function UnansweredHint() {
  const { unanswered, room, input } = useRoomContext();
  if (!unanswered.isShown) return null;
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
      <CloseButton size="sm" aria-label="Close the hint" onClick={close} />
    </div>
  );
}
