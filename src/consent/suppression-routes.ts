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
import { normaliseEmail, normalisePhone } from "../channels/address.ts";
import type { Db } from "../db/database.ts";
import { publish } from "../events/event.ts";
import { MAX_LIST_ROWS } from "./address-file.ts";
import type { ListUploads } from "./list-upload.ts";
import { liftedEvent, type Proof, suppress } from "./suppression.ts";
import { exportSuppressions, importSuppressions, readSuppressions } from "./suppression-file.ts";
import {
  Suppression,
  SuppressionCreateRequest,
  SuppressionImport,
  selectSuppressions,
  suppressionList,
} from "./suppression-record.ts";

type Deps = { db: Db; clock: Clock; uploads: ListUploads };

export function suppressionRoutes(api: Api, { db, clock, uploads }: Deps): void {
  const path = "/api/v1/suppressions";
  const tag = "suppressions";

  const find = async (from: Db, caller: Caller, id: number): Promise<Suppression> => {
    const found = await selectSuppressions(from, caller).where("s.id", "=", id).executeTakeFirst();
    if (!found) throw notFound("Suppression", id);
    return found;
  };

  api.get(
    `${path}/`,
    {
      summary: "List suppressed addresses",
      description: `Newest first. Those that were lifted are left out unless \`lifted\` is searched. ${list.LONG}`,
      tag,
      permission: "outbound_read",
      query: list.listQuery(suppressionList),
      response: list.listOf(Suppression),
    },
    async ({ caller, query }) => {
      const all = selectSuppressions(db, caller);
      const asked = query.search_fields.some((field) => field === "lifted" || field === "lifted_at");
      const rows = asked ? all : all.where("s.lifted_at", "is", null);
      return list.onlyFields(
        await list.listPage(db, rows, query, suppressionList),
        query.fields,
        Suppression,
      );
    },
  );

  api.post(
    `${path}/`,
    {
      summary: "Suppress an address",
      description:
        "It is not called, texted or e-mailed from now on. An address already on the list stays as it is.",
      tag,
      permission: "outbound_write",
      body: SuppressionCreateRequest,
      response: Suppression,
    },
    ({ caller, body }) =>
      write(db, "Suppression", async (tx) => {
        const address = normalised(body.address);
        const now = clock.now();
        const { scope, reason, comment = null } = body;
        const { sub_organization_id, email: created_by } = caller;
        const proof = operatorProof(now, comment);
        await suppress(
          tx,
          [{ sub_organization_id, address, scope, reason, proof, comment, created_by }],
          now,
        );
        const after = await selectSuppressions(tx, caller)
          .where("s.address", "=", address)
          .where("s.scope", "=", scope)
          .where("s.reason", "=", reason)
          .where("s.lifted_at", "is", null)
          .executeTakeFirstOrThrow();
        await api.audit(tx, caller, { action: "create", resource: tag, resource_id: after.id, after });
        return after;
      }),
  );

  api.get(
    `${path}/csv`,
    {
      summary: "Download the suppression ledger",
      description: "Every entry with its proof, lifted ones too.",
      tag,
      permission: "outbound_read",
      response: z.string().meta({ format: "binary" }),
      produces: "text/csv",
    },
    ({ caller, reply }) =>
      reply
        .type("text/csv; charset=utf-8")
        .header("content-disposition", 'attachment; filename="suppressions.csv"')
        .send(Readable.from(exportSuppressions(db, caller.sub_organization_id))),
  );

  api.post(
    `${path}/csv`,
    {
      summary: "Import a do-not-call list",
      description: `A CSV file with the column \`address\` and, where wanted, \`scope\`, \`reason\`, \`occurred_at\` and \`comment\`; up to ${MAX_LIST_ROWS} rows and 200 MB. It is stored whole or, when something in it is wrong, not at all: then the answer names rows and columns, the header being row 1.`,
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
      body: z.object({ file: file().optional() }).meta({ id: "SuppressionFile" }),
      response: SuppressionImport,
    },
    ({ caller, query, request }) =>
      uploads.read(request, (file, file_name) =>
        importList(caller, readSuppressions(file, query.calling_code ?? null), file_name),
      ),
  );

  const importList = (caller: Caller, rows: ReturnType<typeof readSuppressions>, file_name: string) =>
    write(db, "Suppression", async (tx) => {
      const { sub_organization_id, email } = caller;
      const now = clock.now();
      const into = { sub_organization_id, at: now, created_by: email, file_name };
      const imported = await importSuppressions(tx, rows, into);
      await publish(tx, sub_organization_id, [
        {
          at: now,
          source: "api",
          source_id: null,
          category: "suppression",
          type: "list-imported",
          description: `${file_name} put ${imported.added} addresses on the suppression list`,
          attributes: { file_name, ...imported },
        },
      ]);
      const after = { file_name, ...imported };
      await api.audit(tx, caller, { action: "import", resource: tag, resource_id: null, after });
      return imported;
    });

  api.get(
    `${path}/:id`,
    {
      summary: "Get a suppression",
      tag,
      permission: "outbound_read",
      params: z.object({ id: recordId() }),
      response: Suppression,
    },
    ({ caller, params }) => find(db, caller, params.id),
  );

  api.delete(
    `${path}/:id`,
    {
      summary: "Lift a suppression",
      description:
        "The address may be reached again. The entry stays in the ledger with the reason and who lifted it.",
      tag,
      permission: "outbound_delete",
      params: z.object({ id: recordId() }),
      query: z.object({ reason: z.string().min(1).max(1000) }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, "Suppression", async (tx) => {
        const before = await find(tx, caller, params.id);
        const now = clock.now();
        const { numUpdatedRows } = await tx
          .updateTable("suppressions")
          .set({
            lifted_at: now.toISOString(),
            lifted_through: "operator",
            lifted_said: query.reason,
            lifted_by: caller.email,
          })
          .where("id", "=", before.id)
          .where("lifted_at", "is", null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) throw new Fault("blocked", "This suppression has been lifted already.");
        const proof = operatorProof(now, query.reason);
        await publish(tx, caller.sub_organization_id, [liftedEvent(before.address, proof, now)]);
        const after = await find(tx, caller, params.id);
        await api.audit(tx, caller, { action: "lift", resource: tag, resource_id: before.id, before, after });
        return { success: true };
      }),
  );
}

function normalised(address: string): string {
  const found = address.includes("@") ? normaliseEmail(address) : normalisePhone(address, null);
  if (found !== null) return found;
  throw invalid(
    ["body", "address"],
    "Input should be an e-mail address or a telephone number in E.164 format, such as +15125551234",
  );
}

const operatorProof = (at: Date, said: string | null): Proof => ({
  at,
  through: "operator",
  said,
  session_id: null,
  message_id: null,
});
