import "./try-soul.css";
import { ActionIcon, Button, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { hub } from "../../hub.ts";
import { invalidate, me, quota, type Soul } from "../../queries.ts";
import { greetingOf, lengthProblem, startersOf } from "../../soul-files.ts";
import { FailureNote } from "../feedback/failure-note.tsx";
import { growing } from "../growing-textarea.tsx";
import { SendIcon } from "../icons.tsx";
import { MessageLine } from "../room/messages/message-line.tsx";
import { messageCount, resetTime } from "../room/quota-messages.ts";
import { SmallButton } from "../ui/small-button.tsx";
import { fieldsOf, fileTypeOf, type SoulDraft } from "./soul-draft.ts";

/** As many earlier messages as the hub accepts (decisions §5, Trying a soul). */
const MESSAGES_MAX = 20;

interface TriedLine {
  role: "user" | "assistant";
  content: string;
}

interface TrySoulProps {
  draft: SoulDraft;
  /** The saved soul; undefined for a new one. */
  soul: Soul | undefined;
  /** Shows the problems of the draft, and returns whether it has none. */
  isReady: () => boolean;
  onStartOver: () => void;
  onClose: () => void;
}

/** A conversation with the unsaved text. Only this component has it: closing it ends the call. */
export function TrySoul({ draft, soul, isReady, onStartOver, onClose }: TrySoulProps) {
  const { data: user } = useQuery(me);
  const { data: left } = useQuery(quota);
  const [lines, setLines] = useState<readonly TriedLine[]>([]);
  const [text, setText] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLDivElement>(null);
  const call = useRef<AbortController>(undefined);
  const { title, description, content } = fieldsOf(draft);
  const from_card = soul?.has_package ?? false;
  const { greeting, starters } = useMemo(() => {
    const read = { title, content, file_type: fileTypeOf(draft), has_package: from_card };
    return { greeting: greetingOf(read), starters: startersOf(read) };
  }, [draft, title, content, from_card]);

  const ask = useMutation({
    mutationFn: (asked: readonly TriedLine[]) => {
      call.current = new AbortController();
      const { signal } = call.current;
      const messages = asked.slice(-1 - MESSAGES_MAX, -1);
      const question = asked.at(-1)?.content ?? "";
      const tried = { title, description, content, from_card };
      return hub.chat.try.mutate({ soul: tried, messages, content: question }, { signal });
    },
    onSuccess: ({ reply }) =>
      setLines((before) => [...before, { role: "assistant", content: reply }]),
    onSettled: () => invalidate(quota.queryKey),
  });
  useEffect(() => {
    input.current?.focus();
    return () => call.current?.abort();
  }, []);
  // Each new line is in view, and so is the field below it.
  useEffect(() => {
    if (log.current) log.current.scrollTop = log.current.scrollHeight;
    input.current?.scrollIntoView({ block: "nearest" });
  }, [lines, ask.status]);

  const problem = lengthProblem(text, left?.max_input_chars ?? Number.POSITIVE_INFINITY);
  const maySend = !ask.isPending && left?.daily_remaining !== 0 && !problem;
  const send = () => {
    if (!maySend || !/\S/.test(text) || !isReady()) return;
    const asked: TriedLine[] = [...lines, { role: "user", content: text }];
    setLines(asked);
    setText("");
    ask.mutate(asked);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const lineOf = { assistant: { name: title }, user: { name: user?.username ?? "", isOwn: true } };
  const soulId = soul?.id ?? 0;
  return (
    <section className="panel stack" aria-label="Try the soul">
      <div className="row row--apart">
        <div>
          <h2>Try it</h2>
          <p className="muted">
            It answers as the text above, as it is now. Nothing is stored: the conversation ends
            with this page.
          </p>
        </div>
        <div className="row">
          <SmallButton onClick={onStartOver}>Start over</SmallButton>
          <SmallButton onClick={onClose}>Close</SmallButton>
        </div>
      </div>
      {/* A scrolled box needs the focus, so that the keyboard can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <div ref={log} className="stack try__log" role="log" aria-label="Trial" tabIndex={0}>
        {greeting && <MessageLine by="assistant" name={title} text={greeting} soulId={soulId} />}
        {lines.map(({ role, content }, nth) => (
          <MessageLine key={nth} by={role} text={content} soulId={soulId} {...lineOf[role]} />
        ))}
        {ask.isPending && (
          <MessageLine by="assistant" name={title} text="" soulId={soulId} progress="writing" />
        )}
      </div>
      {lines.length === 0 && starters.length > 0 && (
        <div className="row">
          {starters.map((starter) => (
            <Button key={starter} variant="default" radius="xl" onClick={() => setText(starter)}>
              <span dir="auto">{starter}</span>
            </Button>
          ))}
        </div>
      )}
      <FailureNote error={ask.error}>
        <SmallButton disabled={!maySend} onClick={() => isReady() && ask.mutate(lines)}>
          Ask again
        </SmallButton>
      </FailureNote>
      <div className="row try__field">
        <Textarea
          ref={input}
          {...growing({ minRows: 1, maxRows: 6 })}
          aria-label={`Message to ${title}`}
          placeholder="Write a message"
          value={text}
          error={problem}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={handleKey}
        />
        <ActionIcon
          size={40}
          radius="xl"
          variant="filled"
          color="live"
          aria-label="Send"
          disabled={!maySend || !/\S/.test(text)}
          onClick={send}
        >
          <SendIcon />
        </ActionIcon>
      </div>
      {left && (
        <p className="small">
          {left.daily_remaining === 0
            ? `No messages left today. New ones at ${resetTime(left)}.`
            : `Each reply is one of your ${messageCount(left.daily_remaining)} left today.`}
        </p>
      )}
    </section>
  );
}
