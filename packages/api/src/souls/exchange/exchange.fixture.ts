import { crc32, deflateSync } from "node:zlib";
import type { Actor } from "../../testing/actor.ts";
import type { PeopledHub } from "../souls.fixture.ts";

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64");

/** A character card as a JSON file of a foreign program. */
export const cardText = (fields: object = {}): string =>
  JSON.stringify({
    spec: "chara_card_v3",
    spec_version: "3.0",
    data: {
      name: "Orla",
      description: "{{char}} keeps the light for {{user}}.",
      first_mes: "Come in, <USER>.",
      creator_notes: "A keeper.",
      alternate_greetings: ["Hm?"],
      extensions: { "app/x": 1 },
      ...fields,
    },
  });

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** A picture of one grey pixel with a card in its chunk `ccv3`, behind the pixels. */
export function cardPicture(text = cardText()): Buffer {
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(Buffer.from([0, 128]))),
    chunk("tEXt", Buffer.from("Software\0Painter", "latin1")),
    chunk("tEXt", Buffer.from(`ccv3\0${base64(text)}`, "latin1")),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Sends a file to POST /api/souls/import. */
export const importFile = (
  actor: Actor,
  file: string | Uint8Array,
  query: object = {},
  headers: Record<string, string> = {},
) =>
  actor.send(
    "POST",
    `/api/souls/import?${new URLSearchParams({ ...query })}`,
    typeof file === "string" ? file : new Uint8Array(file),
    { "content-type": "application/octet-stream", ...headers },
  );

/** Downloads a soul as bytes. */
export async function exportFile(hub: PeopledHub, actor: Actor, id: number, query: object = {}) {
  const response = await fetch(
    `${hub.url}/api/soul/${id}/export?${new URLSearchParams({ ...query })}`,
    {
      headers: actor.apiKey ? { authorization: `Bearer ${actor.apiKey}` } : {},
    },
  );
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** The number of stored packages, files and bytes. */
export const storedPackages = async ({ db }: Pick<PeopledHub, "db">) => {
  const counts: number[] = [];
  for (const table of ["soul_packages", "package_files", "package_blobs"] as const) {
    const { count } = await db
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    counts.push(Number(count));
  }
  return counts;
};
