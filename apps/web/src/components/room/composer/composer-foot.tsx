import { Switch } from "@mantine/core";
import type { ReactNode } from "react";
import { exactCount } from "../../../counts.ts";
import type { Quota } from "../../../queries.ts";
import { countCharacters } from "../../../soul-files.ts";
import { messageCount, unitsOf } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";
import type { MessageKind } from "../room-storage.ts";
import { addressedCount } from "./addressed-count.ts";
import { DeepThinkToggle } from "./composer-tools.tsx";
import type { PlanNoteTopic } from "./plan-note.tsx";
import { PrivateSwitch } from "./private-switch.tsx";

/** An explanation that is shown over the composer. */
export type ComposerNote = PlanNoteTopic | "private";

/** Share of the character limit from which the composer shows the number of characters. */
const COUNT_FROM = 0.7;

interface ComposerFootProps {
  deepThink: boolean;
  onDeepThink: (isOn: boolean) => void;
  note: ComposerNote | undefined;
  onNote: (note: ComposerNote | undefined) => void;
  isTooLong: boolean;
}

/** The options of the next message and its price. */
export function ComposerFoot(props: ComposerFootProps) {
  const { deepThink, onDeepThink, note, onNote, isTooLong } = props;
  const { room, left, draft, isPrivate, wantsPrivate } = useRoomContext();
  const { text, kind } = draft;
  const max = left?.max_input_chars ?? Number.POSITIVE_INFINITY;
  const count = countCharacters(text);
  return (
    <div className="row small composer__foot">
      {kind === "question" && (
        <>
          {left && (
            <DeepThinkToggle
              left={left}
              isOn={deepThink}
              onChange={onDeepThink}
              onExplain={() => onNote("deep-think")}
            />
          )}
          <PrivateSwitch
            isAsking={note === "private"}
            onAsk={() => onNote(note === "private" ? undefined : "private")}
          />
        </>
      )}
      {/* Only a question makes the room private. */}
      {(isPrivate || !wantsPrivate) && <KindSwitches />}
      <span id="composer-hint" className="composer__hint" data-wrong={isTooLong}>
        {count > max * COUNT_FROM
          ? `${exactCount(count)} of ${exactCount(max)} characters`
          : costHint(left, { kind, deepThink, asked: addressedCount(room.room, text) })}
      </span>
    </div>
  );
}

/** Without a reply, people talk among themselves. The souls may read it, or not. */
function KindSwitches() {
  const { room, draft, setDraft } = useRoomContext();
  const { kind } = draft;
  const turn = (to: MessageKind) => (isOn: boolean) => setDraft({ kind: isOn ? to : "question" });
  // In a room that answers when addressed, a message without a mention gets no reply either.
  const isAmongPeople = room.online_count > 1 && room.room?.answers !== "addressed";
  return (
    <>
      {(kind === "remark" || (kind === "question" && isAmongPeople)) && (
        <KindSwitch label="No reply" isOn={kind === "remark"} onChange={turn("remark")} />
      )}
      {kind !== "remark" && (
        <KindSwitch
          label="Off the record"
          isOn={kind === "off-record"}
          onChange={turn("off-record")}
        />
      )}
    </>
  );
}

interface KindSwitchProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

const KindSwitch = ({ label, isOn, onChange }: KindSwitchProps) => (
  <Switch
    size="sm"
    label={label}
    checked={isOn}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
);

interface NextMessage {
  kind: MessageKind;
  deepThink: boolean;
  /** The number of souls that reply. */
  asked: number;
}

function costHint(left: Quota | undefined, { kind, deepThink, asked }: NextMessage): ReactNode {
  if (kind === "off-record") return "Costs nothing";
  if (kind === "remark") return "A soul reads it later. Costs nothing";
  if (asked === 0) return "No soul is mentioned. Costs nothing";
  if (!left) return "";
  const { daily_remaining } = left;
  if (daily_remaining === 0) return "No messages left today";
  const cost = unitsOf(left, deepThink) * asked;
  const [count, word] = messageCount(daily_remaining).split(" ");
  return (
    <>
      {cost > 1 && `Uses ${cost} of `}
      {count} <span className="composer__hint-word">{word} </span>left today
    </>
  );
}
