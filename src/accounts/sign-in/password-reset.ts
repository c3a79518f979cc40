import { sql } from "kysely";
import { z } from "zod";
import { limitedBy } from "../../api/client-address.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/crypto.ts";
import { Fault } from "../../base/errors.ts";
import { randomBase62 } from "../../base/ids.ts";
import type { Log } from "../../base/log.ts";
import type { Db, Tx } from "../../db/database.ts";
import { enqueue, handle, type Job, type JobHandler } from "../../jobs/define-job.ts";
import { auditCounted } from "../audit/counted-audit.ts";
import type { Place } from "../audit/sign-in-audit.ts";
import { requiredProvider } from "../single-sign-on/enforced.ts";
import { type SendMail, trySend, type WelcomeMail } from "../welcome-mail.ts";
import { countAttempt } from "./attempt-count.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CODE_LIFE_MS = 30 * MINUTE_MS;
/** One address may have places in several organizations; each has a password of its own. */
const MOST_PLACES = 10;

/** Mails to one account within an hour: nobody's mailbox is filled. Further requests are answered alike and send none. */
const TO_ONE_ACCOUNT = 3;
const LIMITS = { address: { most: 10, window_ms: HOUR_MS }, all: { most: 200, window_ms: MINUTE_MS } };

type ResetRequest = { email: string; address: string | null; request_id: string | null };

/** Done apart from the request, so that its time says nothing about the account. */
const mailReset: Job<ResetRequest> = {
  name: "mail-password-reset",
  payload: z.object({ email: z.string(), address: z.string().nullable(), request_id: z.string().nullable() }),
  max_attempts: 3,
};

type Deps = { db: Db; clock: Clock; sendMail: SendMail };

export function passwordResetRoutes(api: Api, { db, clock, sendMail }: Deps): void {
  api.post(
    "/api/console/password-reset",
    {
      summary: "Request a password reset by e-mail",
      tag: "console",
      permission: "public",
      hidden: true,
      body: z.object({ email: z.string().trim().min(1).max(320) }),
    },
    async ({ body, request }) => {
      if (!sendMail) return { mailed: false };
      const { group } = limitedBy(request);
      const counted = await countAttempt(db, clock.now(), [
        { key: `password-reset ${group}`, ...LIMITS.address },
        { key: "password-reset", ...LIMITS.all },
      ]);
      for (const [key, { count, window_ends }] of counted) {
        const { most } = key === "password-reset" ? LIMITS.all : LIMITS.address;
        if (count <= most) continue;
        const retry_after_s = Math.max(1, Math.ceil((window_ends.getTime() - clock.now().getTime()) / 1000));
        throw new Fault(
          "too-many",
          `Too Many Requests: too many resets were asked for. Try again in ${retry_after_s} s, or ask an administrator for a sign-in link.`,
          { retry_after_s },
        );
      }
      const email = body.email.toLowerCase();
      await db
        .transaction()
        .execute((tx) => enqueue(tx, mailReset, { email, address: request.ip, request_id: request.id }));
      // Whether there is such an account is told to nobody.
      return { mailed: true };
    },
  );
}

/** A run that is repeated sends a second mail, whose link replaces the first one's. */
export const passwordResetJob = ({
  db,
  clock,
  log,
  publicUrl,
  sendMail,
}: Deps & { log: Log; publicUrl: string }): JobHandler =>
  handle(mailReset, async ({ email, address, request_id }) => {
    if (!sendMail) return;
    const places = await placesWithPassword(db, email);
    if (places.length === 0) return;
    const key = `password-reset to ${email}`;
    const limit = { key, most: TO_ONE_ACCOUNT, window_ms: HOUR_MS };
    const counted = (await countAttempt(db, clock.now(), [limit])).get(key);
    await auditCounted(
      db,
      clock.now(),
      places.map((place) => ({
        by: {
          sub_organization_id: place.sub_organization_id,
          email: place.email,
          user_id: place.id,
          api_token_id: null,
          address,
          request_id,
        },
        entry: {
          action: "ask-password-reset",
          resource: "users",
          resource_id: place.id,
          after: { email: place.email },
        },
        key: `password-reset ${place.id}`,
      })),
    );
    if (counted && counted.count > TO_ONE_ACCOUNT) return;
    const links = await db.transaction().execute(async (tx) => {
      const made = [];
      for (const place of places)
        if ((await requiredProvider(tx, place.id)) === null)
          made.push({ ...place, link: await createResetLink(tx, clock, publicUrl, place.id) });
      return made;
    });
    const mail = links.length > 0 ? resetMail(email, links) : providerMail(email, `${publicUrl}/sign-in`);
    await trySend(sendMail, mail, log);
  });

const placesWithPassword = (db: Db, email: string): Promise<Place[]> =>
  db
    .selectFrom("users as u")
    .innerJoin("sub_organizations as s", "s.id", "u.sub_organization_id")
    .innerJoin("organizations as g", "g.id", "s.organization_id")
    .select(["u.id", "u.sub_organization_id", "u.email"])
    .where(sql`lower(u.email)`, "=", email)
    .where("u.deleted_at", "is", null)
    .where("g.deleted_at", "is", null)
    .where("u.password_hash", "is not", null)
    .orderBy("u.id")
    .limit(MOST_PLACES)
    .execute();

/** An earlier link of the kind stops working. Stored as a digest. */
async function createResetLink(tx: Tx, clock: Clock, publicUrl: string, user_id: number): Promise<string> {
  await tx
    .deleteFrom("one_time_codes")
    .where("user_id", "=", user_id)
    .where("purpose", "=", "password-reset")
    .execute();
  const code = randomBase62(40);
  const expires_at = new Date(clock.now().getTime() + CODE_LIFE_MS).toISOString();
  await tx
    .insertInto("one_time_codes")
    .values({ code_hash: sha256(code), user_id, purpose: "password-reset", expires_at })
    .execute();
  return `${publicUrl}/sign-in?code=${code}&reset`;
}

/** To whose organization passwords are refused. */
function providerMail(to: string, sign_in_page: string): WelcomeMail {
  const text = [
    "Hello,",
    "somebody asked for a new password for your account at Parley. Your organization signs in with its identity provider, so there is none to choose.",
    `Enter your e-mail address at ${sign_in_page} and choose “Sign in with your organization”.`,
  ].join("\n\n");
  return { to, subject: "Sign in to Parley with your organization", text: `${text}\n` };
}

/** Without a word that others wrote: the name of an organization could be a stranger's message. */
function resetMail(to: string, links: readonly { sub_organization_id: number; link: string }[]): WelcomeMail {
  const many = links.length > 1;
  const shown = links.map(({ sub_organization_id, link }) =>
    many ? `Sub-organization ${sub_organization_id}:\n${link}` : link,
  );
  const text = [
    "Hello,",
    "somebody asked for a new password for your account at Parley. Choose one here; the link works once, for 30 minutes:",
    ...shown,
    "A new password ends all your other sign-ins. If it wasn't you, ignore this mail: nothing has changed.",
  ].join("\n\n");
  return { to, subject: "Choose a new password for Parley", text: `${text}\n` };
}
