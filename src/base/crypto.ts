import {
  argon2,
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from "node:crypto";
import { promisify } from "node:util";

/** Seals secrets at rest and signs short-lived tokens, each under its own key derived from `SECRET_KEY`. */
export type Vault = {
  /** AES-256-GCM; the text is `v1.<nonce>.<tag>.<ciphertext>` in base64url. */
  seal(plain: string): string;
  /** Throws when the text was sealed under another key or was changed. */
  open(sealed: string): string;
  /** HMAC-SHA256 in base64url; `purpose` keeps signatures of one kind from passing as another. */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
};

export function createVault(secretKey: string): Vault {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secretKey, "parley", purpose, 32));
  const sealingKey = derive("seal");

  const sign = (purpose: string, text: string) =>
    createHmac("sha256", derive(`sign:${purpose}`))
      .update(text)
      .digest("base64url");

  return {
    seal(plain) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce);
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return ["v1", nonce, cipher.getAuthTag(), body]
        .map((part) => (typeof part === "string" ? part : part.toString("base64url")))
        .join(".");
    },
    open(sealed) {
      const [version, nonce, tag, body] = sealed.split(".");
      if (version !== "v1" || !nonce || !tag || body === undefined) throw new Error("not a sealed text");
      const decipher = createDecipheriv("aes-256-gcm", sealingKey, Buffer.from(nonce, "base64url"));
      decipher.setAuthTag(Buffer.from(tag, "base64url"));
      return decipher.update(Buffer.from(body, "base64url"), undefined, "utf8") + decipher.final("utf8");
    },
    sign,
    verify: (purpose, text, signature) => equalInConstantTime(sign(purpose, text), signature),
  };
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

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
