import { connect, createServer, type Socket } from "node:net";

/** Of what goes over the line, what is kept to itself. */
export type Kept = "nothing" | "answers" | "everything";

/** Stands before a database, and can keep what is said to itself, as a broken network does. */
export async function openDatabaseLine(target: string) {
  const { hostname, port } = new URL(target);
  const ends = new Set<Socket>();
  let kept: Kept = "nothing";
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on("data", (data) => void (kept === "everything" || far.write(data)));
    far.on("data", (data) => void (kept !== "nothing" || near.write(data)));
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end.on("error", () => undefined).on("close", () => other.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    for (const end of ends) end.destroy();
    ends.clear();
  };
  const url = new URL(target);
  const address = server.address();
  url.hostname = "127.0.0.1";
  url.port = typeof address === "object" ? String(address?.port) : "";
  return {
    url: url.href,
    keep: (what: Kept) => {
      kept = what;
    },
    /** Everybody who speaks over it is cut off; a statement that is running goes on. */
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
    },
  };
}
