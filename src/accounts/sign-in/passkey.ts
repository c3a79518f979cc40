import type { RegistrationResponseJSON } from "@simplewebauthn/server";
import type { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { Vault } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Db, Tx } from "../../db/database.ts";
import { type ChallengeUse, isOwnChallenge, newChallenge, spendChallenge } from "./passkey-challenge.ts";
import type { MadePasskey, PasskeyAnswer, RequestOptions } from "./passkey-schema.ts";
import type { RelyingParty } from "./relying-party.ts";

const MOST_PASSKEYS = 20;
/** For the person at the device; the challenge lives as long. */
const TIMEOUT_MS = 5 * 60_000;
/** EdDSA, ES256 and RS256: what devices and security keys have. */
const ALGORITHMS = [-8, -7, -257];

export type PasskeyDeps = { db: Db; clock: Clock; vault: Vault; log: Log; party: RelyingParty | null };

/** What was said is right as far as the signature tells; `spendPasskey` says whether it may be used. */
export type PasskeyProof = { passkey_id: number; user_id: number; counter: number; challenge: string };
export type PasskeyVerdict = "passkey" | "wrong" | "cloned";

// Read when the first passkey is made or used: its parts for certificates take longer to load than a small program to start.
const library = () => import("@simplewebauthn/server");

function requireParty({ party }: Pick<PasskeyDeps, "party">): RelyingParty {
  if (party) return party;
  throw new Fault(
    "refused",
    "Passkeys need an address with a name. Set PUBLIC_URL to https:// with your host name, or to http://localhost:8080 on your own machine, and open the console there.",
  );
}

/** Without a person: any passkey that the browser has for this address. */
export async function requestOptions(
  { db, clock, vault, party }: PasskeyDeps,
  use: Exclude<ChallengeUse, { use: "register" }>,
): Promise<RequestOptions> {
  const { id } = requireParty({ party });
  const known = use.user_id === null ? [] : await passkeysOf(db, use.user_id);
  return {
    challenge: newChallenge(vault, clock.now(), use),
    rpId: id,
    timeout: TIMEOUT_MS,
    userVerification: "required",
    allowCredentials: known.map(({ credential_id, transports }) => ({
      type: "public-key",
      id: credential_id,
      transports,
    })),
  };
}

/** For `PublicKeyCredential.parseCreationOptionsFromJSON()`. A device that has one already makes no second. */
export async function creationOptions(
  { db, clock, vault, party }: PasskeyDeps,
  { user_id, email }: { user_id: number; email: string },
): Promise<object> {
  const { id } = requireParty({ party });
  const known = await passkeysOf(db, user_id);
  if (known.length >= MOST_PASSKEYS)
    throw new Fault("refused", `You have ${MOST_PASSKEYS} passkeys. Remove one first.`);
  return {
    challenge: newChallenge(vault, clock.now(), { use: "register", user_id }),
    rp: { id, name: "Parley" },
    user: { id: handleOf(vault, user_id, known[0]), name: email, displayName: email },
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key", alg })),
    timeout: TIMEOUT_MS,
    attestation: "none",
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      type: "public-key",
      id: credential_id,
      transports,
    })),
    authenticatorSelection: {
      residentKey: "required",
      requireResidentKey: true,
      userVerification: "required",
    },
  };
}

type CheckedPasskey = {
  credential_id: string;
  public_key: string;
  counter: number;
  transports: string[];
  is_synced: boolean;
  challenge: string;
};

/** Throws where it was not made for this address, this person and one of our challenges. */
export async function checkMadePasskey(
  { clock, vault, log, party }: PasskeyDeps,
  user_id: number,
  given: z.infer<typeof MadePasskey>,
): Promise<CheckedPasskey> {
  const { id, origin } = requireParty({ party });
  const { verifyRegistrationResponse } = await library();
  let challenge = "";
  const verified = await verifyRegistrationResponse({
    response: { ...given, clientExtensionResults: {} } as RegistrationResponseJSON,
    expectedChallenge(answered) {
      challenge = answered;
      return isOwnChallenge(vault, clock.now(), { use: "register", user_id }, answered);
    },
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refused(log));
  if (!verified?.verified)
    throw new Fault(
      "refused",
      "This passkey was not accepted: it took too long or is not for this address. Try again.",
    );
  const { credential, credentialBackedUp } = verified.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: given.response.transports ?? [],
    is_synced: credentialBackedUp,
    challenge,
  };
}

