/** The load generator, in a process of its own. */
import { answerCalls } from "../processes/answer-calls.ts";
import { quantile } from "../runner/quantile.ts";
import { encode, openConnection, type Question } from "./http-connection.ts";

interface Load {
  port: number;
  connections: number;
  seconds: number;
  questions: Question[];
}

/**
 * The generator sends every 611,953rd request of its list, in a cycle. The number is prime, so
 * every request gets its turn, and consecutive ones lie far apart.
 */
const STEP = 611_953;

/** @throws Error if a request fails, or if none is answered */
async function generate({ port, connections: count, seconds, questions }: Load) {
  const requests = questions.map(encode);
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(port)));
  const latencies: number[] = [];
  let [failures, sent] = [0, 0];
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection) => {
      for (let now = performance.now(); now < end && failures === 0; ) {
        const at = (sent++ * STEP) % requests.length;
        const request = requests[at];
        if (!request || !(await connection.ask(request, questions[at]?.answerBytes))) failures++;
        const answered = performance.now();
        latencies.push(answered - now);
        now = answered;
      }
    }),
  );
  const elapsedMs = performance.now() - start;
  for (const connection of connections) connection.close();
  if (failures > 0) throw new Error(`${failures} requests failed`);
  if (latencies.length === 0) throw new Error("no request was answered");
  return {
    "requests/s": (latencies.length * 1_000) / elapsedMs,
    "p50 ms": quantile(latencies, 0.5),
    "p99 ms": quantile(latencies, 0.99),
  };
}

export const loadGenerator = { generate };
answerCalls(loadGenerator);
