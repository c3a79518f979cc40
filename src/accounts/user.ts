import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, queryBoolean, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Db, Tx } from "../db/database.ts";
import { boundForLink, refuseRevoked } from "./bound.ts";
import { countInvitation } from "./invitation-limit.ts";
import { createSignInLink } from "./sign-in/sign-in-code.ts";
import { requiredProvider } from "./single-sign-on/enforced.ts";
import {
  findUser,
  lockUser,
  selectUsers,
  UserCreateRequest,
  UserDeleteRequest,
  UserResponse,
  UserUpdateRequest,
  userList,
} from "./user-record.ts";
import { insertUser, refuseMightier, removeUser, replaceUser } from "./user-store.ts";
import { type SendMail, trySend, welcomeMail } from "./welcome-mail.ts";

const SignInLinkResponse = z
  .object({ sign_in_link: z.string(), expires_at: timestamp() })
  .meta({ id: "SignInLinkResponse" });

const MailSent = z.object({ success: z.literal(true) }).meta({ id: "MailSent" });

const NO_MAIL =
  "No way to send mail is configured here. POST /api/v1/users/{email}/sign_in_link makes a link that you can hand over yourself.";

type Deps = { db: Db; clock: Clock; log: Log; publicUrl: string; sendMail: SendMail };

