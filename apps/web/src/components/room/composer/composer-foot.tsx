import { Switch, UnstyledButton } from "@mantine/core";
import type { ReactNode } from "react";
import { exactCount } from "../../../counts.ts";
import type { Quota } from "../../../queries.ts";
import { countCharacters } from "../../../soul-files.ts";
import { LockIcon } from "../../icons.tsx";
import { messageCount, unitsOf } from "../quota-messages.ts";
import { useRoomContext } from "../room-context.ts";
import type { MessageKind } from "../room-storage.ts";
import { useMentionRules } from "./mentions/use-mention-rules.ts";
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
  const rules = useMentionRules(text);
  const mentioned = rules?.mentionedSouls(text, room.room?.souls ?? []).length ?? 0;
  // Without a mention, the room's own soul replies, or none (0041).
  const asked = mentioned || (room.room?.answers === "addressed" ? 0 : 1);
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
          : costHint(left, { kind, deepThink, asked })}
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
        <FootSwitch label="No reply" isOn={kind === "remark"} onChange={turn("remark")} />
      )}
      {kind !== "remark" && (
        <FootSwitch
          label="Off the record"
          isOn={kind === "off-record"}
          onChange={turn("off-record")}
        />
      )}
    </>
  );
}

interface FootSwitchProps {
  label: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

const FootSwitch = ({ label, isOn, onChange }: FootSwitchProps) => (
  <Switch
    size="sm"
    label={label}
    checked={isOn}
    onChange={({ currentTarget }) => onChange(currentTarget.checked)}
  />
);

interface DeepThinkToggleProps extends Omit<FootSwitchProps, "label"> {
  left: Quota;
  onExplain: () => void;
}

/**
 * The deep think switch with the cost in its label, or a locked button while deep think is
 * unavailable.
 */
function DeepThinkToggle({ left, isOn, onChange, onExplain }: DeepThinkToggleProps) {
  const { deep_think_available, deep_think_cost } = left;
  if (!deep_think_available) {
    return (
      <UnstyledButton className="row composer__locked" onClick={onExplain}>
        <LockIcon size={14} /> Deep think
      </UnstyledButton>
    );
  }
  return (
    <FootSwitch
      label={`Deep think (${deep_think_cost} messages)`}
      isOn={isOn}
      onChange={onChange}
    />
  );
}

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
