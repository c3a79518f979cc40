/**
 * What somebody outside answered, fit to be logged and stored: some quote what they were signed in with. Short secrets
 * are left, as they would take ordinary words out.
 */
export function hideSecrets(text: string, secrets: readonly (string | null | undefined)[]): string {
  let hidden = text;
  for (const secret of secrets) {
    if (!secret || secret.length < SHORTEST) continue;
    for (const form of [secret, Buffer.from(secret).toString("base64"), encodeURIComponent(secret)]) {
      hidden = hidden.replaceAll(form, "[hidden]");
    }
  }
  return hidden;
}

const SHORTEST = 6;
