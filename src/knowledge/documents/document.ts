import { sql } from "kysely";
import { z } from "zod";
import type { Storage } from "../../accounts/storage.ts";
import type { Caller } from "../../api/caller.ts";
import { file } from "../../api/input/form.ts";
import * as list from "../../api/list.ts";
import { write } from "../../api/resource.ts";
import { Deleted, recordId, timestamp } from "../../api/schema.ts";
import type { Api } from "../../api/server.ts";
import type { Clock } from "../../base/clock.ts";
import { invalid, notFound } from "../../base/errors.ts";
import type { Db } from "../../db/database.ts";
import { enqueueEmbedding } from "../source-embedding.ts";
import type { DocumentReader } from "./document-reader.ts";
import { lockSource, refuseNoSource, removeDocuments, storeDocument } from "./document-store.ts";
import { type FileContents, REFUSALS } from "./file-outcome.ts";

const DOCUMENTS = "/api/v1/data_sources/:data_source_id/documents";
/** A book with pictures. */
const MAX_DOCUMENT_bytes = 25 * 1024 * 1024;

const DataSourceDocument = z
  .object({
    id: z.int(),
    kind: z.enum(["file", "page"]).describe("A file that was uploaded, or a page of a web site."),
    name: z.string().describe("The file's name, or the page's address."),
    title: z.string().nullable(),
    format: z.enum(["pdf", "docx", "html", "markdown", "text"]),
    pages: z.int().nullable().describe("null for formats without pages."),
    pages_without_text: z.int().nullable().describe("Scanned or empty pages, of which nothing is found."),
    characters: z.int().describe("Of the text that was read."),
    size_bytes: z.int().describe("Of the file as it was uploaded; the file itself is not kept."),
    created_at: timestamp(),
    updated_at: timestamp(),
    last_updated_by: z.string(),
  })
  .meta({ id: "DataSourceDocument" });
const DataSourceDocumentText = DataSourceDocument.extend({
  text: z.string().describe("What was read, with its headings and the beginnings of its pages."),
}).meta({ id: "DataSourceDocumentText" });
type DocumentRow = z.infer<typeof DataSourceDocument>;

const documentList: list.ListRules = {
  fields: {
    kind: list.exact("o.kind"),
    name: list.text("o.name"),
    title: list.text("o.title"),
    format: list.exact("o.format"),
    characters: list.integer("o.characters"),
    size_bytes: list.integer("o.size_bytes"),
    created_at: list.time("o.created_at"),
    updated_at: list.time("o.updated_at"),
  },
  time: "o.updated_at",
  order: [{ column: "o.id", direction: "asc" }],
};

const selectDocuments = (db: Db, caller: Caller, data_source_id: number) =>
  db
    .selectFrom("data_source_documents as o")
    .where("o.sub_organization_id", "=", caller.sub_organization_id)
    .where("o.data_source_id", "=", data_source_id)
    .select([
      "o.id",
      "o.kind",
      "o.name",
      "o.title",
      "o.format",
      "o.pages",
      "o.pages_without_text",
      "o.characters",
      "o.size_bytes",
      "o.created_at",
      "o.updated_at",
      "o.last_updated_by",
    ])
    .$castTo<DocumentRow>();

export const sourceParams = z.object({ data_source_id: recordId() });
const documentParams = sourceParams.extend({ document_id: recordId() });

type DocumentParts = { db: Db; clock: Clock; storage: Storage; documents: DocumentReader; embeds: boolean };

