import { base58, base64url, hex } from "@scure/base";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Actor, Answer } from "../../../testing/actor.ts";
import { ruleDatabase } from "../../../testing/test-database.ts";
import { isLaxlyValid, smallOrder } from "../../../wallet/small-order.fixture.ts";
import {
  bindBody,
  createWallet,
  loginBody,
  messageAt,
  sha256,
  toBase64,
  toHex,
  utf8,
} from "../../../wallet/wallet.fixture.ts";
import { type PeopledHub, startPeopledHub, upTo } from "../../souls.fixture.ts";
import {
  type SignedForm,
  type StatedVersion,
  signAs,
  signedForms,
  statementOf,
} from "./sign-version.fixture.ts";

const wallet = createWallet("ada.near");
/** The digest of a soul that `publish` makes, as version-digest.test.ts computes it. */
const DIGEST = "sha256:21a4ff28943e487b5a6841f46be0dc4dc76c05c686cf97b4dbc52710234817d4";

/** Signed versions (0036). The hub has no chain; for hubs with one see sign-version.chain.test.ts. */
describe("POST /api/version-signature", () => {
  const database = ruleDatabase();
  let hub: PeopledHub;
  let ada: Actor;
  let host: string;
  beforeAll(async () => {
    hub = await startPeopledHub(database);
    ada = hub.ada;
    host = new URL(hub.url).host;
    expect((await ada.post("/api/bind-wallet", bindBody(wallet))).status).toBe(200);
  });
  afterAll(() => hub.close());

  const outcome = ({ status, body }: Answer) => [status, body.error];
  const stated = (soul_id: number, changes: Partial<StatedVersion> = {}) =>
    statementOf({ host, soul_id, number: 1, digest: DIGEST, ...changes });
  /** The body of a request that signs a version: by default the first one, with the text itself. */
  const signed = (soul_id: number, form: SignedForm = "the text", text = stated(soul_id)) => {
    const { message: _, ...fields } = signAs(form, wallet, text, host);
    return { soul_id, number: 1, ...fields };
  };
  const sign = (body: object, actor = ada) => actor.post("/api/version-signature", body);
  const read = async (soul_id: number, number: number, reader = ada) =>
    (await reader.get(`/api/version?soul_id=${soul_id}&number=${number}`)).body.data;
  const refused = [401, "invalid_wallet_proof"];

  describe.each(signedForms)("with a signature of %s", (form) => {
    it("stores what was signed and what the hub saw, for all to read", async () => {
      const id = await hub.publish();
      const body = signed(id, form);
      const answer = await sign(body);
      const signature = {
        wallet: "ada.near",
        wallet_verified: false,
        public_key: wallet.publicKey,
        signature: expect.stringMatching(/^[A-Za-z\d+/]{86}==$/),
        nonce: null,
        recipient: null,
        callback_url: null,
        ...("nonce" in body && { nonce: body.nonce, recipient: host }),
        statement: stated(id),
        signed_at: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      };
      expect([answer.status, answer.body]).toEqual([200, { success: true, signature }]);
      expect((await read(id, 1, hub.guest())).signature).toEqual(answer.body.signature);
      expect((await hub.read(id)).signature).toEqual(answer.body.signature);
    });

    it("refuses every other statement", async () => {
      const id = await hub.publish();
      const text = stated(id);
      for (const other of [
        stated(id, { host: "evil.example" }),
        stated(id, { host: host.replace(/:\d+$/, "") }),
        stated(id, { soul_id: id + 1 }),
        stated(id, { number: 2 }),
        stated(id, { digest: DIGEST.replace("21a4", "21a5") }),
        `${text}\n`,
        text.replaceAll("\n", "\r\n"),
        text.replace("soulhub-version/1", "soulhub-version/2"),
        text.slice(text.indexOf("\n") + 1),
      ]) {
        expect([other, ...outcome(await sign(signed(id, form, other)))]).toEqual([
          other,
          ...refused,
        ]);
      }
      expect((await read(id, 1)).signature).toBe(null);
    });

    it("refuses a login, and the login stays usable", async () => {
      const id = await hub.publish();
      const login = signAs(form, wallet, messageAt(Date.now() + signedForms.indexOf(form)), host);
      const { message: _, ...fields } = login;
      expect(outcome(await sign({ soul_id: id, number: 1, ...fields }))).toEqual(refused);
      const answer = await hub.guest().post("/api/wallet-login", loginBody(wallet, login));
      expect(answer.status).toBe(200);
      expect(outcome(await sign({ soul_id: id, number: 1, ...fields }))).toEqual(refused);
    });

    it("gives a signature that is no login", async () => {
      const id = await hub.publish();
      const body = signed(id, form);
      expect((await sign(body)).status).toBe(200);
      const { soul_id: _, number: __, ...fields } = body;
      for (const message of [messageAt(Date.now()), stated(id), `service_auth:${stated(id)}`]) {
        for (const [path, login] of [
          ["/api/wallet-login", loginBody(wallet, { ...fields, message })],
          ["/api/bind-wallet", bindBody(createWallet("new.near"), { ...fields, message })],
        ] as const) {
          const { status, body: answer, headers } = await hub.bob.post(path, login);
          const expected = message.length === 26 ? refused : [400, "invalid_input"];
          expect([path, message, status, answer.error]).toEqual([path, message, ...expected]);
          expect(headers.getSetCookie()).toEqual([]);
        }
      }
    });

    it("needs no fresh signature", async () => {
      const id = await hub.publish();
      const body = signed(id, form);
      await hub.moveClock("400 days");
      const { status, body: answer } = await sign(body);
      await hub.moveClock("0");
      expect(status).toBe(200);
      expect((await sign(body)).body).toEqual(answer);
    });
  });

  describe("a second signature", () => {
    it("is 200 and changes nothing if it is the same, in any encoding", async () => {
      const id = await hub.publish();
      const body = signed(id);
      const first = await sign(body);
      await hub.moveClock("1 day");
      const bytes = wallet.sign(utf8(stated(id)));
      for (const text of [toHex(bytes), base64url.encode(bytes), base58.encode(bytes)]) {
        const again = await sign({ ...body, signature: text });
        expect([again.status, again.body]).toEqual([200, first.body]);
      }
      await hub.moveClock("0");
    });

    it("is 409 if it is another one, and 401 if it is invalid", async () => {
      const id = await hub.publish();
      const first = (await sign(signed(id))).body.signature;
      for (const form of ["its SHA-256", "NEP-413"] as const) {
        expect(outcome(await sign(signed(id, form)))).toEqual([409, "version_signed"]);
      }
      expect(outcome(await sign({ ...signed(id), signature: "00".repeat(64) }))).toEqual(refused);
      expect((await read(id, 1)).signature).toEqual(first);
    });

    it("loses against the first, also at the same moment", async () => {
      const id = await hub.publish();
      const bodies = [...upTo(5).map(() => signed(id, "NEP-413")), signed(id), signed(id)];
      const answers = await Promise.all(bodies.map((body) => sign(body)));
      const won = answers.filter(({ status }) => status === 200);
      const stored = (await read(id, 1)).signature;
      // The last two are the same signature.
      expect(won.length).toBe(stored.nonce === null ? 2 : 1);
      for (const { body } of won) expect(body.signature).toEqual(stored);
      expect(
        new Set(
          answers
            .filter((answer) => !won.includes(answer))
            .map(outcome)
            .map(String),
        ),
      ).toEqual(new Set(["409,version_signed"]));
    });
  });

  describe("a signed version", () => {
    it("keeps its signature when it becomes a snapshot; the next state has none", async () => {
      const id = await hub.publish();
      const { signature } = (await sign(signed(id))).body;
      await ada.put(`/api/soul/${id}`, { title: "Another" });
      expect((await read(id, 1)).signature).toEqual(signature);
      expect((await read(id, 2)).signature).toBe(null);
      expect((await hub.read(id)).signature).toBe(null);
    });

    it("can be signed as a snapshot", async () => {
      const id = await hub.publish();
      await ada.put(`/api/soul/${id}`, { title: "Another" });
      const { status, body } = await sign(signed(id));
      expect(status).toBe(200);
      expect((await read(id, 1)).signature).toEqual(body.signature);
      expect((await hub.read(id)).signature).toBe(null);
    });

    it("gives its signature neither to a restore nor to a fork", async () => {
      const id = await hub.publish();
      await sign(signed(id));
      await ada.put(`/api/soul/${id}`, { title: "Another" });
      const { body: versions } = await ada.get(`/api/versions?soul_id=${id}`);
      await ada.post("/api/versions", { soul_id: id, version_id: versions.data[0].id });
      const restored = await read(id, 3);
      expect([restored.digest, restored.signature]).toEqual([DIGEST, null]);
      const { body: fork } = await hub.bob.post("/api/fork", { soul_id: id });
      const copy = await hub.read(fork.new_soul_id, hub.bob);
      expect([copy.digest, copy.signature]).toEqual([DIGEST, null]);
    });

    it("is the one with the digest of its statement, also among concurrent updates", async () => {
      const id = await hub.publish();
      const edits = upTo(20).map((n) => ada.put(`/api/soul/${id}`, { title: `t${n}` }));
      const answers = await Promise.all([
        ...edits.slice(0, 10),
        sign(signed(id)),
        ...edits.slice(10),
      ]);
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      for (const number of upTo(21).map((n) => n + 1)) {
        const version = await read(id, number);
        expect([number, version.signature !== null]).toEqual([number, number === 1]);
        if (number === 1) expect(version.digest).toBe(DIGEST);
      }
    });
  });

  it("is for the owner, who has a wallet", async () => {
    const id = await hub.publish();
    const hidden = await hub.publish({ is_public: 0 });
    expect(outcome(await sign(signed(id), hub.bob))).toEqual([403, "not_owner"]);
    expect(outcome(await sign(signed(hidden), hub.bob))).toEqual([404, "soul_not_found"]);
    expect((await sign(signed(hidden))).status).toBe(200);
    const own = await hub.publish({}, hub.bob);
    expect(outcome(await sign(signed(own), hub.bob))).toEqual([403, "wallet_required"]);
    expect(outcome(await sign(signed(id), hub.guest()))).toEqual([401, "unauthenticated"]);
  });

  it("needs the key of the bound wallet, not a key that signs well", async () => {
    const id = await hub.publish();
    const { message: _, ...other } = signAs("NEP-413", createWallet("ada.near"), stated(id), host);
    expect(outcome(await sign({ soul_id: id, number: 1, ...other }))).toEqual(refused);
  });

  it("knows neither a future nor a hidden version", async () => {
    const id = await hub.publish();
    await ada.put(`/api/soul/${id}`, { title: "Another" });
    await ada.put("/api/version", { soul_id: id, number: 1, is_hidden: true });
    for (const number of [1, 3, 2 ** 31, 2 ** 53 - 1]) {
      // A signature that is not valid must not tell that a version exists.
      for (const changes of [{}, { signature: "00".repeat(64) }]) {
        const answer = await sign({ ...signed(id), number, ...changes });
        expect([number, ...outcome(answer)]).toEqual([number, 404, "version_not_found"]);
      }
    }
  });

  it("refuses NEP-413 for another recipient, and a bare signature with a nonce", async () => {
    const id = await hub.publish();
    const { message: _, ...elsewhere } = signAs("NEP-413", wallet, stated(id), "evil.example");
    const fields = { soul_id: id, number: 1, ...elsewhere };
    expect(outcome(await sign(fields))).toEqual(refused);
    expect(outcome(await sign({ ...fields, recipient: host }))).toEqual(refused);
    const nonce = toBase64(sha256("nonce"));
    expect(outcome(await sign({ ...signed(id), nonce, recipient: host }))).toEqual(refused);
  });

  it.each([
    { number: 0 },
    { soul_id: "1x" },
    { number: undefined },
    { signature: "00" },
    { public_key: "ed25519:1" },
    { nonce: "AAAA", recipient: "x" },
    { recipient: "hub.example.org" },
  ])("is 400 with %j", async (changes) => {
    const id = await hub.publish();
    const answer = await sign({ ...signed(id), ...changes });
    expect(outcome(answer)).toEqual([400, "invalid_input"]);
  });

  it.each(smallOrder)("refuses every forgery under the key %s", async (key) => {
    const id = await hub.publish();
    const public_key = `ed25519:${base58.encode(hex.decode(key))}`;
    const text = stated(id);
    for (const point of smallOrder) {
      const signature = point + "00".repeat(32);
      const lax = [utf8(text), sha256(text)].map((form) =>
        isLaxlyValid(hex.decode(signature), form, hex.decode(key)),
      );
      expect(lax).toEqual([true, true]);
      const forged = { soul_id: id, number: 1, public_key, signature };
      expect([point, ...outcome(await sign(forged))]).toEqual([point, ...refused]);
    }
    expect((await read(id, 1)).signature).toBe(null);
  });

  it("works over tRPC with a session", async () => {
    const id = await hub.publish();
    const browser = hub.guest();
    await browser.post("/api/wallet-login", loginBody(wallet));
    const { body } = await browser.post("/trpc/versions.sign", signed(id));
    expect(body.result.data.signature).toMatchObject({ statement: stated(id) });
  });
});
