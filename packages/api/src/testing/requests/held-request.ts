import { request } from "node:http";
import type { Actor } from "../actor.ts";

interface HeldRequest {
  /** Sends the rest of the body. Resolves with the status of the response. */
  finish(): Promise<{ status: number }>;
}

/** Milliseconds within which the hub has read the headers of a request and looked up its key. */
const LOOKUP_MS = 300;

/** Sends a POST with its key and all but the last byte of its body. Resolves once the hub has read it. */
export async function heldRequest(
  { url }: { url: string },
  { apiKey }: Pick<Actor, "apiKey">,
  { path, body }: { path: string; body: object },
): Promise<HeldRequest> {
  const json = JSON.stringify(body);
  const call = request(`${url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "content-length": json.length,
    },
  });
  const answered = new Promise<{ status: number }>((resolve, reject) =>
    call
      .on("response", (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0 });
      })
      .on("error", reject),
  );
  call.write(json.slice(0, -1));
  await new Promise((resolve) => setTimeout(resolve, LOOKUP_MS));
  return {
    finish() {
      call.end(json.slice(-1));
      return answered;
    },
  };
}
