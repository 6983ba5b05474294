import "./version-card.css";
import type { SoulVersion } from "../../queries.ts";
import type { HistoryEntry } from "../../soul-history.ts";
import { CopyTextButton } from "../feedback/copy-text-button.tsx";
import { CheckIcon, DownloadIcon, LockIcon } from "../icons.tsx";
import { DialogButton } from "../ui/dialog-button.tsx";
import { lazyPart } from "../ui/lazy-part.tsx";
import { SignatureCheck } from "./signature-check.tsx";

const UseItDialog = lazyPart(() => import("../use-it/use-it-dialog.tsx"), "UseItDialog");
/** The author's buttons load for the author only. */
const VersionActions = lazyPart(() => import("./version-actions.tsx"), "VersionActions");

/** The number of characters of a digest that the page shows: "sha256:" and 12 hex digits. */
const SHOWN_DIGEST_CHARS = 19;

interface VersionCardProps {
  version: SoulVersion;
  entry: HistoryEntry;
  isMine: boolean;
}

/** Shows a version's note, time, digest and signature. */
export function VersionCard({ version, entry: { when, date }, isMine }: VersionCardProps) {
  const { number, note, digest, signature, is_current, is_hidden } = version;
  return (
    <section className="panel stack stack--close" aria-label={`Version ${number}`}>
      <div className="row">
        <h2 className="version-card__number">v{number}</h2>
        <span className="muted">
          {is_current && "Present version, "}
          {when}, {date}
        </span>
      </div>
      {note && (
        <p className="long-text" dir="auto">
          {note}
        </p>
      )}
      {(signature || is_hidden) && (
        <p className="row">
          {signature && <SignatureBadge {...signature} />}
          {is_hidden && (
            <span className="state-mark" data-tone="warn">
              <LockIcon size={15} /> Hidden: only you can see it
            </span>
          )}
        </p>
      )}
      {digest && (
        <p className="row small">
          Digest{" "}
          <code className="code" title={digest}>
            {digest.slice(0, SHOWN_DIGEST_CHARS)}…
          </code>
          <CopyTextButton text={digest} label="Copy digest" size="compact-xs" />
        </p>
      )}
      {!version.content_hidden && (
        <div className="row">
          <DialogButton
            variant="default"
            size="xs"
            leftSection={<DownloadIcon size={15} />}
            dialog={(state) => <UseItDialog version={version} {...state} />}
          >
            Export v{number}
          </DialogButton>
        </div>
      )}
      {signature && <SignatureCheck version={version} signature={signature} />}
      {isMine && <VersionActions version={version} />}
    </section>
  );
}

type Signer = Pick<NonNullable<SoulVersion["signature"]>, "wallet" | "wallet_verified">;

/** On a hub without a chain anybody can bind any wallet, so its signature gets no check mark. */
function SignatureBadge({ wallet, wallet_verified }: Signer) {
  return (
    <span className="state-mark" data-tone={wallet_verified ? "good" : "plain"}>
      {wallet_verified ? (
        <>
          <CheckIcon size={15} />
          <span>
            Signed by <strong>{wallet}</strong>, verified on NEAR
          </span>
        </>
      ) : (
        <span>
          Signed with a key that names <strong>{wallet}</strong>, not confirmed
        </span>
      )}
    </span>
  );
}
