import { z } from "zod";
import { write } from "../../api/resource.ts";
import type { Api } from "../../api/server.ts";
import { Fault } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { findUser, lockUser } from "../user-record.ts";
import { refuseMightier } from "../user-store.ts";
import { hasSecondFactor, removeSecondFactor } from "./second-factor.ts";

const PersonFactor = z.object({ has_second_factor: z.boolean() });

/** For who has lost the app and the recovery codes: an administrator takes the second factor away. */
export function personFactorRoutes(api: Api, { db }: { db: Db }): void {
  const path = "/api/console/people/:user_email/second-factor";
  const params = z.object({ user_email: z.string() });

  api.get(
    path,
    {
      summary: "Get whether a person has a second factor",
      tag: "console",
      permission: "users_read",
      hidden: true,
      params,
      response: PersonFactor,
    },
    async ({ caller, params }) => {
      const user = await findUser(db, caller, params.user_email);
      return { has_second_factor: await hasSecondFactor(db, user.id) };
    },
  );

  api.post(
    `${path}/remove`,
    {
      summary: "Remove the second factor of a person",
      tag: "console",
      permission: "users_write",
      hidden: true,
      params,
      response: PersonFactor,
    },
    ({ caller, params }) =>
      write(db, "User", async (tx) => {
        if (caller.bound !== null)
          throw new Fault(
            "forbidden",
            "Sign in to the console with your password to remove a second factor.",
          );
        const user = await lockUser(tx, caller, params.user_email);
        if (user.id === caller.user_id)
          throw new Fault("refused", "Remove your own second factor on the page of your account.");
        await refuseMightier(tx, caller, user);
        if (await removeSecondFactor(tx, [user.id]))
          await api.audit(tx, caller, {
            action: "remove-second-factor",
            resource: "users",
            resource_id: user.id,
            after: { email: user.email },
          });
        return { has_second_factor: false };
      }),
  );
}
