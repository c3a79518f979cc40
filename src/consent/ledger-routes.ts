import { Readable } from "node:stream";
import type { MultipartFile } from "@fastify/multipart";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { file } from "../api/input/form.ts";
import { write } from "../api/resource.ts";
import { Deleted, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import type { EventOf } from "../events/event-types.ts";
import { type ImportSource, MAX_LIST_ROWS } from "./address-file.ts";
import type { ListUploads } from "./list-upload.ts";

export type LedgerDeps = { db: Db; clock: Clock; uploads: ListUploads };

type Words = { summary: string; description: string };

/** A ledger of who may be reached. An entry is never deleted: it is ended, and stays with the reason. */
type Ledger<Entry extends { id: number }, Imported extends { added: number }> = {
  path: string;
  /** As routes, files and the audit trail name it: `consents`. */
  tag: string;
  noun: string;
  record: z.ZodType<Entry>;
  find(from: Db, caller: Caller, id: number): Promise<Entry | undefined>;
  download: Words & { lines(sub_organization_id: number): AsyncIterable<string> };
  upload: {
    summary: string;
    /** Which columns the file has. */
    columns: string;
    form_id: string;
    response: z.ZodType<Imported>;
    store(tx: Tx, rows: MultipartFile["file"], source: ImportSource): Promise<Imported>;
    event(imported: Imported & { file_name: string }): EventOf<"consents-imported" | "list-imported">;
  };
  end: Words & {
    action: "revoke" | "lift";
    refusal: string;
    /** False where it has ended already. */
    store(tx: Tx, caller: Caller, before: Entry, ending: { at: Date; reason: string }): Promise<boolean>;
  };
};

/** What ledgers have alike: an entry, its end, the whole as a file, and files that add to it. */
export function ledgerRoutes<Entry extends { id: number }, Imported extends { added: number }>(
  api: Api,
  { db, clock, uploads }: LedgerDeps,
  ledger: Ledger<Entry, Imported>,
): { find(from: Db, caller: Caller, id: number): Promise<Entry> } {
  const { path, tag, noun, download, upload, end } = ledger;

  const find = async (from: Db, caller: Caller, id: number): Promise<Entry> => {
    const found = await ledger.find(from, caller, id);
    if (!found) throw notFound(noun, id);
    return found;
  };

  api.get(
    `${path}/csv`,
    {
      summary: download.summary,
      description: download.description,
      tag,
      permission: "outbound_read",
      response: z.string().meta({ format: "binary" }),
      produces: "text/csv",
    },
    ({ caller, reply }) =>
      reply
        .type("text/csv; charset=utf-8")
        .header("content-disposition", `attachment; filename="${tag}.csv"`)
        .send(Readable.from(download.lines(caller.sub_organization_id))),
  );

  api.post(
    `${path}/csv`,
    {
      summary: upload.summary,
      description: `A CSV file with ${upload.columns}; up to ${MAX_LIST_ROWS} rows and 200 MB. It is stored whole or, when something in it is wrong, not at all: then the answer names rows and columns, the header being row 1.`,
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
      body: z.object({ file: file().optional() }).meta({ id: upload.form_id }),
      response: upload.response,
    },
    ({ caller, query, request }) =>
      uploads.read(request, (rows, file_name) =>
        write(db, noun, async (tx) => {
          const { sub_organization_id, email: created_by } = caller;
          const at = clock.now();
          const calling_code = query.calling_code ?? null;
          const source = { sub_organization_id, at, created_by, file_name, calling_code };
          const imported = await upload.store(tx, rows, source);
          const after = { file_name, ...imported };
          await publish(tx, sub_organization_id, [
            { at, source: "api", source_id: null, ...upload.event(after) },
          ]);
          await api.audit(tx, caller, { action: "import", resource: tag, resource_id: null, after });
          return imported;
        }),
      ),
  );

  api.get(
    `${path}/:id`,
    {
      summary: `Get a ${noun.toLowerCase()}`,
      tag,
      permission: "outbound_read",
      params: z.object({ id: recordId() }),
      response: ledger.record,
    },
    ({ caller, params }) => find(db, caller, params.id),
  );

  api.delete(
    `${path}/:id`,
    {
      summary: end.summary,
      description: end.description,
      tag,
      permission: "outbound_delete",
      params: z.object({ id: recordId() }),
      query: z.object({ reason: z.string().min(1).max(1000) }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, noun, async (tx) => {
        const before = await find(tx, caller, params.id);
        const ended = await end.store(tx, caller, before, { at: clock.now(), reason: query.reason });
        if (!ended) throw new Fault("blocked", end.refusal);
        const after = await find(tx, caller, params.id);
        await api.audit(tx, caller, {
          action: end.action,
          resource: tag,
          resource_id: before.id,
          before,
          after,
        });
        return { success: true };
      }),
  );

  return { find };
}
