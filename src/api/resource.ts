import { sql } from "kysely";
import { z } from "zod";
import { Fault, type InputIssue, notFound } from "../base/errors.ts";
import { type Db, isUniqueViolation, type Tx } from "../db/database.ts";
import type { Caller } from "./caller.ts";
import { type ListQuery, type ListRules, listOf, listQuery, onlyFields, type Page } from "./list.ts";
import { Deleted, recordId } from "./schema.ts";
import type { Api } from "./server.ts";

/**
 * A plain resource: listed, read, created, replaced and softly deleted, each write in one transaction with its audit
 * entry. Create is POST and update PUT on the collection (the id is in the body), as the public API has them.
 */
type Resource<
  Row extends object,
  Create,
  Update extends { id: number },
  Remove extends { reason: string } = { reason: string },
> = {
  /** `/api/v1/services`; the answers say "Service with ID 7 not found". */
  path: string;
  noun: string;
  /** What the public API calls the record's number in a path: `service_id`. */
  id_name: string;
  tag: string;
  /** A path that the same records had before. */
  deprecated?: boolean;
  /** `services` stands for services_read, services_write and services_delete. */
  permission: string | Permissions;
  record: z.ZodObject;
  /** What one record answers with, where that is more than a list's row. */
  detail?: z.ZodObject;
  create: z.ZodType<Create>;
  update: z.ZodType<Update>;
  /** What its rules find in a body whose shape is wrong. */
  also_wrong?(given: unknown): InputIssue[];
  /** What the audit trail keeps of a record, where that isn't its answer; `input`: what a save was given. */
  audited?(
    row: Row,
    input: Create | Update | undefined,
    within: { tx: Tx; caller: Caller },
  ): object | Promise<object>;
  /** The query of a delete, where it takes more than a reason. */
  remove?: z.ZodType<Remove>;
  list: ListRules;
  /** What a save answers, where that tells more than the record as it is read: what of the input was left out. */
  answered?(input: Create | Update, stored: Row): Row;
  store: {
    page(caller: Caller, query: ListQuery): Promise<Page<Row>>;
    find(db: Db, caller: Caller, id: number): Promise<Row | undefined>;
    insert(tx: Tx, caller: Caller, input: Create): Promise<number>;
    /**
     * Called with the record as `find` read it in this transaction. `find` takes no lock, since reads use it too: what a
     * change depends on is locked, and read again, here.
     */
    replace(tx: Tx, caller: Caller, input: Update, before: Row): Promise<void>;
    remove(tx: Tx, caller: Caller, id: number, query: Remove, before: Row): Promise<void>;
  };
};

/** Creates a record in a transaction of somebody else's, with its audit entry, as POST does; checks no permission. */
export type Creates<Create, Row> = (tx: Tx, caller: Caller, input: Create) => Promise<Row>;

type Permissions = { read: string; write: string; delete: string };

const permissionsOf = (permission: string | Permissions): Permissions =>
  typeof permission === "string"
    ? { read: `${permission}_read`, write: `${permission}_write`, delete: `${permission}_delete` }
    : permission;

export function addResource<
  Row extends object,
  Create,
  Update extends { id: number },
  Remove extends { reason: string } = { reason: string },
