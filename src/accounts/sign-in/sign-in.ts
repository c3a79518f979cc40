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
import { beginSignIn, cookieOptions, lockPerson, rememberSignIn, SIGN_IN_COOKIE } from "./begin-sign-in.ts";
import { FACTOR_FIELDS, type FactorGate, factorWords } from "./factor-gate.ts";
import { atOnce } from "./password-work.ts";
import { removeSecondFactor } from "./second-factor.ts";
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

const Credentials = z.object({
  email: z.string(),
  password: z.string().max(1000),
  ...FACTOR_FIELDS,
  organization_id: recordId().nullish().describe("For people who use one password in several organizations."),
});
const OneTimeCode = z.object({
  code: z.string().max(200),
  password: z.string().min(12).max(1000).nullish(),
  ...FACTOR_FIELDS,
});
const Myself = z.object({
  user_id: z.int(),
  email: z.string(),
  permissions: z.array(z.string()),
  organization_id: z.int(),
  sub_organization_id: z.int(),
  needs_second_factor: z.boolean(),
});

type Deps = { db: Db; clock: Clock; vault: Vault; publicUrl: string; gate: FactorGate };

export function signInRoutes(api: Api, { db, clock, vault, publicUrl, gate }: Deps): void {
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
      const refused = async (places: Place[]) => {
        await auditFailedSignIn(db, clock, { request, places, means: "password", isAttacked });
        await sleep(REFUSAL_STEP_MS - ((performance.now() - begun) % REFUSAL_STEP_MS));
        return new Fault("not-authenticated", "E-mail address or password is wrong.");
      };
      if (!user) throw await refused(known);
      await takeBack();
      const prepared = await gate.prepare(user.id, body);
      let cookie: string | null;
      try {
        cookie = await db.transaction().execute(async (tx) => {
          const [person] = await lockPerson(tx, user.id);
          // A new password ends what was begun with the one before it, also where it came since the comparison.
          if (person?.password_hash !== user.password_hash) return null;
          await refusePassword(tx, user.id);
          const factor = await gate.pass(tx, prepared);
          await told(tx, asActor(user, request), "sign-in", { with: "password", ...factorWords(factor) });
          return start(tx, request, user.id, null);
        });
      } catch (error) {
        return gate.answer(request, error, "password");
      }
      if (cookie === null) throw await refused([user]);
      await prepared.right();
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
      const isGiven = Boolean(body.second_factor || body.passkey);
      const owner = isGiven ? (await placesOfSpentCode(db, code))[0] : undefined;
      const prepared = owner && (await gate.prepare(owner.id, body));
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
          : await gate.pass(tx, prepared ?? (await gate.prepare(spent.user_id, {})));
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
        return gate.answer(request, error, "link");
      }
      await prepared?.right();
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
    { summary: "Get who is signed in", tag, permission: "permissions_read", hidden: true, response: Myself },
    ({ caller }) => ({
      user_id: caller.user_id,
      email: caller.email,
      permissions: [...caller.permissions],
      organization_id: caller.organization_id,
      sub_organization_id: caller.sub_organization_id,
      needs_second_factor: caller.needs_second_factor ?? false,
    }),
  );
}

type PlaceWithPassword = Place & { password_hash: string | null };

/** `known`: all whom the address and no password names. */
async function findPlace(
  db: Db,
  given: z.infer<typeof Credentials>,
): Promise<{ user: PlaceWithPassword | null; known: Place[] }> {
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

const withoutFactor = async (tx: Tx, user_id: number) =>
  (await removeSecondFactor(tx, [user_id])) ? "removed" : "no-factor";