/** Lock: the person's row is the caller's to take first. */
export async function storePasskey(
  tx: Tx,
  { clock, vault }: Pick<PasskeyDeps, "clock" | "vault">,
  { user_id, name }: { user_id: number; name: string },
  { challenge, ...made }: CheckedPasskey,
): Promise<void> {
  const known = await passkeysOf(tx, user_id);
  if (known.length >= MOST_PASSKEYS)
    throw new Fault("refused", `You have ${MOST_PASSKEYS} passkeys. Remove one first.`);
  if (!(await spendChallenge(tx, clock.now(), challenge)))
    throw new Fault("refused", "This passkey was added already.");
  const stored = await tx
    .insertInto("passkeys")
    .values({
      ...made,
      user_id,
      name,
      user_handle: handleOf(vault, user_id, known[0]),
      created_at: clock.now().toISOString(),
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  if (!stored.numInsertedOrUpdatedRows) throw new Fault("refused", "This passkey was added already.");
}

/** The same for all of a person's passkeys, and without a meaning elsewhere. */
const handleOf = (vault: Vault, user_id: number, earlier: { user_handle: string } | undefined): string =>
  earlier?.user_handle ?? vault.sign("passkey-handle", String(user_id));

/**
 * Whether the device signed one of our challenges for this use, at this address; null where not. What has to be compared
 * with the stored counter is left to `spendPasskey`, within the transaction of what it is used for.
 */
export async function provePasskey(
  { db, clock, vault, log, party }: PasskeyDeps,
  use: Exclude<ChallengeUse, { use: "register" }>,
  given: PasskeyAnswer,
): Promise<PasskeyProof | null> {
  const { id, origin } = requireParty({ party });
  const passkey = await findPasskey(db, given.id);
  if (!passkey || (use.user_id !== null && passkey.user_id !== use.user_id)) return null;
  const { userHandle, ...response } = given.response;
  // By itself a passkey has to say whose it is; beside a password the person is known.
  if (userHandle ? userHandle !== passkey.user_handle : use.user_id === null) return null;
  const { verifyAuthenticationResponse } = await library();
  let challenge = "";
  const verified = await verifyAuthenticationResponse({
    response: { ...given, response, clientExtensionResults: {} },
    expectedChallenge(answered) {
      challenge = answered;
      return isOwnChallenge(vault, clock.now(), use, answered);
    },
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    // 0: the counter is compared when it is stored, so that two at once with the same one don't both pass.
    credential: { id: given.id, publicKey: Buffer.from(passkey.public_key, "base64url"), counter: 0 },
  }).catch(refused(log));
  if (!verified?.verified) return null;
  const counter = verified.authenticationInfo.newCounter;
  return { passkey_id: passkey.id, user_id: passkey.user_id, counter, challenge };
}

/** The library throws for what is wrong with an answer; the person is told nothing of it, the operator is. */
const refused =
  (log: Log) =>
  (error: Error): null => {
    log.info({ reason: error.message.slice(0, 300) }, "a passkey's answer was not accepted");
    return null;
  };

/** Once for each challenge. A counter that does not go on says that there are two of the device. */
export async function spendPasskey(tx: Tx, clock: Clock, proof: PasskeyProof): Promise<PasskeyVerdict> {
  const now = clock.now();
  if (!(await spendChallenge(tx, now, proof.challenge))) return "wrong";
  const passkey = await tx
    .selectFrom("passkeys")
    .select(["counter", "locked_at"])
    .where("id", "=", proof.passkey_id)
    .forUpdate()
    .executeTakeFirst();
  if (!passkey || passkey.locked_at !== null) return "wrong";
  const before = Number(passkey.counter);
  if ((before > 0 || proof.counter > 0) && proof.counter <= before) return "cloned";
  await tx
    .updateTable("passkeys")
    .set({ counter: proof.counter, last_used_at: now.toISOString() })
    .where("id", "=", proof.passkey_id)
    .execute();
  return "passkey";
}

/** It signs nobody in any more, neither the device nor its copy. Resolves with its name. */
export async function lockPasskey(tx: Tx, clock: Clock, passkey_id: number): Promise<string | null> {
  const locked = await tx
    .updateTable("passkeys")
    .set({ locked_at: clock.now().toISOString() })
    .where("id", "=", passkey_id)
    .where("locked_at", "is", null)
    .returning("name")
    .executeTakeFirst();
  return locked?.name ?? null;
}

export const findPasskey = (db: Db, credential_id: string) =>
  db
    .selectFrom("passkeys as p")
    .innerJoin("users as u", "u.id", "p.user_id")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .innerJoin("organizations as o", "o.id", "s.organization_id")
    .select(["p.id", "p.user_id", "p.user_handle", "p.public_key"])
    .where("p.credential_id", "=", credential_id)
    .where("u.deleted_at", "is", null)
    .where("o.deleted_at", "is", null)
    .executeTakeFirst();

export const passkeysOf = (db: Db, user_id: number) =>
  db
    .selectFrom("passkeys")
    .select(["id", "credential_id", "transports", "user_handle", "name", "is_synced"])
    .select(["created_at", "last_used_at", "locked_at"])
    .where("user_id", "=", user_id)
    .orderBy("id")
    .execute();
