import { appRouter } from "../router.ts";
import type { Actor, Answer } from "../testing/actor.ts";
import { proceduresOf } from "../trpc/procedures.ts";

/** Every procedure of the hub, with the meta that decides about access. */
export const everyProcedure = [...proceduresOf(appRouter)].map(([name, { type, meta }]) => ({
  name,
  type,
  need: meta?.need,
  access: meta?.access,
  whileSuspended: meta?.whileSuspended === true,
  writes: meta?.writes === true,
  rest: meta?.rest,
  isForFiles: meta?.takesFile !== undefined || meta?.sendsFile !== undefined,
}));

/** Calls a procedure with an empty body, over tRPC and REST. Files travel over REST alone. */
export async function callProcedure(
  key: Actor,
  { name, type, rest, isForFiles }: (typeof everyProcedure)[number],
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const overTrpc = `/trpc/${name}?input=%7B%7D`;
  if (isForFiles) {
    const { status } = await key.get(overTrpc);
    if (status !== 404 && status !== 405) throw new Error(`${name} carries files over tRPC.`);
  } else if (type === "mutation") answers.push(await key.post(`/trpc/${name}`, {}));
  else if (type === "query") answers.push(await key.get(overTrpc));
  else answers.push(await key.get(overTrpc, { accept: "text/event-stream" }));
  if (rest) {
    const [method = "", path = ""] = rest.split(" ");
    const hasBody = method === "POST" || method === "PUT";
    const headers = hasBody ? { "content-type": "application/json" } : {};
    const address = `/api${path.replace(/\{\w+\}/g, "999999")}`;
    answers.push(await key.send(method, address, hasBody ? "{}" : undefined, headers));
  }
  return answers;
}

/** The status and the failure of an answer of {@link callProcedure}, also of an event of SSE. */
export function refusalOf({ status, body, text }: Answer) {
  const failure = body?.error?.data ?? body ?? JSON.parse(/\{.*\}/.exec(text)?.[0] ?? "{}");
  return { status, ...failure } as { status: number; error?: string; scope?: string };
}
