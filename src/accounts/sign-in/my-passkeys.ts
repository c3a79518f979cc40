import { z } from "zod";
import { recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import { Fault } from "../../base/errors.ts";
import { FACTOR_FIELDS, FactorAsked, type FactorGate } from "./factor-gate.ts";
import { auditOwn, createGuardedChange, endSignIns, refuseBorrowed, thisSignIn } from "./own-account.ts";
import { checkMadePasskey, creationOptions, type PasskeyDeps, passkeysOf, storePasskey } from "./passkey.ts";
import { MadePasskey } from "./passkey-schema.ts";
import { newRecoveryCodes, recoveryCodesLeft } from "./recovery-codes.ts";
import { forgetUnconfirmedApp, forgetUselessCodes, hasSecondFactor } from "./second-factor.ts";

const OwnPasskey = z.object({
  id: z.int(),
  name: z.string(),
  is_synced: z.boolean(),
  created_at: timestamp(),
  last_used_at: timestamp().nullable(),
  is_locked: z.boolean(),
});
const Name = z.string().trim().min(1, "Enter a name.").max(100);
const Password = z.string().max(1000);

type Deps = PasskeyDeps & { gate: FactorGate };

/** People's own passkeys. Whoever has a second factor adds and removes them with one only, besides the password. */
export function myPasskeyRoutes(api: Api, deps: Deps): void {
  const { db, party } = deps;
  const change = createGuardedChange(deps);
  const all = { tag: "console", permission: "permissions_read", hidden: true } as const;
  const path = "/api/console/account/passkeys";

  api.get(
    path,
    {
      ...all,
      summary: "List your passkeys",
      response: z.object({ is_possible: z.boolean(), passkeys: z.array(OwnPasskey) }),
    },
    async ({ caller }) => ({
      is_possible: party !== null,
      passkeys: (await passkeysOf(db, caller.user_id)).map(
        ({ id, name, is_synced, created_at, last_used_at, locked_at }) => ({
          id,
          name,
          is_synced,
          created_at,
          last_used_at,
          is_locked: locked_at !== null,
        }),
      ),
    }),
  );

  api.post(
    `${path}/begin`,
    {
      ...all,
      summary: "Begin adding a passkey",
      body: z.object({ password: Password, ...FACTOR_FIELDS }),
      response: z.union([z.object({ options: z.unknown() }), FactorAsked]),
    },
    ({ caller, request, body }) =>
      change({ caller, request }, body, async (tx, pass) => {
        await pass();
        return { options: await creationOptions({ ...deps, db: tx }, caller) };
      }),
  );

  api.post(
    path,
    {
      ...all,
      summary: "Add a passkey; the first one answers with recovery codes, shown once",
      body: z.object({ name: Name, made: MadePasskey }),
      response: z.object({ recovery_codes: z.array(z.string()).nullable() }),
    },
    async ({ caller, request, body }) => {
      await refuseBorrowed(db, caller, request);
      const { user_id } = caller;
      const checked = await checkMadePasskey(deps, user_id, body.made);
      return db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        const isFirst = !(await hasSecondFactor(tx, user_id));
        await storePasskey(tx, deps, { user_id, name: body.name }, checked);
        // A key for an app that was asked for with the password alone would be a way past the passkey.
        await forgetUnconfirmedApp(tx, user_id);
        // The others were made with one factor.
        const ended = isFirst ? await endSignIns(tx, user_id, { but: thisSignIn(request) }) : 0;
        await auditOwn(api, tx, caller, "add-passkey", { passkey: body.name, ended });
        const hasCodes = (await recoveryCodesLeft(tx, user_id)) > 0;
        return { recovery_codes: hasCodes ? null : await newRecoveryCodes(tx, user_id) };
      });
    },
  );

  const params = z.object({ passkey_id: recordId() });
  const NOT_THERE = "This passkey was removed already.";

  api.post(
    `${path}/:passkey_id/rename`,
    {
      ...all,
      summary: "Rename a passkey of yours",
      params,
      body: z.object({ name: Name }),
      response: z.object({ name: z.string() }),
    },
    ({ caller, request, params, body }) =>
      db.transaction().execute(async (tx) => {
        await refuseBorrowed(tx, caller, request);
        const renamed = await tx
          .updateTable("passkeys")
          .set({ name: body.name })
          .where("user_id", "=", caller.user_id)
          .where("id", "=", params.passkey_id)
          .executeTakeFirst();
        if (renamed.numUpdatedRows === 0n) throw new Fault("not-found", NOT_THERE);
        await auditOwn(api, tx, caller, "rename-passkey", { passkey: body.name });
        return { name: body.name };
      }),
  );

  api.post(
    `${path}/:passkey_id/remove`,
    {
      ...all,
      summary: "Remove a passkey of yours",
      params,
      body: z.object({ password: Password, ...FACTOR_FIELDS }),
      response: z.union([z.object({ has_second_factor: z.boolean() }), FactorAsked]),
    },
    ({ caller, request, params, body }) =>
      change({ caller, request }, body, async (tx, pass) => {
        await pass();
        const removed = await tx
          .deleteFrom("passkeys")
          .where("user_id", "=", caller.user_id)
          .where("id", "=", params.passkey_id)
          .returning("name")
          .executeTakeFirst();
        if (!removed) throw new Fault("not-found", NOT_THERE);
        await forgetUselessCodes(tx, caller.user_id);
        await auditOwn(api, tx, caller, "remove-passkey", { passkey: removed.name });
        return { has_second_factor: await hasSecondFactor(tx, caller.user_id) };
      }),
  );
}
