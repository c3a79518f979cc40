import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { recordId, timestamp } from "../api/schema.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { ADMIN } from "./permission.ts";

/** A person's place in a sub-organization, known by e-mail address. */
const utmText = () => z.string().max(256).nullish();
const Utm = z
  .object({
    utm_source: utmText(),
    utm_medium: utmText(),
    utm_campaign: utmText(),
    utm_term: utmText(),
    utm_content: utmText(),
  })
  .meta({ id: "Utm" });

/** Addresses are compared and shown in lower case, as every mail service delivers them. */
export const emailAddress = () =>
  z
    .string()
    .trim()
    .toLowerCase()
    .max(254)
    .refine((text) => /^[^\s@,;<>]+@[^\s@,;<>]+$/.test(text), { error: "Input should be an e-mail address" });

const personName = () => z.string().max(255).nullish();

const UserFields = z.object({
  email: emailAddress(),
  first_name: personName(),
  last_name: personName(),
  role_id: recordId(),
  utm: Utm.nullish(),
});
type UserFields = z.infer<typeof UserFields>;

export const UserCreateRequest = UserFields.extend({
  login_type: z.enum(["google", "username_and_password"]).nullish(),
  skip_auth: z
    .boolean()
    .default(false)
    .describe("The welcome mail holds no link to choose a password with: this person has a way to sign in."),
}).meta({ id: "UserCreateRequest" });

export const UserUpdateRequest = UserFields.extend({
  last_updated_comments: z.string().nullish(),
}).meta({ id: "UserUpdateRequest" });

export const UserDeleteRequest = z
  .object({ email: emailAddress(), reason: z.string() })
  .meta({ id: "UserDeleteRequest" });

export const UserResponse = z
  .object({
    email: z.string(),
    first_name: z.string().nullish(),
    last_name: z.string().nullish(),
    role_id: z.int(),
    utm: Utm.nullish(),
    last_updated_comments: z.string().nullish(),
    id: z.int(),
    role_name: z.string(),
    email_sent: z.boolean(),
    activity_status: z.enum(["not_invited", "invited", "active"]),
    last_updated: timestamp(),
    last_updated_by: z.string().nullish(),
    last_session_at: timestamp().nullish(),
    role_until: timestamp()
      .nullish()
      .describe("Where an API token gave the role: when it ends, or ended, with that token."),
    role_until_token: z.string().nullish().describe("That token's name"),
    role_after: z.string().nullish().describe("The role from then on; null: no access any more"),
  })
  .meta({ id: "UserResponse" });
export type UserResponse = z.infer<typeof UserResponse>;

/** Invited once a mail was sent or a link was made; active from the first sign-in on. */
const activityStatus = sql<UserResponse["activity_status"]>`case
  when u.last_session_at is not null then 'active'
  when u.invited_at is not null then 'invited'
  else 'not_invited' end`;

export const userList: list.ListRules = {
  fields: {
    email: list.text("u.email"),
    first_name: list.text("u.first_name"),
    last_name: list.text("u.last_name"),
    role_id: list.integer("u.role_id"),
    role_name: list.text("r.name"),
    email_first_name_last_name: list.eitherText("u.email", "u.first_name", "u.last_name"),
    activity_status: list.custom((value) => sql`${activityStatus} = ${value}`, activityStatus),
    last_updated: list.time("u.last_updated"),
  },
  time: "u.last_updated",
  order: [{ column: "u.id", direction: "asc" }],
};

export const selectUsers = (db: Db, caller: Caller) =>
  db
    .selectFrom("users as u")
    .innerJoin("roles as r", "r.id", "u.role_id")
    .where("u.sub_organization_id", "=", caller.sub_organization_id)
    .where("u.deleted_at", "is", null)
    .select([
      "u.email",
      "u.first_name",
      "u.last_name",
      "u.role_id",
      "u.utm",
      "u.last_updated_comments",
      "u.id",
      "r.name as role_name",
      "u.email_sent",
      activityStatus.as("activity_status"),
      "u.last_updated",
      "u.last_updated_by",
      "u.last_session_at",
      "u.granted_until as role_until",
      sql<string | null>`(select t.name from api_tokens t where t.id = u.granted_by_token_id)`.as(
        "role_until_token",
      ),
      sql<string | null>`(select l.name from roles l where l.id = u.lasting_role_id)`.as("role_after"),
    ])
    .$castTo<UserResponse>();

const asStored = (email: string): string => email.trim().toLowerCase();

export async function findUser(db: Db, caller: Caller, email: string): Promise<UserResponse> {
  const found = await selectUsers(db, caller).where("u.email", "=", asStored(email)).executeTakeFirst();
  if (!found) throw notFound("User", email);
  return found;
}

/**
 * Whoever changes what people of a sub-organization may do (people, roles, tokens that gave either) takes this first: each
 * then locks people and roles in an order of its own, and two of them would wait for one another. Resolves with the
 * administrators' role. Lock: its row.
 */
export async function lockPeople(
  tx: Tx,
  { sub_organization_id }: Pick<Caller, "sub_organization_id">,
): Promise<number> {
  const { id } = await tx
    .selectFrom("roles")
    .select("id")
    .where("sub_organization_id", "=", sub_organization_id)
    .where("name", "=", ADMIN)
    .where("is_system_role", "=", true)
    // New people with this role are not in the way.
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * For writes: the row stays as it is until the transaction ends. It is read after it is locked: a statement that waits and
 * joins the role finds nobody where the role was changed meanwhile.
 */
export async function lockUser(tx: Tx, caller: Caller, email: string): Promise<UserResponse> {
  await lockPeople(tx, caller);
  await tx
    .selectFrom("users")
    .select("id")
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("email", "=", asStored(email))
    .where("deleted_at", "is", null)
    .forUpdate()
    .execute();
  return findUser(tx, caller, email);
}

/** As it is stored and shown: every part of `utm` there, null where nothing was said. */
export const personColumns = (input: UserFields) => ({
  first_name: input.first_name ?? null,
  last_name: input.last_name ?? null,
  role_id: input.role_id,
  utm: input.utm
    ? Object.fromEntries(
        Object.keys(Utm.shape).map((key) => [key, input.utm?.[key as keyof typeof input.utm] ?? null]),
      )
    : null,
});
