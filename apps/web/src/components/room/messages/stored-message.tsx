import { type KeyboardEvent, memo, useRef, useState } from "react";
import type { Failure } from "../../../failures.ts";
import "./actions/message-actions.css";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { MoreIcon } from "../../icons.tsx";
import type { Entry } from "../../ui/entries.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { preloadMoreMenu } from "../../ui/more.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import type { ChosenImage } from "../prepare-image.ts";
import { againEntry } from "./actions/answer-again.ts";
import { loadPanels } from "./actions/load-panels.ts";
import { Reactions } from "./actions/reactions.tsx";
import { isOwn, type Reader } from "./actions/reader.ts";
import type { OpenMenu, OpenTool, ToolRequest } from "./actions/tools.ts";
import type { MessageActions } from "./actions/use-message-actions.ts";
import { CopyReplyButton } from "./copy-reply-button.tsx";
import { editedBy } from "./made-by.ts";
import { useMentionsReader } from "./mentions/use-mentions-reader.ts";
import { MessageLine } from "./message-line.tsx";
import { SiblingSwitch } from "./path/sibling-switch.tsx";
import type { ShownMessage } from "./use-older-messages.ts";

const MessagePanel = lazyPart(loadPanels, "MessagePanel");

interface StoredMessageProps {
  line: ShownMessage;
  soulId: number;
  reader: Reader;
  actions: MessageActions;
  /** The message and the others that continue the same message; undefined if it is the only one. */
  siblings: readonly number[] | undefined;
  onLook: (id: number) => void;
  /** The question of a reply, or a question itself, where the reader may branch. */
  question: ShownMessage | undefined;
  /** Why the reply could not be regenerated. */
  failure: Failure | undefined;
  /** The reader's own image. */
  image: ChosenImage | undefined;
  /** Another message of the same person is directly above. */
  isContinued: boolean;
  /** The last message of the log has its most frequent actions below it. */
  isLast: boolean;
  toolRequest: ToolRequest | undefined;
  onMenu: (menu: OpenMenu) => void;
}

interface MessageState {
  id: number;
  open: OpenTool;
  onClose?: (() => void) | undefined;
}

/** A message of the log with everything that can be done to it. Its props rarely change. */
export const StoredMessage = memo(function StoredMessage(props: StoredMessageProps) {
  const { line, soulId, reader, actions, siblings, onLook, question, failure } = props;
  const { image, isContinued, isLast, toolRequest, onMenu } = props;
  const { id, role, sender_name, content, created_at, removed = false } = line;
  const { audience, made_by, removed_by } = line;
  // The component stays when a sibling takes the message's place. An open panel belongs to one id.
  const [state, setState] = useState<MessageState>();
  const current = state?.id === id ? state : undefined;
  // Of a removed message only the editor stays open, with the reader's draft.
  const open = removed && current?.open !== "edit" ? undefined : current?.open;
  const moreButton = useRef<HTMLButtonElement>(null);
  const [answered, setAnswered] = useState<ToolRequest>();
  const isMention = useMentionsReader(line, reader);
  if (toolRequest && toolRequest !== answered) {
    setAnswered(toolRequest);
    setState({ id, open: toolRequest.tool, onClose: toolRequest.onClose });
  }
  const close = () => {
    const focus = () => moreButton.current?.focus();
    setState(undefined);
    requestAnimationFrame(current?.onClose ?? focus);
  };
  const closeRefusal = () => {
    actions.closeRefusal(line.parent_id);
    moreButton.current?.focus();
  };
  const openMenu = () => moreButton.current && onMenu({ id, opener: moreButton.current });
  const closeOnEscape = ({ key, nativeEvent }: KeyboardEvent) => {
    if (key === "Escape" && !nativeEvent.isComposing && open) close();
  };

  const isReply = role === "assistant";
  const again =
    isReply && question ? againEntry(question, made_by?.soul_id, reader, actions) : undefined;
  const panel = open && (
    <MessagePanel
      tool={open}
      line={line}
      actions={actions}
      mayBranch={!isReply && question !== undefined}
      onClose={close}
    />
  );
  return (
    <MessageLine
      id={id}
      by={role}
      name={sender_name}
      text={removed_by ? "Removed by the moderators" : content}
      soulId={soulId}
      isOwn={isOwn(line, reader)}
      at={created_at}
      image={image}
      isRemoved={removed}
      isOffRecord={audience === "people"}
      isMention={isMention}
      isContinued={isContinued}
      isLast={isLast}
      onKeyDown={closeOnEscape}
      edited={removed ? undefined : editedBy(line)}
      tools={
        !removed && (
          <button
            ref={moreButton}
            type="button"
            className="plain-button line__more"
            aria-label="Message actions"
            aria-haspopup="menu"
            onPointerEnter={preloadMoreMenu}
            onClick={openMenu}
          >
            <MoreIcon size={20} />
          </button>
        )
      }
      body={open === "edit" && panel}
    >
      {(siblings || (isLast && isReply && !removed)) && (
        <div className="row small line__foot">
          {siblings && <SiblingSwitch id={id} siblings={siblings} onLook={onLook} />}
          {isLast && isReply && !removed && (
            <span className="line__actions">
              <CopyReplyButton text={content} />
              {again && <AgainButton {...again} />}
            </span>
          )}
        </div>
      )}
      <Reactions line={line} reader={reader} actions={actions} onAdd={openMenu} />
      {open !== "edit" && panel}
      {failure?.code === "cancelled" && (
        <p className="small line__note">The reply was stopped. This one stays.</p>
      )}
      {failure && failure.code !== "cancelled" && (
        <FailureNote failure={failure}>
          {again?.run && <SmallButton onClick={again.run}>{again.name}</SmallButton>}
          <SmallButton onClick={closeRefusal}>Close</SmallButton>
        </FailureNote>
      )}
    </MessageLine>
  );
});

/** "Answer again" as an icon. A sentence instead says why the reader can't ask. */
function AgainButton({ name, icon: Icon, run }: Entry) {
  if (!Icon) return <span>{name}</span>;
  return (
    <button
      type="button"
      className="plain-button line__action"
      aria-label={name}
      title={name}
      onClick={run}
    >
      <Icon size={17} />
    </button>
  );
}
