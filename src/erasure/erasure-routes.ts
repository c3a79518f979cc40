import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation } from "../db/database.ts";
import { enqueue } from "../jobs/define-job.ts";
import { addCounts, type DeletedCounts } from "./deleted-counts.ts";
import { type ErasureDeps, erasePeople, obstacleTo } from "./erase-people.ts";
import { earlierHashes, hashOfAddress, personToErase } from "./person-address.ts";
import { PERSON_STORES } from "./person-stores.ts";

const counts = () =>
  z
    .record(z.string(), z.int())
    .describe(
      "Records by kind, without kinds of which there are none. Suppressions are kept; their words go.",
    );

const LinkedHashes = z
  .array(z.string())
  .describe(
    "The hashes of the person's other addresses, which their contact links and which are erased, too.",
  );

const Erasure = z
  .object({
    id: z.int(),
    status: z.enum(["PENDING", "WAITING", "RUNNING", "COMPLETED"]),
    address_hash: z.string().describe("HMAC-SHA256 of the address under the installation's key."),
    linked_hashes: LinkedHashes,
    waits_for: z.string().nullish().describe("Why it has not begun."),
    counts: counts(),
    requested_at: timestamp(),
    requested_by: z.string(),
    started_at: timestamp().nullish(),
    finished_at: timestamp().nullish(),
  })
  .meta({ id: "Erasure" });
type Erasure = z.infer<typeof Erasure>;

const ErasurePreview = z
  .object({
    address_hash: z.string().describe("The hash that the erasure of this address has."),
    earlier_hashes: z
      .array(z.string())
      .describe("Those that erasures of it have from before the secret key was replaced."),
    linked_hashes: LinkedHashes,
    counts: counts(),
    waits_for: z.string().nullish().describe("What an erasure would wait for now."),
  })
  .meta({ id: "ErasurePreview" });

const ErasureRequest = z
  .object({
    address: z
      .string()
      .min(1)
      .max(320)
      .describe(
        "A telephone number in E.164 format, an e-mail address, or the id of a signed-in chat visitor.",
      ),
  })
  .meta({ id: "ErasureRequest" });

/** Finished ones are those that are COMPLETED. Index: erasures_unfinished. */
const inStatus = (value: string) =>
  value === "COMPLETED"
    ? sql<boolean>`e.finished_at is not null`
    : sql<boolean>`(e.finished_at is null and e.status = ${value})`;

/** Of whichever address of the person. Indexes: erasures_address, erasures_linked. */
const isOfHash = (value: string) =>
  sql<boolean>`(e.address_hash = ${value} or e.linked_hashes @> array[${value}]::text[])`;

const erasureList: list.ListRules = {
  fields: {
    id: list.integer("e.id"),
    status: list.custom(inStatus, sql`e.status`),
    address_hash: list.custom(isOfHash, sql`e.address_hash`),
    requested_by: list.read(list.text("e.requested_by")),
    requested_at: list.time("e.requested_at"),
    finished_at: list.read(list.time("e.finished_at")),
  },
  time: "e.requested_at",
  order: [
    { column: "e.requested_at", direction: "desc" },
    { column: "e.id", direction: "desc" },
  ],
  countUpTo: 10_000,
  isLong: true,
};

/** Indexes: erasures_listed, erasures_address, erasures_unfinished. */
const selectErasures = (db: Db, caller: Caller) =>
  db
    .selectFrom("erasures as e")
    .where("e.sub_organization_id", "=", caller.sub_organization_id)
    .select([
      "e.id",
      "e.status",
      "e.address_hash",
      "e.linked_hashes",
      "e.waits_for",
      "e.counts",
      "e.requested_at",
      "e.requested_by",
      "e.started_at",
      "e.finished_at",
    ])
    .$castTo<Erasure>();

