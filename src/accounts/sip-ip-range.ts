import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { write } from "../api/resource.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { parseIpNetwork } from "./ip-network.ts";

/** What an organization's telephone system sends from: call signaling, and the sound itself. */
const SipIpRangeType = z.enum(["signaling", "media"]).meta({ id: "OrganizationSipIpRangeType" });

const ipNetwork = () =>
  z
    .string()
    .transform((text, context) => {
      const parsed = parseIpNetwork(text);
      if (parsed.ok) return parsed.network;
      context.addIssue({ code: "custom", message: parsed.problem, params: { type: "ip_any_network" } });
      return z.NEVER;
    })
    .describe("An IPv4 or IPv6 network in CIDR notation");

const SipIpRangeCreate = z
  .object({ type: SipIpRangeType, ip_range: ipNetwork() })
  .meta({ id: "OrganizationSipIpRangeCreate" });
const SipIpRangeUpdate = z
  .object({ type: SipIpRangeType.nullish(), ip_range: ipNetwork().nullish() })
  .meta({ id: "OrganizationSipIpRangeUpdate" });

const SipIpRange = z
  .object({
    type: SipIpRangeType,
    ip_range: z.string(),
    id: z.int(),
    organization_id: z.int(),
    verified: z.boolean(),
    created_at: timestamp().nullish(),
    updated_at: timestamp().nullish(),
    deleted_at: timestamp().nullish(),
  })
  .meta({ id: "OrganizationSipIpRange" });
type SipIpRange = z.infer<typeof SipIpRange>;

const COLUMNS = [
  "type",
  "ip_range",
  "id",
  "organization_id",
  "verified",
  "created_at",
  "updated_at",
  "deleted_at",
] as const;

const selectRanges = (db: Db) =>
  db.selectFrom("sip_ip_ranges").where("deleted_at", "is", null).select(COLUMNS).$castTo<SipIpRange>();

const NOUN = "SIP IP range";

export function sipIpRangeRoutes(api: Api, { db, clock }: { db: Db; clock: Clock }): void {
  const path = "/api/v1/organizations/sip_ip_ranges";
  const tag = "organizations";
  const params = z.object({ sip_ip_range_id: recordId() });

  const locked = async (tx: Tx, caller: Caller, id: number): Promise<SipIpRange> => {
    const found = await selectRanges(tx)
      .where("id", "=", id)
      .where("organization_id", "=", caller.organization_id)
      .forUpdate()
      .executeTakeFirst();
    if (!found) throw notFound(NOUN, id);
    return found;
  };
  const audit = (tx: Tx, caller: Caller, action: string, before?: SipIpRange, after?: SipIpRange) =>
    api.audit(tx, caller, {
      action,
      resource: "sip_ip_ranges",
      resource_id: (after ?? before)?.id ?? null,
      before,
      after,
    });

  api.get(
    `${path}/`,
    {
      summary: "List the organization's SIP IP ranges",
      tag,
      permission: "organizations_read",
      response: z.array(SipIpRange),
    },
    ({ caller }) =>
      selectRanges(db).where("organization_id", "=", caller.organization_id).orderBy("id").execute(),
  );

  api.post(
    `${path}/`,
    {
      summary: "Add a SIP IP range",
      description: "It takes effect once the operator of the installation has verified it.",
      tag,
      permission: "organizations_write",
      body: SipIpRangeCreate,
      status: 201,
      response: SipIpRange,
    },
    ({ caller, body }) =>
      writeOnce(db, body.ip_range, async (tx) => {
        const at = clock.now().toISOString();
        const after = await tx
          .insertInto("sip_ip_ranges")
          .values({ ...body, organization_id: caller.organization_id, created_at: at, updated_at: at })
          .returning(COLUMNS)
          .$castTo<SipIpRange>()
          .executeTakeFirstOrThrow();
        await audit(tx, caller, "create", undefined, after);
        return after;
      }),
  );

  api.put(
    `${path}/:sip_ip_range_id`,
    {
      summary: "Change a SIP IP range",
      description: "What is null or left out stays. Another network or type has to be verified anew.",
      tag,
      permission: "organizations_write",
      params,
      body: SipIpRangeUpdate,
      response: SipIpRange,
    },
    ({ caller, params, body }) =>
      writeOnce(db, body.ip_range ?? "", async (tx) => {
        const before = await locked(tx, caller, params.sip_ip_range_id);
        const type = body.type ?? before.type;
        const ip_range = body.ip_range ?? before.ip_range;
        const same = type === before.type && ip_range === before.ip_range;
        const after = await tx
          .updateTable("sip_ip_ranges")
          .set({ type, ip_range, verified: before.verified && same, updated_at: clock.now().toISOString() })
          .where("id", "=", before.id)
          .returning(COLUMNS)
          .$castTo<SipIpRange>()
          .executeTakeFirstOrThrow();
        await audit(tx, caller, "update", before, after);
        return after;
      }),
  );

  api.delete(
    `${path}/:sip_ip_range_id`,
    { summary: "Remove a SIP IP range", tag, permission: "organizations_write", params, status: 204 },
    ({ caller, params }) =>
      write(db, NOUN, async (tx) => {
        const before = await locked(tx, caller, params.sip_ip_range_id);
        await tx
          .updateTable("sip_ip_ranges")
          .set({ deleted_at: clock.now().toISOString() })
          .where("id", "=", before.id)
          .execute();
        await audit(tx, caller, "delete", before);
      }),
  );

  api.put(
    `${path}/:sip_ip_range_id/verified`,
    {
      summary: "Verify a SIP IP range of any organization",
      description:
        "For whoever operates the installation: the firewalls are open and a test call went through.",
      tag,
      permission: "platform_admin",
      params,
      body: z.object({ verified: z.boolean() }),
      response: SipIpRange,
    },
    ({ caller, params, body }) =>
      write(db, NOUN, async (tx) => {
        const before = await selectRanges(tx)
          .where("id", "=", params.sip_ip_range_id)
          .forUpdate()
          .executeTakeFirst();
        if (!before) throw notFound(NOUN, params.sip_ip_range_id);
        const after = await tx
          .updateTable("sip_ip_ranges")
          .set({ verified: body.verified, updated_at: clock.now().toISOString() })
          .where("id", "=", before.id)
          .returning(COLUMNS)
          .$castTo<SipIpRange>()
          .executeTakeFirstOrThrow();
        await audit(tx, caller, "update", before, after);
        return after;
      }),
  );
}

async function writeOnce<T>(db: Db, ip_range: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(change);
  } catch (error) {
    if (isUniqueViolation(error)) throw new Fault("refused", `There is such a range already: ${ip_range}.`);
    throw error;
  }
}
