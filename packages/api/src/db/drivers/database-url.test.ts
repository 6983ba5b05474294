import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { restoreBackup } from "../../operator/restore-backup.ts";
import { connectDatabase } from "../../tables/connect.ts";

/** The first message of a client that wants TLS: its length, and a number of the protocol. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

it("a hub connects to PostgreSQL over TLS if its URL says so", async () => {
  const asked: Buffer[] = [];
  const server = createServer((socket) => {
    socket
      .on("error", () => undefined)
      .once("data", (message) => {
        asked.push(message);
        // This server has no TLS.
        socket.end("N");
      });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `postgres://hub:secret@127.0.0.1:${port}/hub?sslmode=verify-full`;
  await expect(connectDatabase({ url })).rejects.toThrow("does not support SSL");
  expect(asked).toEqual([TLS_REQUEST]);
  server.close();
});

it.each(["options=-c%20search_path%3Dother", "application_name=soul-hub", "statement_timeout=1"])(
  "a restore refuses a DATABASE_URL with %s",
  async (parameter) => {
    const restoring = restoreBackup({
      file: "hub.hub",
      dataDir: "",
      databaseUrl: `postgres://hub:secret@127.0.0.1:1/hub?${parameter}`,
      masterKeys: undefined,
      replace: false,
      loseSecrets: false,
    });
    await expect(restoring).rejects.toMatchObject({
      name: "EnvironmentError",
      message: expect.stringMatching(
        /^DATABASE_URL: may not have the parameter \w+, which the hub sets itself$/,
      ),
    });
  },
);
