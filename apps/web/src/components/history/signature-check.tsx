import { Button } from "@mantine/core";
import { fullDate } from "../../clock.ts";
import type { SoulVersion, VersionSignature } from "../../queries.ts";
import { saveFile } from "../../save-file.ts";
import { readSoulFiles } from "../../soul-files.ts";
import { CopyField } from "../feedback/copy-field.tsx";
import { toastFailure } from "../feedback/toasts.tsx";
import { DownIcon } from "../icons.tsx";

interface SignatureCheckProps {
  version: SoulVersion;
  signature: VersionSignature;
}

/** Explains how to verify a signed version offline, and what that cannot prove (0036). */
export function SignatureCheck({ version, signature }: SignatureCheckProps) {
  const { wallet, wallet_verified, public_key, signed_at } = signature;
  const name = downloadName(version);
  const files = readSoulFiles(version).map((file) => file.name);
  return (
    <details className="muted signature-check">
      <summary>How to check</summary>
      <ol className="stack">
        <li>
          Save both, then unpack the files. Their folder contains only {listFormat.format(files)}.
          <div className="row">
            <Button {...download} onClick={() => void saveFiles(version).catch(toastFailure)}>
              Files (.zip)
            </Button>
            <Button {...download} onClick={() => saveSignature(version)}>
              Signature (.json)
            </Button>
          </div>
        </li>
        <li>
          Run one of these commands. The first one needs Node and the file verify-version.mjs from
          the examples of Soul Hub; the second one runs in the source code of Soul Hub.
          <CopyField text={`node verify-version.mjs ${name} --signature ${name}.json`} />
          <CopyField text={`npx -y pnpm@12 hub verify-version ${name} --signature ${name}.json`} />
        </li>
      </ol>
      <p>
        The command works offline. It proves that the key {public_key} signed these exact texts. It
        cannot prove whose key that is.{" "}
        {wallet_verified
          ? `On ${fullDate(signed_at)}, NEAR confirmed to this hub that the key belongs to ${wallet}.`
          : `This hub did not ask NEAR. It only knows that the author bound ${wallet} with this key.`}
      </p>
    </details>
  );
}

const listFormat = new Intl.ListFormat("en-GB");

const download = {
  variant: "default",
  size: "compact-sm",
  leftSection: <DownIcon size={15} />,
} as const;

/** The name of a version's folder, and of its signature file without ".json". */
const downloadName = ({ soul_id, number }: SoulVersion) => `soul-${soul_id}-v${number}`;

/** Saves the files of a version as a .zip file with one folder. */
async function saveFiles(version: SoulVersion): Promise<void> {
  const { strToU8, zipSync } = await import("fflate");
  const folder = downloadName(version);
  const files = readSoulFiles(version).map(({ name, text }) => [
    `${folder}/${name}`,
    strToU8(text),
  ]);
  saveFile(`${folder}.zip`, new Blob([zipSync(Object.fromEntries(files))]));
}

/** Saves the `data` of GET /api/version, which the tools that verify a signature read (0036). */
const saveSignature = (version: SoulVersion): void =>
  saveFile(`${downloadName(version)}.json`, new Blob([JSON.stringify(version, null, 2)]));
