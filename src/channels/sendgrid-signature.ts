import { createPublicKey, verify } from "node:crypto";

/**
 * SendGrid signs what it posts: ECDSA over SHA-256 of the timestamp and the body as they are, the public key as Base64 of
 * its DER form (https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features).
 * Inbound mails are signed the same way where their security policy says so.
 */
export const SIGNATURE_HEADER = "x-twilio-email-event-webhook-signature";
export const TIMESTAMP_HEADER = "x-twilio-email-event-webhook-timestamp";

/**
 * SendGrid keeps trying for a day while we are away. Within that time a replayed post is taken, and changes nothing:
 * events and mails are known by their ids.
 */
const LONGEST_AGE_s = 25 * 3600;

export type SignedPost = { body: Buffer; signature: string | undefined; timestamp: string | undefined };

/** null where the post is SendGrid's and fresh, else why it is not taken. */
export function whyNotSendgrids(public_key: string, post: SignedPost, now: Date): string | null {
  const { body, signature, timestamp } = post;
  if (!signature || !timestamp) return "it is not signed";
  if (!isSigned(public_key, { body, signature, timestamp })) return "its signature is wrong";
  const age_s = now.getTime() / 1000 - Number(timestamp);
  return Math.abs(age_s) <= LONGEST_AGE_s ? null : `it was signed ${Math.round(age_s)} s ago`;
}

export function isSigned(
  public_key: string,
  { body, signature, timestamp }: { body: Buffer; signature: string; timestamp: string },
): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
    const text = Buffer.concat([Buffer.from(timestamp), body]);
    return verify("sha256", text, key, Buffer.from(signature, "base64"));
  } catch {
    // A key or a signature that is none.
    return false;
  }
}
