import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { takeTurn, write } from "../api/resource.ts";
import { Deleted, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import {
  claimDomain,
  normaliseDomain,
  PROOFS,
  proveDomain,
  recordName,
  recordValue,
} from "../channels/mail-domain-store.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { LookUp } from "../mime/sender-checks.ts";

const MailDomain = z
  .object({
    id: z.int(),
    organization_id: z.int(),
    organization_name: z.string(),
    domain: z.string(),
    proven_at: timestamp().nullable().describe("null: claimed only"),
    proven_by: z.enum(PROOFS).nullable(),
    record_name: z.string().describe("Name of the TXT record that proves the domain"),
    record_value: z.string().describe("Required value of that TXT record"),
    created_at: timestamp(),
    created_by: z.string(),
  })
  .meta({ id: "MailDomain" });
type MailDomain = z.infer<typeof MailDomain>;

const MailDomainClaim = z.object({ domain: z.string().min(1).max(253) }).meta({ id: "MailDomainClaim" });

const domainList: list.ListRules = {
  fields: {
    id: list.integer("d.id"),
    organization_id: list.integer("d.organization_id"),
    domain: list.text("d.domain"),
    proven_by: list.exact("d.proven_by"),
    created_by: list.text("d.created_by"),
  },
  time: "d.created_at",
  order: [
    { column: "d.domain", direction: "asc" },
    { column: "d.id", direction: "asc" },
  ],
};

type Row = Omit<MailDomain, "record_name" | "record_value"> & { token: string };

const selectDomains = (db: Db) =>
  db
    .selectFrom("mail_domains as d")
    .innerJoin("organizations as o", "o.id", "d.organization_id")
    .where("o.deleted_at", "is", null)
    .select([
      "d.id",
      "d.organization_id",
      "o.display_name as organization_name",
      "d.domain",
      "d.proven_at",
      "d.proven_by",
      "d.created_at",
      "d.created_by",
      "d.token",
    ])
    .$castTo<Row>();

const shown = ({ token, ...row }: Row): MailDomain => ({
  ...row,
  record_name: recordName(row.domain),
  record_value: recordValue(token),
});

const NOUN = "Mail domain";
const LONGEST_LOOKUP_MS = 10_000;

/** Domains have owners: without one, the built-in SMTP server takes no mail and the installation's server sends none. */
export function mailDomainRoutes(
  api: Api,
  { db, clock, lookUp }: { db: Db; clock: Clock; lookUp: LookUp },
): void {
  const path = "/api/v1/mail_domains";
  const tag = "channels";
  const resource = "mail_domains";
  const params = z.object({ mail_domain_id: recordId() });

  const find = async (from: Db, id: number, caller: Caller | null): Promise<Row> => {
    const all = selectDomains(from).where("d.id", "=", id);
    const own = caller === null ? all : all.where("d.organization_id", "=", caller.organization_id);
    const found = await own.executeTakeFirst();
    if (!found) throw notFound(NOUN, id);
    return found;
  };
  const audit = (tx: Tx, caller: Caller, action: string, before: Row | null, after: Row | null) =>
    api.audit(tx, caller, {
      action,
      resource,
      resource_id: (after ?? before)?.id ?? null,
      ...(before && { before: shown(before) }),
      ...(after && { after: shown(after) }),
    });
  const page = async (select: ReturnType<typeof selectDomains>, query: list.ListQuery) => {
    const found = await list.listPage(db, select, query, domainList);
    return list.onlyFields({ ...found, items: found.items.map(shown) }, query.fields, MailDomain);
  };
  const prove = (id: number, caller: Caller, by: "dns" | "operator", owner: Caller | null) =>
    write(db, NOUN, async (tx) => {
      await takeTurn(tx, resource, id);
      const before = await find(tx, id, owner);
      // The operator's word moves a domain: who had it claims it still.
      if (by === "operator") {
        await tx
          .updateTable("mail_domains")
          .set({ proven_at: null, proven_by: null })
          .where("domain", "=", before.domain)
          .where("id", "!=", id)
          .where("proven_at", "is not", null)
          .execute();
      }
      await proveDomain(tx, clock, before, by);
      const after = await find(tx, id, owner);
      await audit(tx, caller, "update", before, after);
      if (before.proven_at === null)
        await tell(tx, clock, after, "mail-domain-proven", `Mail domain ${after.domain} is proven`);
      return shown(after);
    });
  const remove = (id: number, caller: Caller, owner: Caller | null) =>
    write(db, NOUN, async (tx) => {
      await takeTurn(tx, resource, id);
      const before = await find(tx, id, owner);
      await tx.deleteFrom("mail_domains").where("id", "=", id).execute();
      await audit(tx, caller, "delete", before, null);
      await tell(tx, clock, before, "mail-domain-released", `Mail domain ${before.domain} was released`);
      return { success: true };
    });

  api.get(
    `${path}/`,
    {
      summary: "List the organization's mail domains",
      tag,
      permission: "channels_read",
      query: list.listQuery(domainList),
      response: list.listOf(MailDomain),
    },
    ({ caller, query }) =>
      page(selectDomains(db).where("d.organization_id", "=", caller.organization_id), query),
  );

  api.post(
    `${path}/`,
    {
      summary: "Claim a mail domain",
      description:
        "A claim counts once it is proven by its TXT record or by the operator. A domain that was claimed before is answered as it is.",
      tag,
      permission: "channels_write",
      body: MailDomainClaim,
      response: MailDomain,
    },
    ({ caller, body }) =>
      write(db, NOUN, async (tx) => {
        const domain = normaliseDomain(body.domain);
        if (domain === null)
          throw invalid(["body", "domain"], "Input should be a domain such as clinic.example");
        await claimDomain(tx, clock, caller, domain);
        const after = await selectDomains(tx)
          .where("d.organization_id", "=", caller.organization_id)
          .where("d.domain", "=", domain)
          .executeTakeFirstOrThrow();
        await audit(tx, caller, "create", null, after);
        return shown(after);
      }),
  );

  api.post(
    `${path}/:mail_domain_id/verify`,
    {
      summary: "Prove a mail domain by its TXT record",
      description: "Looks for `record_value` in the TXT records of `record_name`.",
      tag,
      permission: "channels_write",
      // Each asks a name server.
      calls_per_minute: 30,
      params,
      response: MailDomain,
    },
    async ({ caller, params }) => {
      const claim = await find(db, params.mail_domain_id, caller);
      if (claim.proven_at === null) await requireRecord(lookUp, shown(claim));
      return prove(claim.id, caller, "dns", caller);
    },
  );

  api.delete(
    `${path}/:mail_domain_id`,
    {
      summary: "Release a mail domain",
      description:
        "Mail of its addresses is neither taken nor sent from then on, and another organization may prove it.",
      tag,
      permission: "channels_delete",
      params,
      response: Deleted,
    },
    ({ caller, params }) => remove(params.mail_domain_id, caller, caller),
  );

  api.get(
    `${path}/claims`,
    {
      summary: "List the mail domains of all organizations",
      description: "For whoever operates the installation.",
      tag,
      permission: "platform_admin",
      query: list.listQuery(domainList),
      response: list.listOf(MailDomain),
    },
    ({ query }) => page(selectDomains(db), query),
  );

  api.put(
    `${path}/claims/:mail_domain_id`,
    {
      summary: "Assign a mail domain to the organization that claims it",
      description: "For whoever operates the installation. Another organization that has proven it loses it.",
      tag,
      permission: "platform_admin",
      params,
      response: MailDomain,
    },
    ({ caller, params }) => prove(params.mail_domain_id, caller, "operator", null),
  );

  api.delete(
    `${path}/claims/:mail_domain_id`,
    {
      summary: "Take a mail domain from an organization",
      description: "For whoever operates the installation.",
      tag,
      permission: "platform_admin",
      params,
      response: Deleted,
    },
    ({ caller, params }) => remove(params.mail_domain_id, caller, null),
  );
}

async function requireRecord(lookUp: LookUp, { record_name, record_value }: MailDomain): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("late")), LONGEST_LOOKUP_MS);
  let texts: string[];
  try {
    const records = await Promise.race([lookUp(record_name, "TXT"), late.promise]);
    texts = records.map((parts) => [parts].flat().join("").trim());
  } catch (error) {
    const { code } = (error ?? {}) as { code?: string };
    const isMissing = code === "ENOTFOUND" || code === "ENODATA";
    const why = isMissing ? "there is no such record yet" : (code ?? "the name server did not answer");
    throw new Fault(
      "refused",
      `TXT record ${record_name} could not be read: ${why}. It has to say ${record_value}.`,
    );
  } finally {
    clearTimeout(timer);
  }
  if (texts.includes(record_value)) return;
  throw new Fault("refused", `TXT record ${record_name} says something else. It has to say ${record_value}.`);
}

/** Told to the organization's first sub-organization: domains are of all of them. */
async function tell(
  tx: Tx,
  clock: Clock,
  domain: Row,
  type: "mail-domain-proven" | "mail-domain-released",
  description: string,
): Promise<void> {
  const first = await tx
    .selectFrom("sub_organizations")
    .select("id")
    .where("organization_id", "=", domain.organization_id)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (!first) return;
  const at = clock.now();
  const attributes = { domain: domain.domain, proven_by: domain.proven_by };
  await publish(tx, first.id, [
    { at, source: "api", source_id: null, category: "mail", type, description, attributes },
  ]);
}
