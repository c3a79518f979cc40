import { sql } from "kysely";
import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import { lockRow } from "../api/hold-record.ts";
import { file } from "../api/input/form.ts";
import * as list from "../api/list.ts";
import { write } from "../api/resource.ts";
import { Deleted, isCalendarDate, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, invalid, notFound } from "../base/errors.ts";
import { normalisePhone, WITH_COUNTRY } from "../channels/address.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import { publish } from "../events/event.ts";
import {
  MAX_DO_NOT_CALL_bytes,
  MAX_DO_NOT_CALL_ROWS,
  readDoNotCall,
  replaceNumbers,
} from "./do-not-call-file.ts";
import { DoNotCallList, DoNotCallListSettings, listRules, selectLists } from "./do-not-call-list.ts";
import type { ListUploads } from "./list-upload.ts";

const PATH = "/api/v1/do-not-call-lists";

type Deps = { db: Db; clock: Clock; uploads: ListUploads };

/** Named lists of numbers that campaigns skip. */
export function doNotCallRoutes(api: Api, { db, clock, uploads }: Deps): void {
  const tag = "suppressions";
  const resource = "do-not-call-lists";
  const params = z.object({ id: recordId() });

  const find = async (from: Db, caller: Caller, id: number): Promise<DoNotCallList> => {
    const found = await selectLists(from, caller, clock.now()).where("l.id", "=", id).executeTakeFirst();
    if (!found) throw notFound("Do-not-call list", id);
    return found;
  };

  api.get(
    `${PATH}/`,
    {
      summary: "List do-not-call lists",
      description: "Each with the date of its file and its age.",
      tag,
      permission: "outbound_read",
      query: list.listQuery(listRules),
      response: list.listOf(DoNotCallList),
    },
    async ({ caller, query }) =>
      list.onlyFields(
        await list.listPage(db, selectLists(db, caller, clock.now()), query, listRules),
        query.fields,
        DoNotCallList,
      ),
  );

  api.post(
    `${PATH}/`,
    {
      summary: "Create a do-not-call list",
      description: "It is empty until a file is imported.",
      tag,
      permission: "outbound_write",
      body: DoNotCallListSettings,
      response: DoNotCallList,
    },
    ({ caller, body }) =>
      write(db, "Do-not-call list", async (tx) => {
        const { id } = await tx
          .insertInto("do_not_call_lists")
          .values({ ...body, sub_organization_id: caller.sub_organization_id, ...stamp(caller) })
          .returning("id")
          .executeTakeFirstOrThrow()
          .catch((error: unknown) => refuseTwice(error, body.name));
        const after = await find(tx, caller, id);
        await api.audit(tx, caller, { action: "create", resource, resource_id: id, after });
        return after;
      }),
  );

  api.put(
    `${PATH}/:id`,
    {
      summary: "Replace the settings of a do-not-call list",
      description: "Its numbers stay. Applies from the next attempt on.",
      tag,
      permission: "outbound_write",
      params,
      body: DoNotCallListSettings,
      response: DoNotCallList,
    },
    ({ caller, params, body }) =>
      write(db, "Do-not-call list", async (tx) => {
        await lock(tx, caller, params.id);
        const before = await find(tx, caller, params.id);
        await tx
          .updateTable("do_not_call_lists")
          .set({ ...body, ...stamp(caller) })
          .where("id", "=", before.id)
          .execute()
          .catch((error: unknown) => refuseTwice(error, body.name));
        const after = await find(tx, caller, before.id);
        await api.audit(tx, caller, { action: "update", resource, resource_id: before.id, before, after });
        return after;
      }),
  );

  api.delete(
    `${PATH}/:id`,
    {
      summary: "Delete a do-not-call list",
      description: "Its numbers are deleted with it and may be contacted from the next attempt on.",
      tag,
      permission: "outbound_delete",
      params,
      query: z.object({ reason: z.string().min(1).max(1000) }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, "Do-not-call list", async (tx) => {
        await lock(tx, caller, params.id);
        const before = await find(tx, caller, params.id);
        await sql`delete from do_not_call_numbers where list_id = ${before.id}`.execute(tx);
        await tx
          .updateTable("do_not_call_lists")
          .set({ ...stamp(caller), deleted_at: clock.now().toISOString(), deleted_reason: query.reason })
          .where("id", "=", before.id)
          .execute();
        await api.audit(tx, caller, { action: "delete", resource, resource_id: before.id, before });
        return { success: true };
      }),
  );

  api.post(
    `${PATH}/:id/csv`,
    {
      summary: "Import the numbers of a do-not-call list",
      description: `Replaces the numbers of the list by those of a CSV file: a column \`address\`, or the columns \`area_code\` and \`number\`; without a header one number a row, or area code and number. Up to ${MAX_DO_NOT_CALL_ROWS} rows and 400 MB, stored whole or, when something is wrong, not at all: then the answer names rows and columns.`,
      tag,
      permission: "outbound_write",
      params,
      query: z.object({
        as_of: z
          .string()
          .refine(isCalendarDate, { error: "Input should be a date that exists, as YYYY-MM-DD" })
          .nullish()
          .describe("The date of the file's content; today when left out."),
        calling_code: z
          .string()
          .regex(/^[1-9]\d{0,2}$/)
          .nullish()
          .describe("Of numbers that are written without their country; 1 when left out."),
      }),
      form: { type: "multipart/form-data", streamed: true },
      body: z.object({ file: file().optional() }).meta({ id: "DoNotCallFile" }),
      response: DoNotCallList,
    },
    ({ caller, params, query, request }) => {
      const today = clock.now().toISOString().slice(0, 10);
      const as_of = query.as_of ?? today;
      // A day ahead, because where the caller is it may be tomorrow.
      if (Date.parse(as_of) > clock.now().getTime() + 86_400_000)
        throw invalid(["query", "as_of"], "The date lies in the future");
      return uploads.read(
        request,
        (stream, file_name) =>
          write(db, "Do-not-call list", async (tx) => {
            await lock(tx, caller, params.id);
            const before = await find(tx, caller, params.id);
            const numbers = readDoNotCall(stream, query.calling_code ?? null);
            const replaced = await replaceNumbers(tx, before.id, numbers);
            await tx
              .updateTable("do_not_call_lists")
              .set({
                numbers: replaced.numbers,
                file_name,
                as_of,
                imported_at: clock.now().toISOString(),
                imported_by: caller.email,
                ...stamp(caller),
              })
              .where("id", "=", before.id)
              .execute();
            const after = await find(tx, caller, before.id);
            await publish(tx, caller.sub_organization_id, [
              {
                at: clock.now(),
                source: "api",
                source_id: null,
                category: "suppression",
                type: "list-imported",
                description: `${file_name} put ${replaced.numbers} numbers on the do-not-call list "${before.name}"`,
                attributes: { list: before.name, file_name, as_of, ...replaced },
              },
            ]);
            await api.audit(tx, caller, {
              action: "import",
              resource,
              resource_id: before.id,
              before,
              after,
            });
            return after;
          }),
        MAX_DO_NOT_CALL_bytes,
      );
    },
  );

  api.get(
    `${PATH}/check/:address`,
    {
      summary: "Show which do-not-call lists hold a number",
      tag,
      permission: "outbound_read",
      params: z.object({ address: z.string().min(3).max(40) }),
      response: z.object({ address: z.string(), lists: z.array(z.string()) }).meta({ id: "DoNotCallCheck" }),
    },
    async ({ caller, params }) => {
      const address = normalisePhone(params.address, null);
      if (address === null) throw invalid(["path", "address"], WITH_COUNTRY);
      const { rows } = await sql<{ name: string }>`
        select l.name from do_not_call_lists l
        where l.sub_organization_id = ${caller.sub_organization_id} and l.deleted_at is null
          and exists (select from do_not_call_numbers n where n.list_id = l.id and n.address = ${address})
        order by l.name`.execute(db);
      return { address, lists: rows.map(({ name }) => name) };
    },
  );

  const stamp = ({ email }: Caller) => ({
    last_updated: clock.now().toISOString(),
    last_updated_by: email,
  });

  /** Imports and changes of one list go one after the other. */
  const lock = (tx: Tx, caller: Caller, id: number) => lockRow(tx, caller, "do_not_call_lists", id);
}

function refuseTwice(error: unknown, name: string): never {
  if (!isUniqueViolation(error, "do_not_call_lists_name")) throw error;
  throw new Fault("refused", `A do-not-call list named "${name}" already exists. Choose another name.`);
}