export function userRoutes(api: Api, deps: Deps): void {
  const { db, clock, log, publicUrl, sendMail } = deps;
  const path = "/api/v1/users";
  const tag = "users";
  const params = z.object({ user_email: z.string() });
  const change = <T>(run: (tx: Tx) => Promise<T>): Promise<T> => write(db, "User", run);

  /** It ends with the token that it is made with, and opens no more. */
  const linkFor = async (tx: Tx, caller: Caller, user_id: number) => {
    await refuseRevoked(tx, caller);
    return createSignInLink(tx, { clock, publicUrl }, user_id, boundForLink(caller, user_id));
  };

  /** Sends the welcome mail between two transactions: none waits for a mail server. */
  const invite = async (
    caller: Caller,
    user: UserResponse,
    skip_auth: boolean,
    onLimit: "refuse" | "leave out",
  ): Promise<boolean> => {
    if (!sendMail) return false;
    const wait = await countInvitation(db, clock, caller, user.email);
    if (wait !== null) {
      if (onLimit === "refuse") throw wait;
      return false;
    }
    // One after the other, so that of two mails the link of the later one is the only good one.
    const { provider, link } = await change(async (tx) => {
      const { id } = await lockUser(tx, caller, user.email);
      const provider = await requiredProvider(tx, id);
      return { provider, link: skip_auth || provider !== null ? null : await linkFor(tx, caller, id) };
    });
    const { display_name } = await db
      .selectFrom("organizations")
      .select("display_name")
      .where("id", "=", caller.organization_id)
      .executeTakeFirstOrThrow();
    const mail = welcomeMail({
      to: user.email,
      first_name: user.first_name ?? null,
      organization: display_name,
      invited_by: caller.email,
      sign_in_page: `${publicUrl}/sign-in`,
      link,
      by_provider: provider !== null,
    });
    if (!(await trySend(sendMail, mail, log))) return false;
    await db
      .updateTable("users")
      .set({ email_sent: true, invited_at: clock.now().toISOString() })
      .where("id", "=", user.id)
      .execute();
    return true;
  };

  api.get(
    `${path}/`,
    {
      summary: "List users",
      tag,
      permission: "users_read",
      query: list.listQuery(userList),
      response: list.listOf(UserResponse),
    },
    ({ caller, query }) => list.recordPage(UserResponse, db, selectUsers(db, caller), query, userList),
  );

  api.get(
    `${path}/:user_email`,
    { summary: "Get a user", tag, permission: "users_read", params, response: UserResponse },
    ({ caller, params }) => findUser(db, caller, params.user_email),
  );

  api.post(
    `${path}/`,
    {
      summary: "Add a user",
      description:
        "A welcome mail goes out where sending mail is configured; `email_sent` tells; at most three a day go to one address, and 200 a day from one organization. Otherwise make a link to hand over with `sign_in_link`.",
      tag,
      permission: "users_write",
      body: UserCreateRequest,
      response: UserResponse,
    },
    async ({ caller, body }) => {
      const user = await change(async (tx) => {
        const after = await insertUser(tx, clock, caller, body);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      });
      return (await invite(caller, user, body.skip_auth, "leave out"))
        ? findUser(db, caller, user.email)
        : user;
    },
  );

  api.put(
    `${path}/`,
    {
      summary: "Update a user",
      tag,
      permission: "users_write",
      body: UserUpdateRequest,
      response: UserResponse,
    },
    ({ caller, body }) =>
      change(async (tx) => {
        const before = await lockUser(tx, caller, body.email);
        const after = await replaceUser(tx, clock, caller, body, before);
        await api.audit(tx, caller, {
          action: "update",
          resource: tag,
          resource_id: before.id,
          before,
          after,
        });
        return after;
      }),
  );

  const remove = (caller: Caller, email: string, reason: string) =>
    change(async (tx) => {
      const before = await lockUser(tx, caller, email);
      await removeUser(tx, clock, caller, before, reason);
      await api.audit(tx, caller, { action: "delete", resource: tag, resource_id: before.id, before });
      return { success: true };
    });

  api.delete(
    `${path}/`,
    {
      summary: "Delete a user",
      description: "Their sign-ins end, and the API tokens they made are revoked.",
      tag,
      permission: "users_delete",
      body: UserDeleteRequest,
      response: Deleted,
    },
    ({ caller, body }) => remove(caller, body.email, body.reason),
  );

  api.delete(
    `${path}/delete_account`,
    { summary: "Delete your own account", tag, permission: "users_delete", response: Deleted },
    ({ caller }) => remove(caller, caller.email, "The person deleted this account"),
  );

  api.post(
    `${path}/:user_email/send_email`,
    {
      summary: "Send the welcome mail again",
      tag,
      permission: "users_write",
      params,
      query: z.object({ skip_auth: queryBoolean().prefault(false) }),
      response: MailSent,
    },
    async ({ caller, params, query }) => {
      const user = await change(async (tx) => {
        const found = await findUser(tx, caller, params.user_email);
        if (!sendMail) throw new Fault("unsupported", NO_MAIL);
        await api.audit(tx, caller, { action: "send-email", resource: tag, resource_id: found.id });
        return found;
      });
      if (await invite(caller, user, query.skip_auth, "refuse")) return { success: true };
      throw new Fault("unavailable", "The mail could not be sent. Try again later.");
    },
  );

  api.post(
    `${path}/:user_email/sign_in_link`,
    {
      summary: "Create a sign-in link for a user",
      description:
        "For handing over where no mail can be sent. A link made earlier stops working. One made with an API token ends with the token, allows no more than it, and sets a password only for people added with it.",
      tag,
      permission: "users_write",
      params,
      response: SignInLinkResponse,
    },
    ({ caller, params }) =>
      change(async (tx) => {
        const user = await lockUser(tx, caller, params.user_email);
        await refuseMightier(tx, caller, user);
        const provider = await requiredProvider(tx, user.id);
        if (provider !== null)
          throw new Fault(
            "refused",
            `${user.email} signs in with ${provider}, and a link would be refused. Make them an exception of single sign-on first.`,
          );
        const link = await linkFor(tx, caller, user.id);
        await tx
          .updateTable("users")
          .set({ invited_at: clock.now().toISOString() })
          .where("id", "=", user.id)
          .execute();
        await api.audit(tx, caller, { action: "sign-in-link", resource: tag, resource_id: user.id });
        return link;
      }),
  );
}
