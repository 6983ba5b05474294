import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import type { Failure } from "../../../failures.ts";
import { FailureNote } from "../../feedback/failure-note.tsx";
import { lazyPart } from "../../ui/lazy-part.tsx";
import { SmallButton } from "../../ui/small-button.tsx";
import type { ChosenImage } from "../prepare-image.ts";
import { AnswerAgain } from "./actions/answer-again.tsx";
import { MessageTools, type OpenTool } from "./actions/message-tools.tsx";
import { Provenance } from "./actions/provenance.tsx";
import { Reactions } from "./actions/reactions.tsx";
import { isOwn, mayEdit, mayRemove, mayRestrictSender, type Reader } from "./actions/reader.ts";
import type { MessageActions } from "./actions/use-message-actions.ts";
import { CopyReplyButton } from "./copy-reply-button.tsx";
import { useMentionsReader } from "./mentions/use-mentions-reader.ts";
import { MessageLine } from "./message-line.tsx";
import { SiblingSwitch } from "./path/sibling-switch.tsx";
import type { ShownMessage } from "./use-older-messages.ts";

const loadPanels = () => import("./actions/message-panels.tsx");
const MessagePanel = lazyPart(loadPanels, "MessagePanel");

/** Asks a message to open its editor. Each object is one request. */
export interface EditRequest {
  id: number;
  /** Called instead of focusing the message's own button. */
  onClose: () => void;
}

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
  /** Opens the editor. Each object is one request. */
  editRequest: EditRequest | undefined;
}

interface MessageState {
  id: number;
  open?: OpenTool;
  isPressed?: boolean;
  onClose?: () => void;
}

/** A message of the log with everything that can be done to it. Its props rarely change. */
export const StoredMessage = memo(function StoredMessage(props: StoredMessageProps) {
  const { line, soulId, reader, actions, siblings, onLook, question, failure } = props;
  const { image, isContinued, editRequest } = props;
  const { id, role, sender_name, content, created_at, edited_at, removed = false } = line;
  const { audience, made_by, removed_by } = line;
  // The component stays when a sibling takes the message's place. An open panel belongs to one id.
  const [state, setState] = useState<MessageState>();
  const current = state?.id === id ? state : undefined;
  // Of a removed message only the editor stays open, with the reader's draft.
  const open = removed && current?.open !== "edit" ? undefined : current?.open;
  const isPressed = current?.isPressed ?? false;
  const [isOver, setOver] = useState(false);
  const moreButton = useRef<HTMLButtonElement>(null);
  const [answered, setAnswered] = useState<EditRequest>();
  const isMention = useMentionsReader(line, reader);
  if (editRequest && editRequest !== answered) {
    setAnswered(editRequest);
    setState({ id, open: "edit", onClose: editRequest.onClose });
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
  const closeOnEscape = ({ key, nativeEvent }: KeyboardEvent) => {
    if (key === "Escape" && !nativeEvent.isComposing && (open || isPressed)) close();
  };

  const isReply = role === "assistant";
  const allowed = removed ? [] : toolsOf(line, reader, question);
  const isShown = open === undefined && (isOver || isPressed);
  // The code of the panels loads once the tools are shown, so that a panel opens at once. If that
  // fails, for example while the hub restarts, the panel loads it.
  useEffect(() => {
    if (isShown) loadPanels().catch(() => {});
  }, [isShown]);
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
      onHover={setOver}
      onKeyDown={closeOnEscape}
      tools={
        allowed.length > 0 && (
          <MessageTools
            tools={allowed}
            isShown={isShown}
            isPressed={isPressed}
            button={moreButton}
            onPress={() => setState({ id, isPressed: !isPressed })}
            onOpen={(tool) => setState({ id, open: tool })}
          />
        )
      }
      body={open === "edit" && panel}
    >
      {(isReply || siblings || edited_at) && (
        <div className="row small line__foot">
          {siblings && <SiblingSwitch id={id} siblings={siblings} onLook={onLook} />}
          {!removed && <Provenance line={line} />}
          {isReply && !removed && (
            <span className="line__actions">
              <CopyReplyButton text={content} />
              {question && (
                <AnswerAgain
                  question={question}
                  soulId={made_by?.soul_id}
                  reader={reader}
                  actions={actions}
                />
              )}
            </span>
          )}
        </div>
      )}
      <Reactions
        line={line}
        reader={reader}
        actions={actions}
        onAdd={() => setState({ id, open: "react" })}
      />
      {open !== "edit" && panel}
      {failure?.code === "cancelled" && (
        <p className="small line__note">The reply was stopped. This one stays.</p>
      )}
      {failure && failure.code !== "cancelled" && (
        <FailureNote failure={failure}>
          <SmallButton onClick={closeRefusal}>Close</SmallButton>
        </FailureNote>
      )}
    </MessageLine>
  );
});

function toolsOf(line: ShownMessage, reader: Reader, question: ShownMessage | undefined) {
  // A guest can't change a text, but can ask its last question again with another one.
  const mayRewrite = line.role === "user" && isOwn(line, reader) && question !== undefined;
  const tools: readonly (OpenTool | false)[] = [
    reader.mayTalk && "react",
    (mayEdit(line, reader) || mayRewrite) && "edit",
    mayRemove(line, reader) && "remove",
    mayRestrictSender(line, reader) && "restrict",
    reader.name !== undefined && !isOwn(line, reader) && "report",
  ];
  return tools.filter((tool) => tool !== false);
}
