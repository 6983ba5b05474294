import type { Database } from "../../db/connect.ts";
import { everyText } from "../../testing/every-text.ts";

/** Everything in the database that the vault has sealed, wherever it stands. */
export async function everySealedText(database: Database): Promise<string[]> {
  return (await everyText(database))
    .map(({ text }) => text)
    .filter((text) => /^v\d+\.[\w-]+\.[\w-]+\.[\w-]+$/.test(text));
}
