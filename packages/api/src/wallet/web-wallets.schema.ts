import { z } from "zod";
import { field } from "../fields.schema.ts";

declare module "../context.ts" {
  interface HubConfig {
    /** The web wallets that the page offers (0069). */
    wallets: readonly WebWallet[];
  }
}

/** A wallet on a website that signs messages for other websites (0069). */
export const webWallet = z.object({
  name: field(z.string(), "MyNearWallet"),
  url: field(
    z.string(),
    "https://app.mynearwallet.com/sign-message",
    "Its page for signing. A client adds the fields of NEP-413 as the query.",
  ),
});
type WebWallet = z.infer<typeof webWallet>;