/** Files and pages of a data source: what was read of them is searched with its text. */
export function documentRoutes(api: Api, { db, clock, storage, documents, embeds }: DocumentParts): void {
  const tag = "data_sources";
  const find = async (
    from: Db,
    caller: Caller,
    { data_source_id, document_id }: z.infer<typeof documentParams>,
  ) => {
    const found = await selectDocuments(from, caller, data_source_id)
      .where("o.id", "=", document_id)
      .executeTakeFirst();
    if (!found) throw notFound("Document", document_id);
    return found;
  };

  api.get(
    `${DOCUMENTS}/`,
    {
      summary: "List the documents of a data source",
      tag,
      permission: "data_sources_read",
      params: sourceParams,
      query: list.listQuery(documentList),
      response: list.listOf(DataSourceDocument),
    },
    async ({ caller, params, query }) => {
      await refuseNoSource(db, caller, params.data_source_id);
      const rows = selectDocuments(db, caller, params.data_source_id);
      const page = await list.listPage<DocumentRow>(db, rows, query, documentList);
      return list.onlyFields(page, query.fields, DataSourceDocument);
    },
  );

  api.post(
    `${DOCUMENTS}/`,
    {
      summary: "Upload a document to a data source",
      description: `A PDF, DOCX, HTML, Markdown or text file of at most ${MAX_DOCUMENT_bytes / 1024 / 1024} MB. Its text is read before the answer comes, and the file itself is not kept. A file of the same name is replaced.`,
      tag,
      permission: "data_sources_write",
      params: sourceParams,
      body: z.object({ file: file() }),
      form: { type: "multipart/form-data", max_file_bytes: MAX_DOCUMENT_bytes },
      response: DataSourceDocument,
    },
    async ({ caller, params, body }) => {
      const { data_source_id } = params;
      await refuseNoSource(db, caller, data_source_id);
      const { bytes } = body.file;
      const name = body.file.filename.replace(/^.*[\\/]/, "").slice(-255);
      const contents = await readOrRefuse(documents, bytes, name);
      return write(db, "Document", async (tx) => {
        await lockSource(tx, caller, data_source_id);
        const { sub_organization_id, email: by } = caller;
        const place = { data_source_id, sub_organization_id, by, at: clock.now() };
        const read = { kind: "file" as const, name, size_bytes: bytes.length, contents };
        const { id, is_new } = await storeDocument(tx, place, read, storage);
        if (embeds) await enqueueEmbedding(tx, data_source_id);
        const after = await find(tx, caller, { data_source_id, document_id: id });
        const action = is_new ? "create" : "update";
        await api.audit(tx, caller, { action, resource: "data_source_documents", resource_id: id, after });
        return after;
      });
    },
  );

  api.get(
    `${DOCUMENTS}/:document_id`,
    {
      summary: "Read a document of a data source",
      tag,
      permission: "data_sources_read",
      params: documentParams,
      response: DataSourceDocumentText,
    },
    async ({ caller, params }) => {
      const found = await selectDocuments(db, caller, params.data_source_id)
        .select(sql<string>`o.text`.as("text"))
        .where("o.id", "=", params.document_id)
        .executeTakeFirst();
      if (!found) throw notFound("Document", params.document_id);
      return found;
    },
  );

  api.delete(
    `${DOCUMENTS}/:document_id`,
    {
      summary: "Delete a document of a data source",
      description:
        "What was read of it is removed for good. A page that is crawled comes back with the next crawl.",
      tag,
      permission: "data_sources_delete",
      params: documentParams,
      response: Deleted,
    },
    ({ caller, params }) =>
      write(db, "Document", async (tx) => {
        await lockSource(tx, caller, params.data_source_id);
        const before = await find(tx, caller, params);
        await removeDocuments(tx, params.data_source_id, [before.id]);
        await api.audit(tx, caller, {
          action: "delete",
          resource: "data_source_documents",
          resource_id: before.id,
          before,
        });
        return { success: true as const };
      }),
  );
}

async function readOrRefuse(reader: DocumentReader, bytes: Buffer, name: string): Promise<FileContents> {
  if (name === "") throw invalid(["body", "file"], "The file needs a name");
  if (bytes.length === 0) throw invalid(["body", "file"], "The file is empty");
  const outcome = await reader.file(bytes, name);
  if (outcome.kind === "read") return outcome;
  throw invalid(["body", "file"], `The file ${REFUSALS[outcome.why]}`);
}
