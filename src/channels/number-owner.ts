import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { claimNumber } from "./number-ownership.ts";

/** Whose a number of the operator's carrier account is (`number-ownership.ts`). */
const NumberOwner = z
  .object({
    number: z.string(),
    organization_id: z.int(),
    organization: z.string().describe("Its display name"),
    assigned_at: timestamp(),
    assigned_by: z.string(),
  })
  .meta({ id: "NumberOwner" });
type NumberOwner = z.infer<typeof NumberOwner>;

const NOUN = "Number owner";
/** In E.164, with its plus sign. */
export const wholeNumber = () =>
  z.string().refine((text) => /^\+[1-9]\d{6,14}$/.test(text), {
    error: "Input should be a number such as +15125551234",
  });

const ownerList: list.ListRules = {
  fields: {
    number: list.text("o.number"),
    organization_id: list.integer("o.organization_id"),
    organization: list.text("g.display_name"),
    assigned_at: list.time("o.assigned_at"),
    assigned_by: list.text("o.assigned_by"),
  },
  time: "o.assigned_at",
  order: [{ column: "o.number", direction: "asc" }],
};

/** Those of the caller's organization; whoever operates the installation sees all. */
const selectOwners = (db: Db, caller: Caller) =>
  db
    .selectFrom("number_owners as o")
    .innerJoin("organizations as g", "g.id", "o.organization_id")
    .select([
      "o.number",
      "o.organization_id",
      "g.display_name as organization",
      "o.assigned_at",
      "o.assigned_by",
    ])
    .$if(!caller.permissions.has("platform_admin"), (own) =>
      own.where("o.organization_id", "=", caller.organization_id),
    );

export function numberOwnerRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/number_owners";
  const tag = "channels";
  const params = z.object({ number: wholeNumber() });
  const find = (tx: Tx, caller: Caller, wanted: string): Promise<NumberOwner | undefined> =>
    selectOwners(tx, caller).where("o.number", "=", wanted).executeTakeFirst();
  /** The row is locked before it is read: a statement that waits and joins the organization joins the owner of before. */
  const lock = async (tx: Tx, caller: Caller, wanted: string): Promise<NumberOwner | undefined> => {
    await tx.selectFrom("number_owners").select("number").where("number", "=", wanted).forUpdate().execute();
    return find(tx, caller, wanted);
  };

  api.get(
    `${path}/`,
    {
      summary: "List the organizations that own numbers of the operator's carrier account",
      description: "Your own numbers; all of them for the operator of the installation.",
      tag,
      permission: "channels_read",
      query: list.listQuery(ownerList),
      response: list.listOf(NumberOwner),
    },
    ({ caller, query }) => list.recordPage(NumberOwner, db, selectOwners(db, caller), query, ownerList),
  );

  api.put(
    `${path}/:number`,
    {
      summary: "Assign a number of the operator's carrier account to an organization",
      description:
        "For whoever operates the installation. Who had it before can no longer call or text from it, and is not reached by it.",
      tag,
      permission: "platform_admin",
      params,
      body: z.object({ organization_id: recordId() }),
      response: NumberOwner,
    },
    ({ caller, params, body }) =>
      write(db, NOUN, async (tx) => {
        const { organization_id } = body;
        const known = await tx
          .selectFrom("organizations")
          .select("id")
          .where("id", "=", organization_id)
          .where("deleted_at", "is", null)
          .executeTakeFirst();
        if (!known) throw notFound("Organization", organization_id);
        const claimant = { organization_id, email: caller.email };
        const claim = await claimNumber(tx, clock, claimant, params.number);
        const before = claim === "claimed" ? undefined : await lock(tx, caller, params.number);
        const assigned = {
          organization_id,
          assigned_at: clock.now().toISOString(),
          assigned_by: caller.email,
        };
        await tx
          .insertInto("number_owners")
          .values({ number: params.number, ...assigned })
          .onConflict((conflict) => conflict.column("number").doUpdateSet(assigned))
          .execute();
        const after = (await find(tx, caller, params.number)) as NumberOwner;
        await api.audit(tx, caller, {
          action: before ? "update" : "create",
          resource: "number_owners",
          resource_id: params.number,
          before,
          after,
        });
        if (before && before.organization_id !== organization_id)
          await tell(tx, before, "number-released", `${params.number} is no longer yours`);
        await tell(tx, after, "number-assigned", `${params.number} is yours now`);
        return after;
      }),
  );

  api.delete(
    `${path}/:number`,
    {
      summary: "Release a number of the operator's carrier account",
      description: "It is nobody's then: the operator assigns it, or another organization attaches it.",
      tag,
      permission: "channels_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, NOUN, async (tx) => {
        const before = await lock(tx, caller, params.number);
        if (!before) throw notFound(NOUN, params.number);
        await tx.deleteFrom("number_owners").where("number", "=", params.number).execute();
        await api.audit(tx, caller, {
          action: "delete",
          resource: "number_owners",
          resource_id: params.number,
          before,
        });
        await tell(tx, before, "number-released", `${params.number} was released`);
        return { success: true };
      }),
  );

  const tell = (tx: Tx, { organization_id }: NumberOwner, type: NumberEvent, description: string) =>
    tellOwner(tx, organization_id, { at: clock.now(), type, description });
}

type NumberEvent = "number-assigned" | "number-released";

/** In the event log of every sub-organization of the organization. */
export async function tellOwner(
  tx: Tx,
  organization_id: number,
  event: { at: Date; type: NumberEvent; description: string },
): Promise<void> {
  const rows = await tx
    .selectFrom("sub_organizations")
    .select("id")
    .where("organization_id", "=", organization_id)
    .execute();
  for (const { id } of rows)
    await publish(tx, id, [{ ...event, source_id: null, category: "channels", source: "api" }]);
}
