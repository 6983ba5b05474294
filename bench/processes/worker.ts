import type { Stage } from "../runner/stage.ts";
import type { Answer, Call } from "./answer-calls.ts";
import { type ProcessOptions, type StartedProcess, startProcess } from "./start-process.ts";

/** The functions of another process. */
export type Remote<Functions> = {
  [Name in keyof Functions]: Functions[Name] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : never;
};

/** A process that serves its functions with `answerCalls`: a load generator, clients or a server. */
export interface Worker<Functions> extends StartedProcess {
  remote: Remote<Functions>;
}

/** Starts a worker. Its pending calls fail when the process exits. */
export function startWorker<Functions>(
  stage: Stage,
  script: URL,
  options?: ProcessOptions,
): Worker<Functions> {
  const started = startProcess(stage, script, options);
  const pending = new Map<number, PromiseWithResolvers<unknown>>();
  let count = 0;
  started.process.on("message", ({ id, answer, error }: Answer) => {
    const call = pending.get(id);
    pending.delete(id);
    if (error === undefined) call?.resolve(answer);
    else call?.reject(new Error(error));
  });
  const call =
    (name: string) =>
    (...args: unknown[]) => {
      const answered = Promise.withResolvers<unknown>();
      const id = count++;
      pending.set(id, answered);
      started.process.send({ id, name, args } satisfies Call);
      const result = Promise.race([answered.promise, started.ended]);
      // A call may fail while its caller awaits something else.
      result.catch(() => undefined);
      return result;
    };
  const remote = new Proxy({}, { get: (_, name) => call(String(name)) }) as Remote<Functions>;
  return { ...started, remote };
}
