import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import { sql } from "kysely";
import { z } from "zod";
import type { Actor, Bound } from "../../api/caller.ts";
import { recordId } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { hashPassword, sha256, type Vault, verifyPassword } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Db, Tx } from "../../db/database.ts";
import {
  asActor,
  auditFailedSignIn,
  type Place,
  placeOf,
  placesOfSpentCode,
} from "../audit/sign-in-audit.ts";
import { refusePassword } from "../single-sign-on/enforced.ts";
import { beginSignIn, cookieOptions, rememberSignIn, SIGN_IN_COOKIE } from "./begin-sign-in.ts";
import { atOnce } from "./password-work.ts";
import {
  countFactorTry,
  type FactorVerdict,
  hasSecondFactor,
  removeSecondFactor,
  spendFactor,
} from "./second-factor.ts";
import { isGoodCode, isRecovery, setPassword, spendCode } from "./sign-in-code.ts";
import { createSignInLimit } from "./sign-in-limit.ts";

/** One address may have places in several organizations, each with its own password; so many are tried. */
const MAX_PLACES = 10;
/** Compared against when an address is unknown or has no password, so that all answers take as long. */
const DUMMY_HASH = await hashPassword(randomBase62(20));
/**
 * A refusal comes at a multiple of this after the question, so that its time tells neither whether an address is known nor
 * in how many organizations: ten comparisons take less.
 */
const REFUSAL_STEP_MS = 500;

const FactorCode = z
  .string()
  .max(100)
  .nullish()
  .describe("Of the authenticator app, or a recovery code; asked for where the person has a second factor.");
const Credentials = z.object({
  email: z.string(),
  password: z.string().max(1000),
  second_factor: FactorCode,
  organization_id: recordId().nullish().describe("For people who use one password in several organizations."),
});
const OneTimeCode = z.object({
  code: z.string().max(200),
  password: z.string().min(12).max(1000).nullish(),
  second_factor: FactorCode,
});
const Myself = z.object({
  email: z.string(),
  permissions: z.array(z.string()),
  organization_id: z.int(),
  sub_organization_id: z.int(),
  needs_second_factor: z.boolean(),
});

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string };

