import { Readable } from "node:stream";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { file } from "../api/form.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { ADDRESS_FAULT, MAX_LIST_ROWS, readAddress } from "./address-file.ts";
import { fitsChannel, lastWithdrawn, type NewConsent, recordConsent, revokeConsents } from "./consent.ts";
import { exportConsents, importConsents, readConsents } from "./consent-file.ts";
import {
  Consent,
  ConsentCreateRequest,
  ConsentImport,
  consentList,
  selectConsents,
} from "./consent-record.ts";
import type { ListUploads } from "./list-upload.ts";

type Deps = { db: Db; clock: Clock; uploads: ListUploads };

/** The ledger of who agreed to be contacted for what. */
export function consentRoutes(api: Api, { db, clock, uploads }: Deps): void {
  const path = "/api/v1/consents";
  const tag = "consents";

  const find = async (from: Db, caller: Caller, id: number): Promise<Consent> => {
    const found = await selectConsents(from, caller).where("c.id", "=", id).executeTakeFirst();
    if (!found) throw notFound("Consent", id);
    return found;
  };

  api.get(
    `${path}/`,
    {
      summary: "List consents",
      description: `Newest first. Those that were revoked are left out unless \`revoked\` is searched. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(consentList),
      response: list.listOf(Consent),
    },
    async ({ caller, query }) => {
      const all = selectConsents(db, caller);
      const asked = query.search_fields.some((field) => field === "revoked" || field === "revoked_at");
      const rows = asked ? all : all.where("c.revoked_at", "is", null);
      return list.onlyFields(await list.listPage(db, rows, query, consentList), query.fields, Consent);
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Record a consent",
      description:
        "One that holds already stays as it is, with its first proof. Refused for a consent that the person withdrew at that time or later.",
      tag,
      permission: "outbound_write",
      body: ConsentCreateRequest,
      response: Consent,
    },
    ({ caller, body }) => {
      const now = clock.now();
      const consent = newConsent(body, now);
      return write(db, "Consent", async (tx) => {
        const { sub_organization_id, email: by } = caller;
        const withdrawn = await lastWithdrawn(tx, sub_organization_id, consent);
        if (withdrawn !== null)
          throw new Fault(
            "blocked",
            `${consent.address} withdrew this consent at ${withdrawn.toISOString()}. Record one that was given later.`,
          );
        const { id } = await recordConsent(tx, consent, { sub_organization_id, at: now, by });
        const after = await find(tx, caller, id);
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: id, after });
        return after;
      });
    },
  );

  api.get(
    `${path}/csv`,
    {
      summary: "Download the consent ledger",
      description: "Every consent with its proof, revoked ones too.",
      tag,
      permission: "outbound_read",
      response: z.string().meta({ format: "binary" }),
      produces: "text/csv",
    },
    ({ caller, reply }) =>
      reply
        .type("text/csv; charset=utf-8")
        .header("content-disposition", 'attachment; filename="consents.csv"')
        .send(Readable.from(exportConsents(db, caller.sub_organization_id))),
  );

  api.post(
    `${path}/csv`,
    {
      summary: "Import consents",
      description: `A CSV file with the columns \`address\`, \`purpose\`, \`channel\`, \`given_through\` and \`valid_from\` and, where wanted, \`wording\` and \`evidence\`; up to ${MAX_LIST_ROWS} rows and 200 MB. It is stored whole or, when something in it is wrong, not at all: then the answer names rows and columns, the header being row 1.`,
      tag,
      permission: "outbound_write",
      query: z.object({
        calling_code: z
          .string()
          .regex(/^[1-9]\d{0,2}$/)
          .nullish()
          .describe("Of numbers that are written without their country: 1 for North America."),
      }),
      form: { type: "multipart/form-data", streamed: true },
      body: z.object({ file: file().optional() }).meta({ id: "ConsentFile" }),
      response: ConsentImport,
    },
    ({ caller, query, request }) =>
      uploads.read(request, (file, file_name) => {
        const now = clock.now();
        const rows = readConsents(file, { calling_code: query.calling_code ?? null, file_name, now });
        return write(db, "Consent", async (tx) => {
          const { sub_organization_id, email } = caller;
          const imported = await importConsents(tx, rows, {
            sub_organization_id,
            at: now,
            created_by: email,
          });
          const after = { file_name, ...imported };
          await publish(tx, sub_organization_id, [
            {
              at: now,
              source: "api",
              source_id: null,
              category: "consent",
              type: "consents-imported",
              description: `${file_name} added ${imported.added} consents`,
              attributes: after,
            },
          ]);
          await api.audit(tx, caller, { action: "import", resource: tag, resource_id: null, after });
          return imported;
        });
      }),
  );

  api.get(
    `${path}/:id`,
    {
      summary: "Get a consent",
      tag,
      permission: "outbound_read",
      params: z.object({ id: recordId() }),
      response: Consent,
    },
    ({ caller, params }) => find(db, caller, params.id),
  );

  api.delete(
    `${path}/:id`,
    {
      summary: "Revoke a consent",
      description:
        "From now on nobody is contacted on the strength of it; an attempt that was claimed and is not with its carrier yet is not made. The entry stays in the ledger with the reason and who revoked it.",
      tag,
      permission: "outbound_delete",
      params: z.object({ id: recordId() }),
      query: z.object({ reason: z.string().min(1).max(1000) }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, "Consent", async (tx) => {
        const before = await find(tx, caller, params.id);
        const { sub_organization_id, email: by } = caller;
        const revocation = { at: clock.now(), through: "operator", said: query.reason, by } as const;
        const revoked = await revokeConsents(tx, { sub_organization_id, id: before.id }, revocation);
        if (revoked === 0) throw new Fault("blocked", "This consent has been revoked already.");
        const after = await find(tx, caller, params.id);
        await api.audit(tx, caller, {
          action: "revoke",
          resource: tag,
          resource_id: before.id,
          before,
          after,
        });
        return { success: true };
      }),
  );
}

function newConsent(
  { address, wording, evidence, valid_from, ...body }: z.output<typeof ConsentCreateRequest>,
  now: Date,
): NewConsent {
  const normalised = readAddress(address, null);
  if (normalised === null) throw invalid(["body", "address"], `${ADDRESS_FAULT}, such as +15125551234`);
  if (!fitsChannel(normalised, body.channel))
    throw invalid(["body", "channel"], "A number is called or texted, an e-mail address is written to");
  const from = valid_from == null ? now : new Date(valid_from);
  if (from > now) throw invalid(["body", "valid_from"], "Input should not lie in the future");
  return {
    ...body,
    address: normalised,
    wording: wording ?? null,
    evidence: evidence ?? null,
    valid_from: from,
  };
}
