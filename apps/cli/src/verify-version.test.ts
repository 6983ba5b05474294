import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  bindBody,
  createTorsionSigner,
  createWallet,
  ED25519_ORDER,
  encodeKey,
  isLaxlyValid,
  type SignedForm,
  signAs,
  signedForms,
  smallOrder,
  startTestHub,
  statementOf,
} from "@soul-hub/api/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runTool } from "./hub-process.fixture.ts";

const example = path.resolve(import.meta.dirname, "../../../examples/verify-version.mjs");

type Run = (...args: string[]) => Promise<{ code: number; stdout: string; stderr: string }>;

const runExample: Run = (...args) =>
  new Promise((resolve) => {
    execFile(process.execPath, [example, ...args], { env: {} }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
/**
 * Each tool and its message for a key of small order. The example must refuse the key itself: only
 * some releases of Node do so.
 */
const tools: [name: string, run: Run, keyRefusal: string][] = [
  [
    "pnpm hub verify-version",
    (...args) => runTool({}, "verify-version", ...args),
    "The signature is not valid.\n",
  ],
  ["examples/verify-version.mjs", runExample, "The public key is not a valid one.\n"],
];

interface Signature {
  public_key: string;
  signature: string;
  nonce: string | null;
  recipient: string | null;
  callback_url: string | null;
  statement: string;
  wallet: string;
}
/** The fields of `data` of GET /api/version that the cases change. */
interface Version {
  soul_id: number;
  number: number;
  title: string;
  description: string;
  digest: string | null;
  content: string;
  signature: Signature | null;
}
type SignedVersion = Version & { signature: Signature };

const files = { "SOUL.md": "You keep a lighthouse.\n", "STYLE.md": "Short — und freundlich." };
const wallet = createWallet("ada.near");

/** Decision 0036. The hub that signed has ended before a tool runs: both verify offline. */
describe.each(tools)("%s", (_, run, keyRefusal) => {
  let place: string;
  let host: string;
  const versions = {} as Record<SignedForm | "one Markdown", SignedVersion>;

  beforeAll(async () => {
    place = await mkdtemp(path.join(tmpdir(), "soul-hub-version-"));
    await using hub = await startTestHub();
    const ada = await hub.member("ada");
    await ada.post("/api/bind-wallet", bindBody(wallet));
    ({ host } = new URL(hub.url));
    const read = async (soul_id: number) =>
      (await ada.get(`/api/version?soul_id=${soul_id}&number=1`)).body.data;
    const sign = async (form: SignedForm, content: string) => {
      const soul = { title: "Keeper “of the Light”", description: "Far\nout", content };
      const { body } = await ada.post("/api/souls", soul);
      const { digest } = await read(body.id);
      const text = statementOf({ host, soul_id: body.id, number: 1, digest });
      const { message: __, ...fields } = signAs(form, wallet, text, host);
      const signed = { soul_id: body.id, number: 1, ...fields };
      expect((await ada.post("/api/version-signature", signed)).status).toBe(200);
      return read(body.id);
    };
    for (const form of signedForms) versions[form] = await sign(form, JSON.stringify(files));
    versions["one Markdown"] = await sign("the text", files["SOUL.md"]);
  });
  afterAll(() => rm(place, { recursive: true, force: true }));

  let count = 0;
  const inFolder = async (texts: Readonly<Record<string, string | Uint8Array>>) => {
    const folder = path.join(place, `folder-${++count}`);
    await mkdir(folder);
    for (const [name, text] of Object.entries(texts))
      await writeFile(path.join(folder, name), text);
    return folder;
  };
  const inFile = async (text: string) => {
    const file = path.join(place, `version-${++count}.json`);
    await writeFile(file, text);
    return file;
  };
  const verified = async (
    version: unknown,
    texts: Readonly<Record<string, string | Uint8Array>> = files,
  ) => run(await inFolder(texts), "--signature", await inFile(JSON.stringify(version)));
  const refusal = { code: 1, stdout: "", stderr: expect.stringMatching(/\w/) };

  it.each(signedForms)("verifies a version that was signed as %s", async (form) => {
    const version = versions[form];
    const { code, stdout, stderr } = await verified(version);
    expect([code, stderr]).toEqual([0, ""]);
    const named = `version 1 of soul ${version.soul_id} of ${host}, and the key ${wallet.publicKey}`;
    expect(stdout).toContain(named);
    expect(stdout).toContain(version.digest);
  });

  if (run !== runExample) {
    it("prints JSON with --json", async () => {
      const version = versions["NEP-413"];
      const file = await inFile(JSON.stringify(version));
      const { stdout } = await run(await inFolder(files), "--signature", file, "--json");
      expect(JSON.parse(stdout)).toMatchObject({
        soul_id: version.soul_id,
        number: 1,
        hub: host,
        digest: version.digest,
        public_key: wallet.publicKey,
        recorded: { wallet: "ada.near", wallet_verified: false },
      });
    });
  }

  it("says what this does not prove", async () => {
    const { stdout } = await verified(versions["the text"]);
    expect(stdout).toContain("Not proven: whose key this is, and when it signed.");
    expect(stdout).toMatch(/a key\nof the wallet ada\.near, not confirmed by NEAR\./);
  });

  it("takes one Markdown as SOUL.md", async () => {
    const version = versions["one Markdown"];
    expect(await verified(version, { "SOUL.md": version.content })).toMatchObject({ code: 0 });
    expect(await verified(version, { "README.md": version.content })).toEqual(refusal);
  });

  it.each<[string, Readonly<Record<string, string | Uint8Array>>]>([
    ["one byte more", { ...files, "SOUL.md": `${files["SOUL.md"]} ` }],
    ["another case", { ...files, "SOUL.md": files["SOUL.md"].replace("Y", "y") }],
    ["another line break", { ...files, "SOUL.md": files["SOUL.md"].replace("\n", "\r\n") }],
    ["a byte that is no UTF-8", { ...files, "STYLE.md": Buffer.of(0xff) }],
    ["a file more", { ...files, "RULES.md": "" }],
    ["a file less", { "SOUL.md": files["SOUL.md"] }],
    ["another name", { "SOUL.md": files["SOUL.md"], "style.md": files["STYLE.md"] }],
    ["exchanged texts", { "SOUL.md": files["STYLE.md"], "STYLE.md": files["SOUL.md"] }],
    ["a name with control characters", { ...files, "\u001b[2K\u009b.md": "" }],
    ["no file", {}],
  ])("refuses a folder with %s", async (_case, texts) => {
    const result = await verified(versions["NEP-413"], texts);
    expect(result).toEqual(refusal);
    expect(result.stderr.trim()).not.toMatch(/\p{Cc}/u);
  });

  it("refuses a folder in the folder", async () => {
    const folder = await inFolder(files);
    await mkdir(path.join(folder, "more"));
    const file = await inFile(JSON.stringify(versions["the text"]));
    expect(await run(folder, "--signature", file)).toEqual(refusal);
  });

  type Change = (version: SignedVersion) => object;
  const inStatement =
    (from: string | RegExp, to: string): Change =>
    ({ signature }) => ({
      signature: { ...signature, statement: signature.statement.replace(from, to) },
    });
  const inSignature =
    (change: (signature: Signature) => Partial<Signature>): Change =>
    ({ signature }) => ({ signature: { ...signature, ...change(signature) } });

  it.each<[string, Change]>([
    ["title", ({ title }) => ({ title: title.replace("K", "k") })],
    ["description", ({ description }) => ({ description: `${description} ` })],
    [
      "digest",
      ({ digest }) => ({ digest: digest?.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }),
    ],
    ["number", () => ({ number: 2 })],
    ["soul_id", ({ soul_id }) => ({ soul_id: soul_id + 1 })],
    ["signature, which is null", () => ({ signature: null })],
    ["host", inStatement(/hub: \d/, "hub: 9")],
    ["number in the statement", inStatement("version 1", "version 2")],
    ["format in the statement", inStatement("version/1", "version/2")],
    ["end of the statement", inStatement(/$/, "\n")],
    ["wallet's key", inSignature(() => ({ public_key: createWallet("").publicKey }))],
    [
      "public key, which is no point",
      inSignature(() => ({ public_key: encodeKey(new Uint8Array(32).fill(2)) })),
    ],
    [
      "public key, which is too short",
      inSignature(() => ({ public_key: encodeKey(new Uint8Array(31).fill(1)) })),
    ],
  ])("refuses a changed %s", async (_case, change) => {
    for (const form of ["the text", "NEP-413"] as const) {
      const version = versions[form];
      expect(await verified({ ...version, ...change(version) })).toEqual(refusal);
    }
  });

  it("refuses number and host that are changed in every place", async () => {
    for (const form of ["the text", "NEP-413"] as const) {
      const { signature, ...version } = versions[form];
      const { statement } = signature;
      const other = statement.replace("version 1", "version 2");
      expect(
        await verified({ ...version, number: 2, signature: { ...signature, statement: other } }),
      ).toEqual(refusal);
      const elsewhere = {
        ...signature,
        statement: statement.replace(host, "evil.example"),
        recipient: signature.recipient && "evil.example",
      };
      expect(await verified({ ...version, signature: elsewhere })).toEqual(refusal);
    }
  });

  it.each<[string, Partial<Signature>]>([
    ["nonce", { nonce: Buffer.alloc(32).toString("base64") }],
    ["nonce, which is missing", { nonce: null }],
    ["recipient", { recipient: "evil.example" }],
    ["recipient, which is missing", { recipient: null }],
    ["callback URL", { callback_url: "https://evil.example/" }],
  ])("refuses a changed %s of NEP-413", async (_case, changes) => {
    const version = versions["NEP-413"];
    const signature = { ...version.signature, ...changes };
    expect(await verified({ ...version, signature })).toEqual(refusal);
  });

  it("refuses a statement that the key signed for another recipient", async () => {
    const version = versions["NEP-413"];
    const { statement } = version.signature;
    const { message: __, ...elsewhere } = signAs("NEP-413", wallet, statement, "evil.example");
    const signature = { ...version.signature, ...elsewhere };
    expect(await verified({ ...version, signature })).toEqual(refusal);
  });

  const bytesOf = ({ signature }: Signature) => Buffer.from(signature, "base64");
  const withBytes = (
    version: SignedVersion,
    bytes: Uint8Array,
    public_key = version.signature.public_key,
  ) => ({
    ...version,
    signature: {
      ...version.signature,
      public_key,
      signature: Buffer.from(bytes).toString("base64"),
    },
  });

  it("refuses every changed byte of the signature", async () => {
    const version = versions["the text"];
    const results = await Promise.all(
      [0, 15, 31, 32, 47, 63].map((at) => {
        const bytes = bytesOf(version.signature);
        bytes[at] = (bytes[at] ?? 0) ^ 1;
        return verified(withBytes(version, bytes));
      }),
    );
    expect(results).toEqual(results.map(() => refusal));
  });

  it("refuses the malleable signature S + L", async () => {
    const version = versions["the text"];
    const bytes = bytesOf(version.signature);
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`);
    const other = Buffer.from((s + ED25519_ORDER).toString(16).padStart(64, "0"), "hex").reverse();
    const malleable = Buffer.concat([bytes.subarray(0, 32), other]);
    expect(await verified(withBytes(version, malleable))).toEqual(refusal);
  });

  it("refuses a signature that only verification with the cofactor accepts", async () => {
    const version = versions["the text"];
    const { publicKey, sign } = createTorsionSigner();
    const bytes = sign(Buffer.from(version.signature.statement));
    expect(await verified(withBytes(version, bytes, encodeKey(publicKey)))).toEqual(refusal);
  });

  it.each(smallOrder)("refuses forgeries under the key %s", async (hex) => {
    const version = versions["the text"];
    const text = Buffer.from(version.signature.statement);
    const results = await Promise.all(
      [smallOrder[0], hex].map((point) => {
        const forged = Buffer.from(point + "00".repeat(32), "hex");
        // A forgery that any verification refuses would prove nothing.
        expect(isLaxlyValid(forged, text, Buffer.from(hex, "hex"))).toBe(true);
        return verified(withBytes(version, forged, encodeKey(Buffer.from(hex, "hex"))));
      }),
    );
    expect(results).toEqual(results.map(() => ({ ...refusal, stderr: keyRefusal })));
  });

  it("is exit code 2 for wrong arguments and unreadable files", async () => {
    const version = versions["the text"];
    const [folder, file] = [await inFolder(files), await inFile(JSON.stringify(version))];
    const hostile = { ...version.signature, wallet: "ada.near\u001b[2K" };
    for (const args of [
      [folder],
      ["--signature", file],
      [folder, "--signature"],
      [folder, "--signature", file, "more"],
      [folder, "--signature", file, "--unknown"],
      [folder, "--signature", path.join(place, "none.json")],
      [path.join(place, "none"), "--signature", file],
      [folder, "--signature", await inFile("{")],
      [folder, "--signature", await inFile("\u001b[2K")],
      [folder, "--signature", await inFile("null")],
      [folder, "--signature", await inFile(JSON.stringify({ success: true, data: version }))],
      [folder, "--signature", await inFile(JSON.stringify({ ...version, number: "1" }))],
      [folder, "--signature", await inFile(JSON.stringify({ ...version, signature: undefined }))],
      [folder, "--signature", await inFile(JSON.stringify({ ...version, signature: hostile }))],
    ]) {
      const { code, stdout, stderr } = await run(...args);
      expect([args, code, stdout]).toEqual([args, 2, ""]);
      expect(stderr).not.toContain("\u001b");
    }
  });
});
