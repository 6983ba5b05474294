import { rm } from "node:fs/promises";
import path from "node:path";
import { Failure } from "@soul-hub/program";
import { compareSouls, stateAfter } from "../folder/compare-souls.ts";
import { readLink, writeLink } from "../folder/link.ts";
import { isDotFile, type LocalSoul, leftOutNote, readLocal } from "../folder/local-soul.ts";
import { contentHash, type RemoteSoul, readRemote, readRoles } from "../folder/remote-soul.ts";
import { isFree, writeFiles } from "../folder/write-folder.ts";
import { onHub } from "../hub/session.ts";

/**
 * Writes a soul into a folder. An earlier pull is brought up to date, unless that would lose changes.
 * @throws Failure `folder_in_use`, `changed_here`
 */
export const pull = (
  id: number,
  given: string | undefined,
  { force }: { force?: true | undefined },
) =>
  onHub(async (hub) => {
    const roles = await readRoles(hub);
    const remote = await readRemote(hub, id, roles);
    const folder = given ?? remote.name;
    const files = remote.files.filter(({ path: name }) => !isDotFile(name));
    const dotFiles = remote.files.filter(({ path: name }) => isDotFile(name));

    const former = (await isFree(folder)) ? null : await readLink(folder, hub.url);
    if (former?.soul_id !== id && !force && !(await isFree(folder))) {
      const message = `${folder} holds other files. --force writes over them.`;
      throw new Failure("folder_in_use", message);
    }
    if (former?.soul_id === id) {
      const local = readLocal(folder, roles, dotFiles);
      if (!force) assertUnchanged(await local, former.base_sha256, remote);
      // A forced pull repairs a folder that is no soul any more.
      const paths = contentPaths(await local.catch(() => null));
      for (const name of paths) await rm(path.join(folder, name));
    }
    await writeFiles(folder, files);
    const link = { hub: hub.url, soul_id: id, base_sha256: remote.content_sha256 };
    await writeLink(folder, link);
    return {
      json: { folder, ...link, files: files.map(({ path: name }) => name) },
      lines: [`Soul ${id} is in ${folder}. Send your changes with: soul-hub publish ${folder}`],
      notes: leftOutNote(dotFiles.map(({ path: name }) => `${name} (a dot file)`)),
    };
  });

/** Only content that is as it was pulled may be replaced. What lies beside it must be equal. */
function assertUnchanged({ read }: LocalSoul, base: string, { state }: RemoteSoul): void {
  const { fields, package: kept } = compareSouls(state, stateAfter(state, read));
  const others = [...fields.map(({ name }) => name), ...kept.map(({ path: name }) => name)];
  const changed = contentHash(read.content) === base ? others : ["its content", ...others];
  const isUpToDate =
    contentHash(read.content) === contentHash(state.content) && others.length === 0;
  if (changed.length === 0 || isUpToDate) return;
  const message = `The folder differs from the hub in what was not pulled: ${changed.join(", ")}. See \`soul-hub diff\`; \`soul-hub pull --force\` writes over it.`;
  throw new Failure("changed_here", message);
}

/** The content of the earlier pull, which the files of the hub replace. */
const contentPaths = (local: LocalSoul | null): string[] =>
  local?.read.files.filter(({ kept }) => kept === "content").map(({ path: name }) => name) ?? [];
