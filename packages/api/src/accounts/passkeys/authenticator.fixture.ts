import { createHash, generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { isoCBOR } from "@simplewebauthn/server/helpers";
import type { Actor } from "../../testing/actor.ts";
import { PASSWORD } from "../../testing/test-hub.ts";

const base64url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString("base64url");
const sha256 = (bytes: Uint8Array | string) => createHash("sha256").update(bytes).digest();
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text, "base64url"));

// The flags of authenticator data: user present, user verified, key included.
const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_KEY = 0x40;

interface Answering {
  challenge: string;
  /** The origin that the browser names. By default that of the hub. */
  origin?: string;
  rpId?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string;
}

/** A software authenticator with one passkey, as a device would hold it. */
export function createAuthenticator(hubUrl: string) {
  const { origin: ownOrigin, hostname } = new URL(hubUrl);
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(16);
  let handle = "";

  const clientData = (type: string, { challenge, origin = ownOrigin }: Answering) =>
    JSON.stringify({ type, challenge, origin, crossOrigin: false });
  const authenticatorData = (
    { rpId = hostname, isVerified = true, counter = 0 }: Answering,
    key: Uint8Array = Buffer.alloc(0),
  ) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = PRESENT | (isVerified ? VERIFIED : 0) | (key.length > 0 ? HAS_KEY : 0);
    return new Uint8Array(Buffer.concat([sha256(rpId), Buffer.of(flags), count, key]));
  };
  const answer = <Response extends object>(response: Response) => ({
    id: base64url(id),
    rawId: base64url(id),
    type: "public-key" as const,
    response,
  });

  return {
    /** Makes the passkey. */
    create(options: { challenge: string; user: { id: string } }, more: Partial<Answering> = {}) {
      handle = options.user.id;
      const asked = { challenge: options.challenge, ...more };
      const cose = isoCBOR.encode(
        new Map<number, number | Uint8Array>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytesOf(x)],
          [-3, bytesOf(y)],
        ]),
      );
      const head = Buffer.concat([Buffer.alloc(16), Buffer.of(0, id.length), id]);
      const attestation = new Map<string, string | Uint8Array | Map<string, string>>([
        ["fmt", "none"],
        ["attStmt", new Map<string, string>()],
        ["authData", authenticatorData(asked, Buffer.concat([head, cose]))],
      ]);
      return answer({
        clientDataJSON: base64url(clientData("webauthn.create", asked)),
        attestationObject: base64url(isoCBOR.encode(attestation)),
      });
    },
    /** Signs a challenge with the passkey. */
    sign({ challenge }: { challenge: string }, more: Partial<Answering> = {}) {
      const asked = { challenge, ...more };
      const data = clientData("webauthn.get", asked);
      const signed = authenticatorData(asked);
      return answer({
        clientDataJSON: base64url(data),
        authenticatorData: base64url(signed),
        signature: base64url(sign("sha256", Buffer.concat([signed, sha256(data)]), privateKey)),
        userHandle: more.userHandle ?? (handle || undefined),
      });
    },
  };
}

export type Authenticator = ReturnType<typeof createAuthenticator>;

/** Asks the hub for options of a passkey. */
export async function optionsFor(actor: Actor, purpose: "add" | "sign-in") {
  const { body } = await actor.post("/api/passkeys/options", { purpose });
  if (!body.success) throw new Error(`No options: ${body.message}`);
  return body.options;
}

/** Adds the passkey of a device to an account. */
export async function addPasskeyTo(actor: Actor, device: Authenticator, more: object = {}) {
  const response = device.create(await optionsFor(actor, "add"));
  return actor.post("/api/passkeys", { response, name: "my phone", password: PASSWORD, ...more });
}
