import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { Api } from "../../api/server.ts";
import { Fault } from "../../base/errors.ts";
import type { Tx } from "../../db/database.ts";
import { asActor, auditFailedSignIn, type Means, placeOf } from "../audit/sign-in-audit.ts";
import {
  lockPasskey,
  type PasskeyDeps,
  type PasskeyProof,
  provePasskey,
  requestOptions,
  spendPasskey,
} from "./passkey.ts";
import { PasskeyAnswer, type RequestOptions } from "./passkey-schema.ts";
import { countFactorTry, factorsOf, hasSecondFactor, spendFactor } from "./second-factor.ts";

/** Members of every body that may need a second factor. */
export const FACTOR_FIELDS = {
  second_factor: z
    .string()
    .max(100)
    .nullish()
    .describe(
      "Of the authenticator app, or a recovery code; asked for where the person has a second factor.",
    ),
  passkey: PasskeyAnswer.nullish().describe(
    "In place of a code: the answer of one of the person's passkeys.",
  ),
};
type GivenFactor = { second_factor?: string | null | undefined; passkey?: PasskeyAnswer | null | undefined };

/** How somebody got past it. */
export type PassedBy = "no-factor" | "app" | "recovery" | "passkey";

/** Thrown within the transaction, so that nothing is spent without its second factor. */
class FactorRefused extends Error {
  readonly why: "needed" | "wrong" | "cloned";
  readonly user_id: number;
  readonly given: Prepared["given"];
  constructor(why: FactorRefused["why"], { user_id, given }: Prepared) {
    super(`second factor ${why}`);
    this.why = why;
    this.user_id = user_id;
    this.given = given;
  }
}

type Prepared = {
  user_id: number;
  /** A proof that is null: what was given is not what we asked for. */
  given: { by: "nothing" } | { by: "code"; code: string } | { by: "passkey"; proof: PasskeyProof | null };
  /** Takes the counted try back once it was right. */
  right(): Promise<void>;
};

/** What is answered instead where the second factor is still missing. */
export const FactorAsked = z.object({
  signed_in: z.literal(false),
  second_factor: z.literal("needed"),
  has_app: z.boolean().optional(),
  passkey: z.custom<RequestOptions>().optional(),
});
type FactorAsked = z.infer<typeof FactorAsked>;

/** Asks for the second factor: a code, or one of the person's passkeys. */
export function createFactorGate(api: Api, deps: PasskeyDeps) {
  const { db, clock } = deps;

  async function verdictOf(tx: Tx, user_id: number, given: Prepared["given"]) {
    if (given.by === "passkey") return given.proof === null ? "wrong" : spendPasskey(tx, clock, given.proof);
    if (given.by === "code") return spendFactor(tx, deps, user_id, given.code);
    return (await hasSecondFactor(tx, user_id)) ? "needed" : "no-factor";
  }

  return {
    /** Before the transaction: counts the try, and proves what needs no row of it. */
    async prepare(user_id: number, { second_factor, passkey }: GivenFactor): Promise<Prepared> {
      if (!second_factor && !passkey) return { user_id, given: { by: "nothing" }, right: async () => {} };
      const right = await countFactorTry(deps, user_id);
      if (!passkey) return { user_id, given: { by: "code", code: second_factor ?? "" }, right };
      const proof = await provePasskey(deps, { use: "factor", user_id }, passkey);
      return { user_id, given: { by: "passkey", proof }, right };
    },

    /** Throws `FactorRefused` where the person has a second factor and this is none. Lock: the person's row is taken before. */
    async pass(tx: Tx, prepared: Prepared): Promise<PassedBy> {
      const { user_id, given } = prepared;
      const verdict = await verdictOf(tx, user_id, given);
      if (verdict === "needed" || verdict === "wrong" || verdict === "cloned")
        throw new FactorRefused(verdict, prepared);
      return verdict;
    },

    /** After the transaction: what to ask for next, or why not. Any other error goes on. */
    async answer(
      request: FastifyRequest,
      error: unknown,
      means: "password" | "link" | null,
    ): Promise<FactorAsked> {
      if (!(error instanceof FactorRefused)) throw error;
      const { why, user_id, given } = error;
      if (why === "needed") return this.asked(user_id);
      const proof = given.by === "passkey" ? given.proof : null;
      if (why === "cloned" && proof) await this.lock(request, proof);
      if (means) {
        const places = [await placeOf(db, user_id)];
        const failed: Means = `${means} and second factor`;
        await auditFailedSignIn(db, clock, { request, places, isAttacked: false, means: failed });
      }
      const words = given.by === "passkey" ? PASSKEY_REFUSED : CODE_REFUSED;
      throw new Fault(means ? "not-authenticated" : "refused", words);
    },

    /** What the page asks for: a code, a passkey, or either. */
    async asked(user_id: number): Promise<FactorAsked> {
      const { has_app, passkeys } = await factorsOf(db, user_id);
      const needed = { signed_in: false, second_factor: "needed" } as const;
      if (passkeys === 0 || !deps.party) return needed;
      return { ...needed, has_app, passkey: await requestOptions(deps, { use: "factor", user_id }) };
    },

    /** Nobody goes on with a device of which there is a copy; the trail tells its person. */
    async lock(request: FastifyRequest, { passkey_id, user_id }: PasskeyProof): Promise<void> {
      await db.transaction().execute(async (tx) => {
        const name = await lockPasskey(tx, clock, passkey_id);
        if (name === null) return;
        const place = await placeOf(tx, user_id);
        await api.audit(tx, asActor(place, request), {
          action: "lock-passkey",
          resource: "users",
          resource_id: user_id,
          after: { email: place.email, passkey: name, reason: "its counter went back" },
        });
      });
    },
  };
}
export type FactorGate = ReturnType<typeof createFactorGate>;

const CODE_REFUSED = "This code is wrong, too old or was used before.";
export const PASSKEY_REFUSED =
  "This passkey was not accepted: it is not known here, took too long or was used before. Try again, or sign in another way.";

const FACTOR_WORDS = {
  app: "authenticator app",
  recovery: "recovery code",
  passkey: "passkey",
  removed: "removed",
};

/** For the audit trail. */
export const factorWords = (by: PassedBy | "removed"): object =>
  by === "no-factor" ? {} : { second_factor: FACTOR_WORDS[by] };
