import { equalInConstantTime, sha256, type Vault } from "../base/crypto.ts";

/*
 * Addresses that say by themselves what they are about, signed: an answer to reply-<session>-<signature>@our-domain belongs
 * to that session, and a link ends with what it unsubscribes. Mail servers may write a local part in capitals, so it is
 * hexadecimal; 96 bits are what somebody would have to guess.
 */
const SIGNATURE_LENGTH = 24;

const isSigned = (vault: Vault, purpose: string, text: string, signature: string): boolean =>
  vault
    .signatures(purpose, text)
    .some((one) => equalInConstantTime(sha256(one).slice(0, SIGNATURE_LENGTH), signature));

const signed = (vault: Vault, purpose: string, text: string): string =>
  sha256(vault.sign(purpose, text)).slice(0, SIGNATURE_LENGTH);

export const replyAddress = (vault: Vault, session_id: number, domain: string): string =>
  `reply-${session_id}-${signed(vault, "mail-reply", String(session_id))}@${domain}`;

/** The session that an address belongs to; null for any other address, and for a forged one. */
export function sessionOfAddress(vault: Vault, address: string): number | null {
  const [, id = "", signature = ""] = /^reply-(\d{1,15})-([0-9a-f]+)@/.exec(address.toLowerCase()) ?? [];
  return id !== "" && isSigned(vault, "mail-reply", id, signature) ? Number(id) : null;
}

/** Whom a link takes off which list. It works as long as the mail lies around. */
export type UnsubscribeClaim = { sub_organization_id: number; address: string; key: string };

export function unsubscribeToken(vault: Vault, claim: UnsubscribeClaim): string {
  const text = Buffer.from(JSON.stringify([claim.sub_organization_id, claim.address, claim.key])).toString(
    "base64url",
  );
  return `${text}.${signed(vault, "mail-unsubscribe", text)}`;
}

export function readUnsubscribeToken(vault: Vault, token: string): UnsubscribeClaim | null {
  const [text = "", signature = ""] = token.split(".");
  if (!isSigned(vault, "mail-unsubscribe", text, signature)) return null;
  const [sub_organization_id, address, key] = JSON.parse(Buffer.from(text, "base64url").toString());
  return { sub_organization_id, address, key };
}
