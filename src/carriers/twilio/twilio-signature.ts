import { validateRequest } from "twilio/lib/webhooks/webhooks.js";

/** The fields of a form as the carrier sent them; a field that came twice is a list. */
export type TwilioForm = Record<string, string | string[]>;

/**
 * Whether the carrier itself sent this: `X-Twilio-Signature` is an HMAC-SHA1 under the account's auth token over the
 * address it was told to call and the fields of the form. Behind a proxy the address is the public one, so callers build
 * it from `PUBLIC_URL` and never from Host, which a stranger may choose. The carrier's own library is the judge.
 * (https://www.twilio.com/docs/usage/security#validating-requests)
 */
export function isSignedByTwilio(
  auth_token: string | undefined,
  signature: string | string[] | undefined,
  url: string,
  form: TwilioForm = {},
): boolean {
  if (!auth_token || typeof signature !== "string" || signature === "") return false;
  return validateRequest(auth_token, signature, url, form);
}
