import { expect } from "vitest";
import { eventually } from "../../testing/eventually.ts";
import { startSmtpSink } from "../../testing/servers/smtp-sink.ts";
import type { TestHubOptions } from "../../testing/test-hub.ts";
import { startSignInHub } from "../credentials.fixture.ts";

/** Starts a hub that mails through a sink. */
export async function startMailHub(options: TestHubOptions = {}) {
  const sink = await startSmtpSink();
  const hub = await startSignInHub({ ...options, smtpUrl: sink.url });
  const bySubject = (address: string, subject: string) =>
    sink.to(address).filter(({ headers }) => headers.includes(`Subject: ${subject}`));
  return {
    ...hub,
    sink,
    /** Awaits the mail with this subject, by default the first one, and returns it. */
    async mailTo(address: string, subject: string, nth = 1) {
      await eventually(() =>
        expect(bySubject(address, subject).length).toBeGreaterThanOrEqual(nth),
      );
      const mail = bySubject(address, subject)[nth - 1];
      if (!mail) throw new Error("no mail");
      return { ...mail, token: mail.links[0]?.split("#")[1] ?? "" };
    },
    bySubject,
    async close() {
      await hub.close();
      await sink[Symbol.asyncDispose]();
    },
  };
}

export type MailHub = Awaited<ReturnType<typeof startMailHub>>;