export function erasureRoutes(api: Api, { db, clock, vault }: ErasureDeps): void {
  const path = "/api/v1/erasures";
  const tag = "erasures";
  const permission = "sessions_delete";

  const personOf = (from: Db, caller: Caller, address: string) =>
    personToErase(from, caller.sub_organization_id, address);
  const linkedHashes = ({ tenant, linked }: Awaited<ReturnType<typeof personOf>>): string[] =>
    linked.map((address) => hashOfAddress(vault, tenant, [address]));
  const find = async (from: Db, caller: Caller, id: number): Promise<Erasure> => {
    const found = await selectErasures(from, caller).where("e.id", "=", id).executeTakeFirst();
    if (!found) throw notFound("Erasure", id);
    return found;
  };

  api.get(
    `${path}/`,
    {
      summary: "List erasures and their proofs",
      description: `Newest first. ${list.LONG}`,
      tag,
      permission,
      query: list.listQuery(erasureList),
      response: list.listOf(Erasure),
    },
    async ({ caller, query }) =>
      list.onlyFields(
        await list.listPage(db, selectErasures(db, caller), query, erasureList),
        query.fields,
        Erasure,
      ),
  );

  api.post(
    `${path}/preview`,
    {
      summary: "Preview the erasure of a person",
      description: "Deletes nothing. The counts are by kind of record.",
      tag,
      permission,
      reads: true,
      body: ErasureRequest,
      response: ErasurePreview,
    },
    async ({ caller, body }) => {
      const person = await personOf(db, caller, body.address);
      let found: DeletedCounts = {};
      for (const store of PERSON_STORES) found = addCounts(found, await store.count(db, person, vault));
      return {
        address_hash: hashOfAddress(vault, person.tenant, person.spellings),
        earlier_hashes: earlierHashes(vault, person.tenant, person.spellings),
        linked_hashes: linkedHashes(person),
        counts: found,
        waits_for: await obstacleTo(db, person, clock.now()),
      };
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Erase a person",
      description:
        "Starts a job that deletes everything said to and by this address, and the others that its contact links, in the caller's sub-organization: sessions, messages, recordings, results, texts, mails, the contact record, requests of campaigns, webhook deliveries, and all exports that exist. It waits while the person is in a call, an answer or an attempt, and cuts nothing off. Opt-outs and suppressions stay, because they protect the person; the words that led to them go. The audit trail keeps who did what, without the content. Backups of the installation are not changed.",
      tag,
      permission,
      body: ErasureRequest,
      response: Erasure,
      refusals: [409],
    },
    async ({ caller, body }) => {
      const person = await personOf(db, caller, body.address);
      const address_hash = hashOfAddress(vault, person.tenant, person.spellings);
      try {
        return await db.transaction().execute(async (tx) => {
          const { id } = await tx
            .insertInto("erasures")
            .values({
              sub_organization_id: person.tenant,
              address_hash,
              linked_hashes: linkedHashes(person),
              sealed_address: vault.seal(JSON.stringify(person.spellings)),
              status: "PENDING",
              waits_for: await obstacleTo(tx, person, clock.now()),
              counts: sql`'{}'::json`,
              requested_at: clock.now().toISOString(),
              requested_by: caller.email,
            })
            .returning("id")
            .executeTakeFirstOrThrow();
          await enqueue(tx, erasePeople, {}, { key: "erase-people" });
          const after = await find(tx, caller, id);
          await api.audit(tx, caller, {
            action: "create",
            resource: tag,
            resource_id: id,
            after: { id, address_hash },
          });
          return after;
        });
      } catch (error) {
        if (isUniqueViolation(error, "erasures_open"))
          throw new Fault("conflict", "An erasure of this address is going on already.");
        throw error;
      }
    },
  );

  api.get(
    `${path}/:erasure_id`,
    {
      summary: "Get an erasure and its proof",
      tag,
      permission,
      params: z.object({ erasure_id: recordId() }),
      response: Erasure,
      refusals: [404],
    },
    ({ caller, params }) => find(db, caller, params.erasure_id),
  );
}
