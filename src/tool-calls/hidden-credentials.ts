export const HIDDEN = "(hidden)";

/** Names of headers and of members of an address whose values let somebody in. */
export const SECRET_NAME =
  /authori[sz]ation|cookie|token|secret|passw|credential|signature|api[-_]?key|^key$|-key$|^sig$/i;

/** Shorter ones would hide words and parts of numbers that a model needs. */
const SHORTEST_SECRET = 8;

/**
 * What lets somebody in, of the headers that a service's credentials become: the value without its scheme, and the password
 * of Basic. A header of another name (a tenant's number) is no secret, and the next call may need its value.
 */
export function secretsOf(proof: Record<string, string>, shortest = SHORTEST_SECRET): string[] {
  return Object.entries(proof)
    .filter(([name]) => SECRET_NAME.test(name))
    .flatMap(([, value]) => {
      const [, scheme = "", secret = value] = /^([\w-]+)\s+(.+)$/.exec(value) ?? [];
      return scheme.toLowerCase() === "basic" ? [secret, passwordOf(secret)] : [secret];
    })
    .filter((secret) => secret.length >= shortest);
}

const passwordOf = (basic: string): string =>
  Buffer.from(basic, "base64").toString("utf8").split(":").slice(1).join(":");

/** The value with these texts hidden wherever they stand in it: some services repeat the headers that they got. */
export function withoutSecrets<T>(value: T, secrets: readonly string[]): T {
  return holds(value, secrets) ? (cleaned(value, secrets) as T) : value;
}

/** Looked first, because a copy of an answer of 200,000 values takes 100 ms. */
function holds(value: unknown, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  if (typeof value === "string") return secrets.some((secret) => value.includes(secret));
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, secrets));
  return Object.entries(value).some(([name, item]) => holds(name, secrets) || holds(item, secrets));
}

function cleaned(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return secrets.reduce((text, one) => text.replaceAll(one, HIDDEN), value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, secrets));
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [cleaned(name, secrets), cleaned(item, secrets)]),
  );
}
