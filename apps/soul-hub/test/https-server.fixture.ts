import type { RequestListener } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";

/** A key of 127.0.0.1 that only tests trust. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgYkVQr4XaktR+Knoi
h0Cc9XNN8PTlOY8NpQDjGJGfuVqhRANCAAQkZoNzUHDr7F5ZLXQ33bTCN9uvUWyU
5L4W4/mtJ49YNFrkNqhjgBFm6KpsRMym9CcL9SmcnL8aelTiAY1tJUNC
-----END PRIVATE KEY-----`;

/** Its certificate, which signs itself. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBjjCCATSgAwIBAgIURgOO2XdlsMK1ESqtHayrabM6gpYwCgYIKoZIzj0EAwIw
EzERMA8GA1UEAwwIdGVzdCBodWIwIBcNMjYxMTI2MTg1ODM2WhgPMjEyNjExMDIx
ODU4MzZaMBMxETAPBgNVBAMMCHRlc3QgaHViMFkwEwYHKoZIzj0CAQYIKoZIzj0D
AQcDQgAEJGaDc1Bw6+xeWS10N920wjfbr1FslOS+FuP5rSePWDRa5DaoY4ARZuiq
bETMpvQnC/UpnJy/GnpU4gGNbSVDQqNkMGIwHQYDVR0OBBYEFBG56zVP57DnzQvp
tXNM7E9eXsQUMB8GA1UdIwQYMBaAFBG56zVP57DnzQvptXNM7E9eXsQUMA8GA1Ud
EwEB/wQFMAMBAf8wDwYDVR0RBAgwBocEfwAAATAKBggqhkjOPQQDAgNIADBFAiA0
YgOhdg8dugwlXzXV89S4U3z9URx6pFPBiHiyOtRpRQIhAINQpoRYPmjbEhVb79rH
e2acXDpWQr8UYKcSqOUb7Pvz
-----END CERTIFICATE-----`;

/** Starts a server that speaks https. */
export async function startHttpsServer(respond: RequestListener) {
  const server = createServer({ key, cert: certificate }, respond);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
