import {
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { filesOf } from "@soul-hub/soul-formats";
import type { CallContext } from "../../context.ts";
import { readShelf } from "../../social/shelf.service.ts";
import { nftRequired } from "../../souls/soul-access.ts";
import type { Procedures } from "./mcp-call.ts";
import { invalidArgument } from "./protocol-errors.ts";
import { exportedText } from "./tools/soul-tools.ts";

const PAGE = 50;
const MARKDOWN = "text/markdown";
const ADDRESS = /^soul-hub:\/\/soul\/(\d{1,15})(?:\/versions\/(\d{1,15})|\/([^/]+))?$/;

export const resourceTemplates: ResourceTemplateType[] = [
  { name: "soul", title: "A soul", uriTemplate: "soul-hub://soul/{id}", mimeType: MARKDOWN },
  {
    name: "soul-file",
    title: "A file of a folder soul",
    uriTemplate: "soul-hub://soul/{id}/{file}",
    mimeType: MARKDOWN,
  },
  {
    name: "soul-version",
    title: "A former version of a soul",
    uriTemplate: "soul-hub://soul/{id}/versions/{version_id}",
    mimeType: MARKDOWN,
  },
];

/**
 * @param cursor the number of resources before the page
 * @throws ProtocolError `-32602` for a cursor that no page has returned
 */
export async function listResources(ctx: CallContext, cursor = "0") {
  const souls = await readShelf(ctx);
  if (!/^\d{1,6}$/.test(cursor)) throw invalidArgument("cursor", "is that of no page");
  const start = Number(cursor);
  const resources: Resource[] = souls
    .slice(start, start + PAGE)
    .map(({ id, title, description }) => ({
      uri: `soul-hub://soul/${id}`,
      name: `soul-${id}`,
      title,
      description,
      mimeType: MARKDOWN,
    }));
  const next = start + PAGE;
  return { resources, ...(next < souls.length && { nextCursor: String(next) }) };
}

/** @throws ResourceNotFoundError; HubError of a soul that the caller may not read */
export async function readResource(procedures: Procedures, uri: string) {
  const [, number, version, file] = ADDRESS.exec(uri) ?? [];
  if (number === undefined) throw new ResourceNotFoundError(uri);
  const id = Number(number);
  const text =
    file === undefined
      ? (await exportedText(procedures, { id, version_id: version ? Number(version) : undefined }))
          .text
      : await fileText(procedures, id, file);
  if (text === undefined) throw new ResourceNotFoundError(uri);
  return { contents: [{ uri, mimeType: MARKDOWN, text }] };
}

async function fileText(procedures: Procedures, id: number, file: string) {
  const { data } = await procedures.souls.read({ id });
  // A gate hides the content, so there is no folder to read.
  if (data.content_hidden) throw nftRequired(data);
  return new Map(Object.entries(filesOf(data))).get(decoded(file));
}

/** A name with a broken escape is that of no file. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return "";
  }
}
