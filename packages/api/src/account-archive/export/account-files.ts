import type { StreamedFile } from "@soul-hub/soul-formats";
import type { AccountContext } from "../../caller/caller.ts";
import type { ArchiveCounts } from "../archive-format.ts";
import { jsonFile, jsonLine } from "./json-bytes.ts";

/** The caller's account and providers, without any secret: no password, no key, no token. */
export async function* accountFiles({ db, caller }: AccountContext): AsyncGenerator<StreamedFile> {
  const account = await db
    .selectFrom("accounts")
    .select(["username", "email", "wallet", "wallet_verified", "created_at as joined_at"])
    .where("id", "=", caller.account.id)
    .executeTakeFirstOrThrow();
  yield { path: "account.json", pieces: [jsonFile(account)] };
  const providers = await db
    .selectFrom("provider_keys")
    .select(["provider", "text_model", "vision_model", "base_url", "active"])
    .where("account_id", "=", caller.account.id)
    .orderBy("provider")
    .execute();
  yield { path: "providers.json", pieces: [jsonFile({ providers })] };
}

/** The caller's likes and ratings, each a file of lines. */
export async function* markFiles(
  { db, caller }: AccountContext,
  counts: ArchiveCounts,
): AsyncGenerator<StreamedFile> {
  const likes = await db
    .selectFrom("likes")
    .select(["soul_id", "created_at"])
    .where("user_id", "=", caller.account.id)
    .orderBy("soul_id")
    .execute();
  counts.likes = likes.length;
  yield { path: "likes.ndjson", pieces: likes.map(jsonLine) };
  const ratings = await db
    .selectFrom("ratings")
    .select(["soul_id", "rating", "rated_at as created_at"])
    .where("user_id", "=", caller.account.id)
    .orderBy("soul_id")
    .execute();
  counts.ratings = ratings.length;
  yield { path: "ratings.ndjson", pieces: ratings.map(jsonLine) };
}
