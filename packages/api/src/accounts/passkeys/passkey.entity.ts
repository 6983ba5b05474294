import { defineEntity, p } from "@mikro-orm/core";
import { Account } from "../../caller/account.entity.ts";

/** A passkey of an account (0060). It holds nothing secret: the private key is on the device. */
export const Passkey = defineEntity({
  name: "passkeys",
  properties: {
    id: p.bigint("number").primary(),
    account: () => p.manyToOne(Account).index().deleteRule("cascade"),
    name: p.text(),
    /** The id of the credential on the device, in base64url. */
    credential_id: p.text().unique(),
    /** The public key in COSE, in base64url. */
    public_key: p.text(),
    /** The device's count of signatures; 0 on devices that do not count. */
    counter: p.bigint("number"),
    /** The host for which the device made the passkey. It works for no other host. */
    rp_id: p.text(),
    created_at: p.string().columnType("timestamptz").defaultRaw("hub_now()"),
    last_used_at: p.string().columnType("timestamptz").nullable(),
  },
});

/** A challenge that a device has not signed yet (0060). Its use deletes the row. */
export const PasskeyChallenge = defineEntity({
  name: "passkey_challenges",
  properties: {
    /** 32 random bytes in base64url. */
    challenge: p.text().primary(),
    /** The account that adds a passkey; null for a sign-in and for proofs. */
    account: () => p.manyToOne(Account).nullable().index().deleteRule("cascade"),
    expires_at: p.string().columnType("timestamptz").index(),
  },
});
