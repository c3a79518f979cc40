import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";

/** A key that signed for one purpose, derived from an earlier secret key. */
export type SigningKey = { purpose: string; key_id: string; key: Buffer };

/** Signed for good, or for as long as a mail lies around. All else is signed for hours. */
export const LASTING_PURPOSES = [
  "audit-link",
  "audit-deleted",
  "mail-reply",
  "mail-unsubscribe",
  "erasure",
] as const;

/**
 * Seals secrets at rest and signs short-lived tokens, each under its own key derived from `SECRET_KEY`. What earlier keys
 * sealed and signed is still opened and accepted.
 */
export type Vault = {
  /** Names the key that seals; the end of each text that it sealed. */
  readonly key_id: string;
  /** AES-256-GCM; the text is `v1.<nonce>.<tag>.<ciphertext>.<key>`, the first three in base64url. */
  seal(plain: string): string;
  /** Throws when the text was sealed under another key or was changed. */
  open(sealed: string): string;
  /** HMAC-SHA256 in base64url; `purpose` keeps signatures of one kind from passing as another. */
  sign(purpose: string, text: string): string;
  /** The same by each key whose signatures are accepted, the present one first. */
  signatures(purpose: string, text: string): string[];
  verify(purpose: string, text: string, signature: string): boolean;
  /** Of the earlier keys that were given. */
  earlierSigningKeys(purposes: readonly string[]): SigningKey[];
  acceptSignatures(key: SigningKey): void;
};

const derived = (secret: string, purpose: string) =>
  Buffer.from(hkdfSync("sha256", secret, "parley", purpose, 32));

type SecretKeys = { id: string; sealing: Buffer; signing(purpose: string): Buffer };

const keysOf = (secret: string): SecretKeys => ({
  id: derived(secret, "key-id").toString("hex").slice(0, 12),
  sealing: derived(secret, "seal"),
  signing: (purpose) => derived(secret, `sign:${purpose}`),
});

/** `earlier`: secret keys that are only read with. */
export function createVault(secretKey: string, earlier: readonly string[] = []): Vault {
  const present = keysOf(secretKey);
  const older = earlier
    .filter((secret) => secret !== secretKey)
    .map(keysOf)
    .filter(({ id }, at, all) => all.findIndex((one) => one.id === id) === at);
  const accepted: SigningKey[] = [];

  const mac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest("base64url");
  const sign = (purpose: string, text: string) => mac(present.signing(purpose), text);
  const signatures = (purpose: string, text: string) => [
    sign(purpose, text),
    ...older.map(({ signing }) => mac(signing(purpose), text)),
    ...accepted.flatMap((one) => (one.purpose === purpose ? [mac(one.key, text)] : [])),
  ];

  return {
    key_id: present.id,
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", present.sealing, nonce);
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      const parts = [nonce, cipher.getAuthTag(), body].map((part) => part.toString("base64url"));
      return ["v1", ...parts, present.id].join(".");
    },
    open(sealed) {
      const [version, nonce, tag, body, id] = sealed.split(".");
      if (version !== "v1" || !nonce || !tag || body === undefined) throw new Error("not a sealed text");
      // Earlier versions named no key.
      const named = [present, ...older].filter((keys) => id === undefined || keys.id === id);
      for (const [at, { sealing }] of named.entries()) {
        const decipher = createDecipheriv("aes-256-gcm", sealing, Buffer.from(nonce, "base64url"));
        decipher.setAuthTag(Buffer.from(tag, "base64url"));
        try {
          return decipher.update(Buffer.from(body, "base64url"), undefined, "utf8") + decipher.final("utf8");
        } catch (error) {
          if (at === named.length - 1) throw error;
        }
      }
      throw new Error("sealed under a secret key that is not known here");
    },
    sign,
    signatures,
    verify: (purpose, text, signature) =>
      signatures(purpose, text).some((one) => equalInConstantTime(one, signature)),
    earlierSigningKeys: (purposes) =>
      older.flatMap(({ id, signing }) =>
        purposes.map((purpose) => ({ purpose, key_id: id, key: signing(purpose) })),
      ),
    acceptSignatures(key) {
      const isKnown = [...older.map(({ id }) => id), present.id].includes(key.key_id);
      if (!isKnown && !accepted.some((one) => one.key_id === key.key_id && one.purpose === key.purpose))
        accepted.push(key);
    },
  };
}

export const sha256 = (text: string): string => hash("sha256", text);

export function equalInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

const argon2id = promisify(argon2);
/** OWASP's recommendation for argon2id: 19 MiB, 2 passes, 1 lane (about 30 ms). */
const PASSWORD_COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 };

/** `argon2id$<nonce>$<tag>`, both base64url. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await argon2id("argon2id", { message: password, nonce, ...PASSWORD_COST });
  return `argon2id$${nonce.toString("base64url")}$${tag.toString("base64url")}`;
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [scheme, nonce, tag] = hash.split("$");
  if (scheme !== "argon2id" || !nonce || !tag) return false;
  const found = await argon2id("argon2id", {
    message: password,
    nonce: Buffer.from(nonce, "base64url"),
    ...PASSWORD_COST,
  });
  return equalInConstantTime(found.toString("base64url"), tag);
}
