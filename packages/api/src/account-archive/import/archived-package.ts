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
import type { ArchiveImportRun } from "./import-state.ts";
import { readWhole } from "./read-archive.ts";

/** Stores a package whose files lie in the archive, and returns its id. */
export type StorePackage = (named: readonly ArchivedPackageFile[]) => Promise<number | null>;

/**
 * Returns a function that stores the packages of one soul and its versions. Equal packages are stored
 * once. The function throws FormatError and the HubError `account_storage_full`.
 * @param present the files of the present state, which are in memory
 */
export function packageStore(
  { ctx, zip, files: archived, packed, isDry }: ArchiveImportRun,
  tx: Db,
  folder: string,
  present: readonly NewPackageFile[],
): StorePackage {
  const stored = new Map<string, number | null>();
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

  async function nicknameOf(files: readonly NewPackageFile[]): Promise<string | null> {
    const card = cardFileOf(files);
    if (!card) return null;
    const key = `${card.path} ${card.sha256}`;
    const known = nicknames.get(key);
    if (known !== undefined) return known;
    const file = { path: card.path, bytes: await card.bytes() };
    const nickname = await ctx.hub.formats.run("cardNickname", [file]);
    nicknames.set(key, nickname);
    return nickname;
  }

  return async (named) => {
    const key = JSON.stringify(named.map(({ path, sha256 }) => [path, sha256]).sort());
    const known = stored.get(key);
    if (known !== undefined) return known;
    const files = named.map(find);
    assertPathsFit(files.map(({ path }) => path));
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > MAX_PACKAGE_BYTES || files.length > MAX_FILES_OF_SOUL) {
      throw new FormatError(folder, "has a package that is too large");
    }
    const id = await storePackage(tx, {
      userId: ctx.caller.account.id,
      files,
      nickname: await nicknameOf(files),
      maxBytes: ctx.hub.config.storageBytesPerAccount,
      beside: packed,
    });
    if (isDry) for (const { sha256, size: bytes } of files) packed.set(sha256, bytes);
    stored.set(key, id);
    return id;
  };
}
