import { z } from "zod";

/** What a browser says, as `PublicKeyCredential.toJSON()` prints it. */
const bytes = (most: number) =>
  z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9_-]*$/, "not base64url");
const credentialId = () => bytes(1400).min(1);
const common = { id: credentialId(), rawId: credentialId(), type: z.literal("public-key") };

/** Of a passkey that was just made. */
export const MadePasskey = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes(8000),
    attestationObject: bytes(60_000),
    transports: z.array(z.string().max(30)).max(10).nullish(),
  }),
});

/** Of one that signed a challenge. */
export const PasskeyAnswer = z.object({
  ...common,
  response: z.object({
    clientDataJSON: bytes(8000),
    authenticatorData: bytes(8000),
    signature: bytes(4000),
    userHandle: bytes(100).nullish(),
  }),
});
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>;

/** For `PublicKeyCredential.parseRequestOptionsFromJSON()`. */
export type RequestOptions = {
  challenge: string;
  rpId: string;
  timeout: number;
  userVerification: "required";
  allowCredentials: { type: "public-key"; id: string; transports: string[] }[];
};
