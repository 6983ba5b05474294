import { Modal } from "@mantine/core";
import { modelNameOf, promptNameOf } from "@soul-hub/soul-names";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { me, type Soul } from "../../queries.ts";
import { CopyField } from "../feedback/copy-field.tsx";
import { AsFile, type ExportedVersion } from "./as-file.tsx";
import { KeyNote } from "./key-note.tsx";

interface UseItDialogProps {
  /** The soul in its present state: programs always get that one. */
  soul?: Soul;
  /** A version of the history, which is given as a file only. */
  version?: ExportedVersion;
  isOpened: boolean;
  onClose: () => void;
}

/** Every way to use a soul in other programs, with one copy or one download each (0056). */
export function UseItDialog({ soul, version, isOpened, onClose }: UseItDialogProps) {
  const title = version ? `Export v${version.number}` : "Use it elsewhere";
  return (
    <Modal opened={isOpened} onClose={onClose} title={title} size="50rem">
      <div className="stack stack--wide">
        {version && <AsFile version={version} />}
        {soul && <Ways soul={soul} />}
      </div>
    </Modal>
  );
}

function Ways({ soul }: { soul: Soul }) {
  const { data: user } = useQuery(me);
  const isMember = Boolean(user);
  const { id, version, has_package } = soul;
  return (
    <>
      {soul.nft_contract !== null && (
        <p>In every program, its author and holders of its token can use it.</p>
      )}
      {soul.is_public === 0 && (
        <p>While it is private, other people cannot use it in any program.</p>
      )}
      <div className="columns">
        <Way title="Chat apps">
          <AsModel soul={soul} isMember={isMember} />
        </Way>
        <Way title="Agents">
          <InAgent soul={soul} isMember={isMember} />
        </Way>
      </div>
      <Way title="Files">
        <AsFile version={{ soul_id: id, number: version, id: null, has_package }} />
      </Way>
      <Way title="Terminal">
        <p className="muted">
          The tool <code>soul-hub</code> needs Node 22.4 or later. It signs in to your account once.
        </p>
        <CopyField name="Sign in" text={`npx soul-hub login --url ${location.origin}`} />
        <CopyField name="Talk" text={`npx soul-hub chat ${id}`} />
        <CopyField name="Get its files" text={`npx soul-hub pull ${id}`} />
      </Way>
    </>
  );
}

function Way({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="stack stack--close" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface WayProps {
  soul: Soul;
  isMember: boolean;
}

/** A soul as a model of programs that speak OpenAI's protocol (0051). */
function AsModel({ soul, isMember }: WayProps) {
  return (
    <>
      <p className="muted">
        The soul is a model of any program that takes a base URL and a key, such as LibreChat, Open
        WebUI or the <code>openai</code> packages.
      </p>
      <CopyField name="Model" text={modelNameOf(soul)} />
      <CopyField name="Base URL" text={`${location.origin}/v1`} />
      <KeyNote soul={soul} isMember={isMember}>
        A pass or your own provider key pays for its replies.
      </KeyNote>
    </>
  );
}

/** The hub in agents that speak the Model Context Protocol (0054). */
function InAgent({ soul, isMember }: WayProps) {
  const address = `${location.origin}/mcp`;
  const add = `claude mcp add --transport http soul-hub ${address}`;
  const isOpen = soul.is_public === 1 && soul.nft_contract === null;
  return (
    <>
      <p className="muted">
        Agents find, read and talk to souls by the Model Context Protocol. This one is the prompt{" "}
        <code>{promptNameOf(soul)}</code>.
      </p>
      <CopyField
        name="Claude Code"
        text={isMember ? `${add} --header "Authorization: Bearer YOUR_KEY"` : add}
      />
      <CopyField name="Other agents" text={address} />
      <KeyNote soul={soul} isMember={isMember}>
        {isOpen
          ? "Without a key, agents only find and read it."
          : "Without a key, agents can't read it."}
      </KeyNote>
    </>
  );
}
