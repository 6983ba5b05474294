import {
  assertPathsFit,
  cardFileOf,
  cardNickname,
  FormatError,
  MAX_FILES_OF_SOUL,
  MAX_PACKAGE_BYTES,
} from "@soul-hub/soul-formats";
import type { Db } from "../../db/database.ts";
import { type NewPackageFile, storePackage } from "../../souls/packages/packages.queries.ts";
import type { ArchivedPackageFile } from "../archive-format.ts";
import type { ArchiveImportRun } from "./import-state.ts";
import { readWhole } from "./read-archive.ts";

/** Stores the packages of one soul and its versions. Equal packages are stored once. */
export class ArchivedPackages {
  readonly #stored = new Map<string, number | null>();
  readonly #nicknames = new Map<string, string | null>();
  readonly #present: ReadonlyMap<string, NewPackageFile>;
  readonly #run: ArchiveImportRun;
  readonly #tx: Db;
  readonly #folder: string;

  /** @param present the files of the present state, which are in memory */
  constructor(run: ArchiveImportRun, tx: Db, folder: string, present: readonly NewPackageFile[]) {
    this.#run = run;
    this.#tx = tx;
    this.#folder = folder;
    this.#present = new Map(present.map((file) => [file.sha256, file]));
  }

  /**
   * Stores a package whose files lie in the archive.
   * @throws FormatError; HubError `account_storage_full`
   */
  async store(named: readonly ArchivedPackageFile[]): Promise<number | null> {
    const key = JSON.stringify(named.map(({ path, sha256 }) => [path, sha256]).sort());
    const known = this.#stored.get(key);
    if (known !== undefined) return known;
    const files = named.map((file) => this.#find(file));
    assertPathsFit(files.map(({ path }) => path));
    const size = files.reduce((sum, file) => sum + file.size, 0);
    if (size > MAX_PACKAGE_BYTES || files.length > MAX_FILES_OF_SOUL) {
      throw new FormatError(this.#folder, "has a package that is too large");
    }
    const { ctx, packed, isDry } = this.#run;
    const id = await storePackage(this.#tx, {
      userId: ctx.caller.account.id,
      files,
      nickname: await this.#nicknameOf(files),
      maxBytes: ctx.hub.config.storageBytesPerAccount,
      beside: packed,
    });
    if (isDry) for (const { sha256, size: bytes } of files) packed.set(sha256, bytes);
    this.#stored.set(key, id);
    return id;
  }

  /** Bytes that the archive does not hold are not taken from the hub: they may belong to others. */
  #find({ path, sha256 }: ArchivedPackageFile): NewPackageFile {
    const present = this.#present.get(sha256);
    if (present) return { ...present, path };
    const { zip, files } = this.#run;
    const at = `${this.#folder}/packages/${sha256}`;
    const held = files.get(at);
    if (held?.sha256 !== sha256) throw new FormatError(at, "is missing");
    return { path, sha256, size: held.size, bytes: () => readWhole(zip, at) };
  }

  async #nicknameOf(files: readonly NewPackageFile[]): Promise<string | null> {
    const card = cardFileOf(files);
    if (!card) return null;
    const key = `${card.path} ${card.sha256}`;
    const known = this.#nicknames.get(key);
    if (known !== undefined) return known;
    const nickname = cardNickname([{ path: card.path, bytes: await card.bytes() }]);
    this.#nicknames.set(key, nickname);
    return nickname;
  }
}
