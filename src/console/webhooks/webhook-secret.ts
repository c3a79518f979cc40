/** What happens to the secret that signs a webhook; a stored one is never read back. */
export type SecretChange = { kind: "keep" } | { kind: "none" } | { kind: "new"; hmac_secret: string };

/** As the API takes it: null keeps the stored secret, an omitted one removes it. */
export function authValues(change: SecretChange): { hmac_secret?: string | null } {
  if (change.kind === "none") return {};
  return { hmac_secret: change.kind === "keep" ? null : change.hmac_secret };
}
