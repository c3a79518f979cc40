import { sql } from "kysely";
import type { Storage } from "../../accounts/storage.ts";
import type { Caller } from "../../api/caller.ts";
import { holdRecord } from "../../api/hold-record.ts";
import { Fault, notFound } from "../../base/errors.ts";
import type { Db, Tx } from "../../db/database.ts";
import { addWords, MOST_DOCUMENT_CHUNKS, rebuildWords, storeChunks } from "../stored-chunks.ts";
import type { FileContents } from "./file-outcome.ts";
import { chunksOfSections, textOfSections } from "./sections.ts";

/** The most files and pages of one data source. */
const MOST_DOCUMENTS = 2_000;

/** What is stored of a file or page that was read. */
export type ReadDocument = {
  kind: "file" | "page";
  /** The file's name or the page's address: another of the same name takes its place. */
  name: string;
  size_bytes: number;
  contents: FileContents;
};

/** Whose source, and who or what adds to it. */
export type DocumentPlace = { data_source_id: number; sub_organization_id: number; by: string; at: Date };

/** Lock: the source's row, so that its documents change one at a time. */
export async function lockSource(tx: Tx, caller: Caller, id: number): Promise<void> {
  if (!(await holdRecord(tx, caller, "data_sources", id, "update"))) throw notFound("Data source", id);
}

/** Whether a source is there; for reads, and before a file is read. */
export async function refuseNoSource(db: Db, caller: Caller, id: number): Promise<void> {
  const source = await db
    .selectFrom("data_sources")
    .select("id")
    .where("id", "=", id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!source) throw notFound("Data source", id);
}

/** Stores a document, in place of the one of its name, with its parts; under `lockSource`. */
export async function storeDocument(
  tx: Tx,
  { data_source_id, sub_organization_id, by, at }: DocumentPlace,
  { kind, name, size_bytes, contents }: ReadDocument,
  storage: Storage,
): Promise<{ id: number; is_new: boolean }> {
  const { format, pages, pages_without_text, sections } = contents;
  const title = contents.title ?? titleFrom(kind, name);
  const text = textOfSections(sections);
  const chunks = chunksOfSections(sections, title);
  if (chunks.length > MOST_DOCUMENT_CHUNKS) {
    throw new Fault("refused", `"${name}" has too many parts. Divide it into several files.`);
  }
  const before = await tx
    .selectFrom("data_source_documents")
    .select(["id", "slot", sql<number>`octet_length(text)`.as("bytes")])
    .where("data_source_id", "=", data_source_id)
    .where("name", "=", name)
    .executeTakeFirst();
  const more = Buffer.byteLength(text) - (before?.bytes ?? 0);
  if (more > 0) await storage.admit(tx, sub_organization_id, more);
  const now = at.toISOString();
  const values = {
    kind,
    name,
    title,
    format,
    pages,
    pages_without_text,
    characters: sections.reduce((sum, section) => sum + section.text.length, 0),
    size_bytes,
    text,
    updated_at: now,
    last_updated_by: by,
  };
  const slot = before?.slot ?? (await freeSlot(tx, data_source_id));
  const { id } = before
    ? await tx
        .updateTable("data_source_documents")
        .set(values)
        .where("id", "=", before.id)
        .returning("id")
        .executeTakeFirstOrThrow()
    : await tx
        .insertInto("data_source_documents")
        .values({ ...values, data_source_id, sub_organization_id, slot, created_at: now })
        .returning("id")
        .executeTakeFirstOrThrow();
  const owner = { data_source_id, document: { id, slot } };
  await storeChunks(tx, owner, chunks);
  await addWords(tx, owner);
  return { id, is_new: !before };
}

/** A file without a title is about what it is called: "price-list_2026.pdf" is "price list 2026". */
function titleFrom(kind: ReadDocument["kind"], name: string): string | null {
  if (kind === "page") return null;
  return (
    name
      .replace(/\.\w{1,10}$/, "")
      .replace(/[-_.]+/g, " ")
      .trim() || null
  );
}

/** The first that no document has: positions are reused, so that they never run out. */
async function freeSlot(tx: Tx, data_source_id: number): Promise<number> {
  const { rows } = await sql<{ slot: number; documents: number }>`
    with taken as (select slot from data_source_documents where data_source_id = ${data_source_id})
    select min(slot) + 1 as slot, (select count(*)::integer from taken) as documents
    from (select -1 as slot union all select slot from taken) as one
    where not exists (select from taken where taken.slot = one.slot + 1)`.execute(tx);
  const { slot = 0, documents = 0 } = rows[0] ?? {};
  if (documents < MOST_DOCUMENTS) return slot;
  throw new Fault(
    "refused",
    `A data source holds at most ${MOST_DOCUMENTS.toLocaleString("en-US")} files and pages. Delete some, or use another data source.`,
  );
}

/** Removes documents with their parts; under `lockSource`. */
export async function removeDocuments(tx: Tx, data_source_id: number, ids: number[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.deleteFrom("data_source_chunks").where("document_id", "in", ids).execute();
  await tx.deleteFrom("data_source_documents").where("id", "in", ids).execute();
  await rebuildWords(tx, data_source_id);
}
