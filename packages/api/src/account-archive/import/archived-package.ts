import {
  assertPathsFit,
  cardFileOf,
  FormatError,
  MAX_FILES_OF_SOUL,
  MAX_PACKAGE_BYTES,
} from "@soul-hub/soul-formats";
import type { Db } from "../../db/database.ts";
import { type NewPackageFile, storePackage } from "../../souls/packages/packages.queries.ts";
import type { ArchivedPackageFile } from "../archive-format.ts";
import { type ArchiveImportRun, inTurn } from "./import-state.ts";
import { readWhole } from "./read-archive.ts";

/** Stores a package whose files lie in the archive, and returns its id. */
export type StorePackage = (named: readonly ArchivedPackageFile[]) => Promise<number | null>;

/**
 * The packages of one soul and its versions. `read` reads what needs a thread, before the transaction.
 * `storeIn` stores equal packages once. Both throw FormatError; `storeIn` also the HubError
 * `account_storage_full`.
 * @param present the files of the present state, which are in memory
 */
export function archivedPackages(
  run: ArchiveImportRun,
  folder: string,
  present: readonly NewPackageFile[],
) {
  const { ctx, zip, files: archived, packed, isDry } = run;
  const nicknames = new Map<string, string | null>();
  const inPresent = new Map(present.map((file) => [file.sha256, file]));

  /** Bytes that the archive does not hold are not taken from the hub: they may belong to others. */
  function find({ path, sha256 }: ArchivedPackageFile): NewPackageFile {
    const known = inPresent.get(sha256);
    if (known) return { ...known, path };
    const at = `${folder}/packages/${sha256}`;
    const held = archived.get(at);
    if (held?.sha256 !== sha256) throw new FormatError(at, "is missing");
    return { path, sha256, size: held.size, bytes: () => readWhole(zip, at) };
  }

  function filesOf(named: readonly ArchivedPackageFile[]): NewPackageFile[] {
    const files = named.map(find);
    assertPathsFit(files.map(({ path }) => path));
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > MAX_PACKAGE_BYTES || files.length > MAX_FILES_OF_SOUL) {
      throw new FormatError(folder, "has a package that is too large");
    }
    return files;
  }

  return {
    async read(named: readonly ArchivedPackageFile[]): Promise<void> {
      const card = cardFileOf(filesOf(named));
      if (!card || nicknames.has(keyOf(card))) return;
      const file = { path: card.path, bytes: await card.bytes() };
      const nickname = await inTurn(run, () => ctx.hub.formats.run("cardNickname", [file]));
      nicknames.set(keyOf(card), nickname);
    },

    storeIn(tx: Db): StorePackage {
      const stored = new Map<string, number | null>();
      return async (named) => {
        const key = JSON.stringify(named.map(({ path, sha256 }) => [path, sha256]).sort());
        const known = stored.get(key);
        if (known !== undefined) return known;
        const files = filesOf(named);
        const card = cardFileOf(files);
        const id = await storePackage(tx, {
          userId: ctx.caller.account.id,
          files,
          nickname: (card && nicknames.get(keyOf(card))) ?? null,
          maxBytes: ctx.hub.config.storageBytesPerAccount,
          beside: packed,
        });
        if (isDry) for (const { sha256, size: bytes } of files) packed.set(sha256, bytes);
        stored.set(key, id);
        return id;
      };
    },
  };
}

const keyOf = ({ path, sha256 }: ArchivedPackageFile) => `${path} ${sha256}`;
