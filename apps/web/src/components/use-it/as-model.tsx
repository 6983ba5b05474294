import { modelNameOf } from "@soul-hub/soul-names";
import type { Soul } from "../../queries.ts";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { KeyNote } from "./key-note.tsx";

interface AsModelProps {
  soul: Soul;
  isMember: boolean;
}

/** A soul as a model of programs that speak OpenAI's protocol (0051). */
export function AsModel({ soul, isMember }: AsModelProps) {
  return (
    <>
      <p className="muted">
        The soul is a model of any program that takes a base URL and a key, such as LibreChat, Open
        WebUI or the <code>openai</code> packages.
      </p>
      <CopyableCode name="Model" text={modelNameOf(soul)} />
      <CopyableCode name="Base URL" text={`${location.origin}/v1`} />
      <KeyNote soul={soul} isMember={isMember}>
        A pass or your own provider key pays for its replies.
      </KeyNote>
    </>
  );
}