>(api: Api, db: Db, resource: Resource<Row, Create, Update, Remove>): { create: Creates<Create, Row> } {
  const { path, noun, tag, deprecated, store } = resource;
  const permissions = permissionsOf(resource.permission);
  const detail = resource.detail ?? resource.record;
  const audited = async (tx: Tx, caller: Caller, row: Row, input?: Create | Update): Promise<object> =>
    (await resource.audited?.(row, input, { tx, caller })) ?? row;
  const answered = resource.answered ?? ((_input: Create | Update, stored: Row): Row => stored);
  const plural = `${noun.toLowerCase()}s`;
  const one = `${path}/:${resource.id_name}`;
  const params = z.object({ [resource.id_name]: recordId() });
  const idOf = (given: z.infer<typeof params>): number => given[resource.id_name] as number;

  const existing = async (from: Db, caller: Caller, id: number): Promise<Row> => {
    const found = await store.find(from, caller, id);
    if (!found) throw notFound(noun, id);
    return found;
  };

  const create: Creates<Create, Row> = async (tx, caller, input) => {
    const id = await store.insert(tx, caller, input);
    const after = await existing(tx, caller, id);
    await api.audit(tx, caller, {
      action: "create",
      resource: tag,
      resource_id: id,
      after: await audited(tx, caller, after, input),
    });
    return answered(input, after);
  };

  api.get(
    `${path}/`,
    {
      summary: `List ${plural}`,
      tag,
      deprecated,
      permission: permissions.read,
      query: listQuery(resource.list),
      response: listOf(resource.record),
    },
    async ({ caller, query }) => onlyFields(await store.page(caller, query), query.fields, resource.record),
  );

  api.post(
    `${path}/`,
    {
      summary: `Create ${oneOf(noun)}`,
      tag,
      deprecated,
      permission: permissions.write,
      body: resource.create,
      also_wrong: resource.also_wrong,
      response: detail,
    },
    ({ caller, body }) => write(db, noun, (tx) => create(tx, caller, body as Create)),
  );

  api.put(
    `${path}/`,
    {
      summary: `Update ${oneOf(noun)}`,
      tag,
      deprecated,
      permission: permissions.write,
      body: resource.update,
      also_wrong: resource.also_wrong,
      response: detail,
    },
    ({ caller, body }) =>
      write(db, noun, async (tx) => {
        const input = body as Update;
        await takeTurn(tx, tag, input.id);
        const before = await existing(tx, caller, input.id);
        await store.replace(tx, caller, input, before);
        const after = await existing(tx, caller, input.id);
        await api.audit(tx, caller, {
          action: "update",
          resource: tag,
          resource_id: input.id,
          before: await audited(tx, caller, before),
          after: await audited(tx, caller, after, input),
        });
        return answered(input, after);
      }),
  );

  api.get(
    one,
    {
      summary: `Get ${oneOf(noun)}`,
      tag,
      deprecated,
      permission: permissions.read,
      params,
      response: detail,
    },
    ({ caller, params }) => existing(db, caller, idOf(params)),
  );

  api.delete(
    one,
    {
      summary: `Delete ${oneOf(noun)}`,
      tag,
      deprecated,
      permission: permissions.delete,
      params,
      query: resource.remove ?? z.object({ reason: z.string() }),
      response: Deleted,
    },
    ({ caller, params, query }) =>
      write(db, noun, async (tx) => {
        const id = idOf(params);
        await takeTurn(tx, tag, id);
        const before = await existing(tx, caller, id);
        await store.remove(tx, caller, id, query as Remove, before);
        await api.audit(tx, caller, {
          action: "delete",
          resource: tag,
          resource_id: id,
          before: await audited(tx, caller, before),
        });
        return { success: true };
      }),
  );
  return { create };
}

/**
 * Two that change one record at once do so one after the other: each audits what the one before it left. For records that
 * may not be there yet, whose row nobody can lock.
 */
export async function takeTurn(tx: Tx, resource: string, id: number | string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`${resource}/${id}`}, 0))`.execute(tx);
}

/** One transaction; a name that is taken is told in words. */
export async function write<T>(db: Db, noun: string, change: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(change);
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw new Fault("refused", `${noun} with this name already exists. Choose another name.`, {
        cause: error,
      });
    }
    throw error;
  }
}

/** Refuses to take away a record that others still need, or the name by which they know it, naming them. */
export function refuseWhileHeld(
  noun: string,
  holders: { kind: string; name: string }[],
  { change = "delete", cure = "" }: { change?: "delete" | "rename"; cure?: string } = {},
): void {
  if (holders.length === 0) return;
  const shown = holders.slice(0, 5).map((holder) => `${holder.kind} "${holder.name}"`);
  const more = holders.length > shown.length ? ` and ${holders.length - shown.length} more` : "";
  throw new Fault(
    "refused",
    `Cannot ${change} ${noun} while it is used by ${shown.join(", ")}${more}.${cure && ` ${cure}`}`,
  );
}

/** "an agent", "a prompt". */
const oneOf = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun.toLowerCase()}`;