export function signInRoutes(api: Api, { db, clock, vault, publicUrl }: Deps): void {
  const tag = "console";

  const start = (tx: Tx, request: FastifyRequest, userId: number, bound: Bound | null) =>
    beginSignIn(tx, { clock, request }, { userId, bound });
  /** Beside the sign-in's own rows: none is without its entry. */
  const told = (tx: Tx, by: Actor, action: "sign-in" | "sign-out", after: object): Promise<void> =>
    api.audit(tx, by, {
      action,
      resource: "users",
      resource_id: by.user_id,
      after: { email: by.email, ...after },
    });

  const refusedLink = async (request: FastifyRequest, code: string): Promise<Fault> => {
    const places = await placesOfSpentCode(db, code);
    const means = isRecovery(code) ? "recovery link" : "link";
    await auditFailedSignIn(db, clock, { request, places, means, isAttacked: false });
    return new Fault("not-authenticated", "This link was used before or is too old. Ask for a new one.");
  };

  const limit = createSignInLimit({ db, clock, vault });
  /** Throws where the person has a second factor and the code is none; what was spent before in `tx` is not spent then. */
  const passFactor = async (tx: Tx, user_id: number, given: string | null | undefined) => {
    if (given) {
      const verdict = await spendFactor(tx, { clock, vault }, user_id, given);
      if (verdict === "wrong") throw new FactorRefused("wrong", user_id);
      return verdict;
    }
    if (await hasSecondFactor(tx, user_id)) throw new FactorRefused("needed", user_id);
    return "no-factor" as const;
  };
  const answerRefused = async (request: FastifyRequest, error: unknown, means: "password" | "link") => {
    if (!(error instanceof FactorRefused)) throw error;
    if (error.why === "needed") return { signed_in: false, second_factor: "needed" };
    const places = [await placeOf(db, error.user_id)];
    await auditFailedSignIn(db, clock, {
      ...{ request, places, isAttacked: false },
      means: `${means} and second factor`,
    });
    throw new Fault("not-authenticated", "This code is wrong, too old or was used before.");
  };
  const remember = (reply: FastifyReply, cookie: string, email: string) =>
    rememberSignIn(reply, { vault, publicUrl }, { cookie, email });

  api.post(
    "/api/console/sign-in",
    { summary: "Sign in to the console", tag, permission: "public", hidden: true, body: Credentials },
    async ({ body, request, reply }) => {
      const email = body.email.trim().toLowerCase();
      const begun = performance.now();
      const { takeBack, isAttacked } = await limit.count({ request, email });
      const { user, known } = await atOnce(() => findPlace(db, { ...body, email }));
      if (!user) {
        await auditFailedSignIn(db, clock, { request, places: known, means: "password", isAttacked });
        await sleep(REFUSAL_STEP_MS - ((performance.now() - begun) % REFUSAL_STEP_MS));
        throw new Fault("not-authenticated", "E-mail address or password is wrong.");
      }
      await takeBack();
      const rightCode = body.second_factor ? await countFactorTry({ db, clock, vault }, user.id) : null;
      let cookie: string;
      try {
        cookie = await db.transaction().execute(async (tx) => {
          await lockPerson(tx, user.id);
          await refusePassword(tx, user.id);
          const factor = await passFactor(tx, user.id, body.second_factor);
          await told(tx, asActor(user, request), "sign-in", { with: "password", ...factorWords(factor) });
          return start(tx, request, user.id, null);
        });
      } catch (error) {
        return answerRefused(request, error, "password");
      }
      await rightCode?.();
      remember(reply, cookie, email);
      return { signed_in: true };
    },
  );

  api.post(
    "/api/console/one-time-code",
    {
      summary: "Use a sign-in link, and set a password with it",
      tag,
      permission: "public",
      hidden: true,
      body: OneTimeCode,
    },
    async ({ body, request, reply }) => {
      // Nobody guesses one of 62^40, so there is nothing to limit but the work: a password is hashed for a good one only.
      const { code } = body;
      if (body.password && !(await isGoodCode(db, clock, vault, code)))
        throw await refusedLink(request, code);
      const { password } = body;
      const password_hash = password ? await atOnce(() => hashPassword(password)) : null;
      const owner = body.second_factor ? (await placesOfSpentCode(db, code))[0] : undefined;
      const rightCode = owner ? await countFactorTry({ db, clock, vault }, owner.id) : null;
      const use = async (tx: Tx) => {
        const spent = await spendCode(tx, clock, vault, code);
        if (spent === null) return null;
        if (!isRecovery(code)) await refusePassword(tx, spent.user_id);
        // It came by mail, unasked for perhaps: it is good for a new password, and for nothing beside it.
        if (spent.is_reset && !password_hash)
          throw new Fault("refused", "Choose a new password of 12 characters or more.");
        // Who holds the secret key opens everything anyway; this is the way back for who has lost the app, too.
        const factor = isRecovery(code)
          ? await withoutFactor(tx, spent.user_id)
          : await passFactor(tx, spent.user_id, body.second_factor);
        if (password_hash) await setPassword(tx, spent, password_hash);
        const place = await placeOf(tx, spent.user_id);
        await told(tx, asActor(place, request, spent.bound?.token_id ?? null), "sign-in", {
          with: isRecovery(code) ? "recovery link" : spent.is_reset ? "password reset" : "link",
          password_set: password_hash !== null,
          ...factorWords(factor),
        });
        return {
          cookie: await start(tx, request, spent.user_id, spent.bound),
          email: place.email.toLowerCase(),
        };
      };
      let signedIn: Awaited<ReturnType<typeof use>>;
      try {
        signedIn = await db.transaction().execute(use);
      } catch (error) {
        return answerRefused(request, error, "link");
      }
      await rightCode?.();
      if (signedIn === null) throw await refusedLink(request, code);
      remember(reply, signedIn.cookie, signedIn.email);
      return { signed_in: true };
    },
  );

  api.post(
    "/api/console/sign-out",
    { summary: "Sign out of the console", tag, permission: "public", hidden: true, body: z.unknown() },
    async ({ request, reply }) => {
      const cookie = request.cookies[SIGN_IN_COOKIE];
      if (cookie)
        await db.transaction().execute(async (tx) => {
          const ended = await tx
            .deleteFrom("sign_ins")
            .where("token_hash", "=", sha256(cookie))
            .returning(["user_id", "bound_token_id"])
            .executeTakeFirst();
          if (!ended) return;
          const place = await placeOf(tx, ended.user_id);
          await told(tx, asActor(place, request, ended.bound_token_id), "sign-out", {});
        });
      reply.clearCookie(SIGN_IN_COOKIE, cookieOptions(publicUrl));
      return { signed_in: false };
    },
  );

  api.get(
    "/api/console/me",
    { summary: "Who is signed in", tag, permission: "permissions_read", hidden: true, response: Myself },
    ({ caller }) => ({
      email: caller.email,
      permissions: [...caller.permissions],
      organization_id: caller.organization_id,
      sub_organization_id: caller.sub_organization_id,
      needs_second_factor: caller.needs_second_factor ?? false,
    }),
  );
}

/** `known`: all whom the address and no password names. */
async function findPlace(
  db: Db,
  given: z.infer<typeof Credentials>,
): Promise<{ user: Place | null; known: Place[] }> {
  let places = db
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .select(["u.id", "u.sub_organization_id", "u.email", "u.password_hash"])
    .innerJoin("organizations as g", "g.id", "s.organization_id")
    .where(sql`lower(u.email)`, "=", given.email)
    .where("u.deleted_at", "is", null)
    .where("g.deleted_at", "is", null)
    .where("u.password_hash", "is not", null);
  if (given.organization_id) places = places.where("s.organization_id", "=", given.organization_id);
  const known = await places.orderBy("u.id").limit(MAX_PLACES).execute();
  for (const place of known) {
    if (await verifyPassword(given.password, place.password_hash ?? DUMMY_HASH))
      return { user: place, known };
  }
  if (known.length === 0) await verifyPassword(given.password, DUMMY_HASH);
  return { user: null, known };
}

/** Thrown within the transaction, so that a link is not spent without its code. */
class FactorRefused extends Error {
  readonly why: "needed" | "wrong";
  readonly user_id: number;
  constructor(why: "needed" | "wrong", user_id: number) {
    super(`second factor ${why}`);
    this.why = why;
    this.user_id = user_id;
  }
}

const withoutFactor = async (tx: Tx, user_id: number) =>
  (await removeSecondFactor(tx, [user_id])) ? "removed" : "no-factor";

const FACTOR_WORDS = { app: "authenticator app", recovery: "recovery code", removed: "removed" };

const factorWords = (verdict: Exclude<FactorVerdict, "wrong"> | "removed"): object =>
  verdict === "no-factor" ? {} : { second_factor: FACTOR_WORDS[verdict] };

/** Whoever sets up a second factor or a password meanwhile is waited for. */
const lockPerson = (tx: Tx, id: number) =>
  tx.selectFrom("users").select("id").where("id", "=", id).forUpdate().execute();
