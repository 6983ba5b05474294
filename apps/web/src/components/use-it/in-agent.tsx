import { promptNameOf } from "@soul-hub/soul-names";
import type { Soul } from "../../queries.ts";
import { CopyableCode } from "../feedback/copyable-code.tsx";
import { KeyNote } from "./key-note.tsx";

interface InAgentProps {
  soul: Soul;
  isMember: boolean;
}

/** The hub in agents that speak the Model Context Protocol (0054). */
export function InAgent({ soul, isMember }: InAgentProps) {
  const address = `${location.origin}/mcp`;
  const add = `claude mcp add --transport http soul-hub ${address}`;
  const isOpen = soul.is_public === 1 && soul.nft_contract === null;
  return (
    <>
      <p className="muted">
        Agents find, read and talk to souls by the Model Context Protocol. This one is the prompt{" "}
        <code>{promptNameOf(soul)}</code>.
      </p>
      <CopyableCode
        name="Claude Code"
        text={isMember ? `${add} --header "Authorization: Bearer YOUR_KEY"` : add}
      />
      <CopyableCode name="Other agents" text={address} />
      <KeyNote soul={soul} isMember={isMember}>
        {isOpen
          ? "Without a key, agents only find and read it."
          : "Without a key, agents can't read it."}
      </KeyNote>
    </>
  );
}
