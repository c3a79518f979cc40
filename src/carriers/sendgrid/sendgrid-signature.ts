import { createPublicKey, createVerify } from "node:crypto";

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

type PostHeaders = { signature: string | undefined; timestamp: string | undefined };

/** What can be said before the body is there, which is what was signed; null: it may be SendGrid's. */
export function whyNotSendgrids({ signature, timestamp }: PostHeaders, now: Date): string | null {
  if (!signature || !timestamp) return "it is not signed";
  const age_s = now.getTime() / 1000 - Number(timestamp);
  if (Number.isNaN(age_s)) return "its timestamp is none";
  return Math.abs(age_s) <= LONGEST_AGE_s ? null : `it was signed ${Math.round(age_s)} s ago`;
}

/** Hashes a body as it comes in: 60 MB at once would hold up everybody for a quarter of a second. */
export type SignatureCheck = { update(chunk: Buffer): void; isRight(): boolean };

export function signatureCheck(public_key: string, { signature, timestamp }: PostHeaders): SignatureCheck {
  const signed = createVerify("sha256").update(timestamp ?? "");
  return {
    update: (chunk) => void signed.update(chunk),
    isRight() {
      try {
        const key = createPublicKey({ key: Buffer.from(public_key, "base64"), format: "der", type: "spki" });
        return signed.verify(key, Buffer.from(signature ?? "", "base64"));
      } catch {
        // A key or a signature that is none.
        return false;
      }
    },
  };
}
