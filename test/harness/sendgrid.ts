import { generateKeyPairSync, sign } from "node:crypto";
import type { TestApp } from "./app.ts";
import { type Form, multipart } from "./form.ts";
import type { createMailbox } from "./mail.ts";

const keys = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const public_key = keys.publicKey.export({ format: "der", type: "spki" }).toString("base64");

/** What a channel of an account at `base_url` is created with. */
export const sendgridCredentials = (base_url: string) => ({
  provider_credentials: {
    api_key: "SG.key",
    base_url,
    event_public_key: public_key,
    inbound_public_key: public_key,
  },
});

/** SendGrid as it posts to one channel. */
export function sendgridOf(app: TestApp, box: Awaited<ReturnType<typeof createMailbox>>) {
  const signed = (body: Buffer, at = app.clock.now()) => {
    const timestamp = String(Math.floor(at.getTime() / 1000));
    const text = Buffer.concat([Buffer.from(timestamp), body]);
    return {
      "x-twilio-email-event-webhook-signature": sign("sha256", text, keys.privateKey).toString("base64"),
      "x-twilio-email-event-webhook-timestamp": timestamp,
    };
  };
  return {
    signed,
    /** `headers`: others than those that sign it. */
    events(body: unknown, headers?: Record<string, string>) {
      const bytes = Buffer.from(JSON.stringify(body));
      return app.sendAs(null)("POST", `/carriers/sendgrid/${box.channel_id}/events`, bytes, {
        "content-type": "application/json",
        ...(headers ?? signed(bytes)),
      });
    },
    inbound(form: Form, headers?: Record<string, string>) {
      const { body, headers: type } = multipart(form);
      return app.sendAs(null)("POST", `/carriers/sendgrid/${box.channel_id}/inbound`, body, {
        ...type,
        ...(headers ?? signed(body)),
      });
    },
    raw: (from: string, more = "", text = "Hello") =>
      `From: ${from}\r\nTo: ${box.address}\r\n${more}\r\n${text}\r\n`,
    envelope: (from: string, to = box.address) => JSON.stringify({ to: [to], from }),
  };
}
