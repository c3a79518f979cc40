import { createHash, createSign, generateKeyPairSync, randomBytes } from "node:crypto";

type Options = { challenge: string; user?: { id: string } };
/** What a device, or somebody who is none, would say otherwise. */
type Twist = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  counter?: number;
  userHandle?: string | null;
  isVerified?: boolean;
  type?: string;
};

/** A device with passkeys, in software: what a browser would print of it, byte by byte (WebAuthn level 3, ES256). */
export function createAuthenticator(origin: string, { counts = true } = {}) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" }) as { x?: string; y?: string };
  const credentialId = randomBytes(32);
  const id = credentialId.toString("base64url");
  let counter = 0;
  let handle: string | null = null;

  const clientData = (type: string, challenge: string, twist: Twist) =>
    Buffer.from(
      JSON.stringify({
        type: twist.type ?? type,
        challenge: twist.challenge ?? challenge,
        origin: twist.origin ?? origin,
        crossOrigin: false,
      }),
    );
  const authData = (flags: number, twist: Twist, more = Buffer.alloc(0)) => {
    counter = counts ? counter + 1 : 0;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(twist.counter ?? counter);
    const verified = twist.isVerified === false ? 0 : USER_VERIFIED;
    const rp = sha256(twist.rpId ?? new URL(origin).hostname);
    return Buffer.concat([rp, Buffer.from([flags | verified]), count, more]);
  };

  return {
    id,
    make({ challenge, user }: Options, twist: Twist = {}) {
      handle = user?.id ?? null;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(credentialId.length);
      const key = cbor(
        new Map<number, Cbor>([
          ...([
            [1, 2],
            [3, -7],
            [-1, 1],
          ] as const),
          [-2, Buffer.from(x, "base64url")],
          [-3, Buffer.from(y, "base64url")],
        ]),
      );
      const attested = Buffer.concat([Buffer.alloc(16), length, credentialId, key]);
      const attestationObject = cbor(
        new Map<string, Cbor>([
          ["fmt", "none"],
          ["attStmt", new Map<string, Cbor>()],
          ["authData", authData(USER_PRESENT | ATTESTED, twist, attested)],
        ]),
      );
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, twist).toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
          transports: ["internal"],
        },
      };
    },
    answer({ challenge }: Options, twist: Twist = {}) {
      const data = authData(USER_PRESENT, twist);
      const client = clientData("webauthn.get", challenge, twist);
      const signature = createSign("sha256")
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey);
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: twist.userHandle === undefined ? handle : twist.userHandle,
        },
      };
    },
  };
}
export type Authenticator = ReturnType<typeof createAuthenticator>;

const USER_PRESENT = 1;
const USER_VERIFIED = 4;
const ATTESTED = 64;

const sha256 = (bytes: Buffer | string) => createHash("sha256").update(bytes).digest();

type Cbor = number | string | Buffer | Map<number, Cbor> | Map<string, Cbor>;

/** RFC 8949, as much of it as a passkey needs. */
function cbor(value: Cbor): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const entries = [...(value as Map<number | string, Cbor>)];
  return Buffer.concat([head(5, entries.length), ...entries.flatMap(([key, one]) => [cbor(key), cbor(one)])]);
}

function head(kind: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(kind << 5) | count]);
  if (count < 256) return Buffer.from([(kind << 5) | 24, count]);
  return Buffer.from([(kind << 5) | 25, count >> 8, count & 255]);
}
