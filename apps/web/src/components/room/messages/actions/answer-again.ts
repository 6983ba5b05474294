import { chooseImage } from "../../../choose-image.ts";
import { AgainIcon } from "../../../icons.tsx";
import type { Entry } from "../../../ui/entries.ts";
import { withoutImageMark } from "../../../ui/image-mark.ts";
import type { ShownMessage } from "../use-older-messages.ts";
import type { Reader } from "./reader.ts";
import type { MessageActions } from "./use-message-actions.ts";

/**
 * Asks for another reply to a question. The hub has no images, so an image is chosen again. The
 * entry is a sentence where the reader can't ask.
 * @param soulId the soul that made the reply; undefined for a reply of an early release
 */
export function againEntry(
  question: ShownMessage,
  soulId: number | undefined,
  { mayAsk, allowsImage }: Reader,
  actions: MessageActions,
): Entry {
  const name = "Answer again";
  const ask = (image?: File) => void actions.answerAgain(question.id, soulId, image);
  if (!mayAsk) return { name: "To answer again, wait for new messages: none are left today." };
  if (withoutImageMark(question.content) === undefined) {
    return { name, icon: AgainIcon, run: () => ask() };
  }
  if (!allowsImage) {
    return { name: "Answering again needs the image. Your plan does not include images." };
  }
  return { name: `${name} with the image…`, icon: AgainIcon, run: () => chooseImage(ask) };
}
