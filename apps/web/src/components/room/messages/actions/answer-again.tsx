import { FileButton } from "@mantine/core";
import { useState } from "react";
import { AgainIcon } from "../../../icons.tsx";
import { withoutImageMark } from "../../../ui/image-mark.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import type { Reader } from "./reader.ts";
import type { MessageActions } from "./use-message-actions.ts";

interface AnswerAgainProps {
  question: ShownMessage;
  /** The soul that made the reply, and is asked again; undefined for a reply of an early release. */
  soulId: number | undefined;
  reader: Reader;
  actions: MessageActions;
}

/** Asks for another reply to a question. The hub has no images, so an image is chosen again. */
export function AnswerAgain({ question, soulId, reader, actions }: AnswerAgainProps) {
  const [isAsking, setAsking] = useState(false);
  const ask = async (image?: File) => {
    setAsking(true);
    await actions.answerAgain(question.id, soulId, image);
    setAsking(false);
  };
  const button = {
    type: "button",
    className: "plain-button line__action",
    disabled: isAsking,
  } as const;
  if (withoutImageMark(question.content) === undefined) {
    return (
      <button {...button} onClick={() => void ask()}>
        <AgainIcon size={15} /> Answer again
      </button>
    );
  }
  if (!reader.allowsImage) {
    return (
      <span className="small">
        Answering again needs the image. Your plan does not include images.
      </span>
    );
  }
  return (
    <FileButton accept="image/*" onChange={(file) => file && void ask(file)}>
      {({ onClick }) => (
        <button {...button} onClick={onClick}>
          <AgainIcon size={15} /> Answer again with the image…
        </button>
      )}
    </FileButton>
  );
}
