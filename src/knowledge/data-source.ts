import { sql } from "kysely";
import { z } from "zod";
import type { Storage } from "../accounts/storage.ts";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource, refuseWhileHeld } from "../api/resource.ts";
import { boundedList, name, recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { invalid } from "../base/errors.ts";
import type { Db, Tx } from "../db/database.ts";
import { knownSources } from "./data-source-names.ts";
import { enqueueEmbedding } from "./source-embedding.ts";
import { cutText, dropChunks, MOST_CHUNKS, rebuildWords, storeChunks } from "./stored-chunks.ts";

export const DataSourceCreateRequest = z
  .object({
    name: name().regex(/^\S+$/).describe("Without blanks; tools name the source by it."),
    description: z.string().nullish(),
    labels: boundedList(z.string()).default([]).describe("A tool may name a label in place of names."),
    chunk: z.boolean().describe("Whether the parts that a search finds lie between delimiters."),
    chunk_delimiter: z.string().nullish().describe("What stands between two parts; a blank line if null."),
    text: z.string(),
  })
  .meta({ id: "DataSourceCreateRequest" });
const DataSourceUpdateRequest = DataSourceCreateRequest.extend({
  id: recordId(),
  edit_comments: z.string().nullish(),
}).meta({ id: "DataSourceUpdateRequest" });
type Input = z.infer<typeof DataSourceCreateRequest> & { edit_comments?: string | null | undefined };

const DataSourceMetadataResponse = z
  .object({
    name: z.string(),
    description: z.string().nullish(),
    labels: boundedList(z.string()),
    chunk: z.boolean(),
    chunk_delimiter: z.string().nullish(),
    id: z.int(),
    edit_comments: z.string().nullish(),
    updated_at: timestamp(),
    last_updated_by: z.string().nullable(),
  })
  .meta({ id: "DataSourceMetadataResponse" });
export const DataSourceDetailResponse = DataSourceMetadataResponse.extend({ text: z.string() }).meta({
  id: "DataSourceDetailResponse",
});
/** A list's rows go without the text, which may be a megabyte each. */
type DataSource = z.infer<typeof DataSourceMetadataResponse> & { text?: string };

const sourceList: list.ListRules = {
  fields: {
    name: list.text("d.name"),
    description: list.text("d.description"),
    labels: list.document("d.labels"),
    chunk: list.boolean("d.chunk"),
    chunk_delimiter: list.text("d.chunk_delimiter"),
    updated_at: list.time("d.updated_at"),
    last_updated_by: list.text("d.last_updated_by"),
  },
  time: "d.updated_at",
  order: [{ column: "d.id", direction: "asc" }],
};

const selectSources = (db: Db, caller: Caller) =>
  db
    .selectFrom("data_sources as d")
    .where("d.sub_organization_id", "=", caller.sub_organization_id)
    .where("d.deleted_at", "is", null)
    .select([
      "d.name",
      "d.description",
      "d.labels",
      "d.chunk",
      "d.chunk_delimiter",
      "d.id",
      "d.edit_comments",
      "d.updated_at",
      "d.last_updated_by",
    ]);

/** Seconds to store. A text of the largest size that is taken has fewer without a delimiter, or with one every 100 characters. */
function refuseTooMany(chunks: number): void {
  if (chunks <= MOST_CHUNKS) return;
  throw invalid(
    ["body", "chunk_delimiter"],
    `The text has ${chunks} parts between delimiters, and at most ${MOST_CHUNKS} can be searched. Choose a delimiter that stands less often, or divide the text among several data sources`,
  );
}

/** The tools and agents that name one of these sources or labels: rooms to the right have them. */
type SourceHolders = (
  tx: Tx,
  caller: Caller,
  entries: readonly string[],
) => Promise<{ kind: string; name: string }[]>;

type Deps = { db: Db; clock: Clock; storage: Storage; embeds: boolean; sourceHolders: SourceHolders };

/** `embeds`: an embedding model is configured, and what is saved gets its vectors by a job. */
export function dataSourceRoutes(api: Api, { db, clock, storage, embeds, sourceHolders }: Deps): void {
  const values = (caller: Caller, input: Input) => ({
    name: input.name,
    description: input.description ?? null,
    labels: input.labels,
    chunk: input.chunk,
    chunk_delimiter: input.chunk_delimiter ?? null,
    text: input.text,
    edit_comments: input.edit_comments ?? null,
    updated_at: clock.now().toISOString(),
    last_updated_by: caller.email,
  });

  /** The tools, agents and versions that know a source by what no source is called any more. */
  const losers = async (tx: Tx, caller: Caller, entries: readonly string[]) => {
    const known = await knownSources(tx, caller.sub_organization_id, entries);
    return sourceHolders(
      tx,
      caller,
      entries.filter((entry) => !known.has(entry)),
    );
  };

  const cut = async (tx: Tx, caller: Caller, input: Input, id: number) => {
    const chunks = cutText(values(caller, input));
    refuseTooMany(chunks.length);
    await storeChunks(tx, { data_source_id: id, document: null }, chunks);
    await rebuildWords(tx, id);
    if (embeds) await enqueueEmbedding(tx, id);
  };

  addResource(api, db, {
    path: "/api/v1/data_sources",
    noun: "Data source",
    id_name: "data_source_id",
    tag: "data_sources",
    permission: "data_sources",
    record: DataSourceMetadataResponse,
    detail: DataSourceDetailResponse,
    create: DataSourceCreateRequest,
    update: DataSourceUpdateRequest,
    list: sourceList,
    store: {
      page: (caller, query) => list.listPage<DataSource>(db, selectSources(db, caller), query, sourceList),
      find: (from, caller, id) =>
        selectSources(from, caller).select("d.text").where("d.id", "=", id).executeTakeFirst(),
      async insert(tx, caller, input) {
        await storage.admit(tx, caller.sub_organization_id, Buffer.byteLength(input.text));
        const { id } = await tx
          .insertInto("data_sources")
          .values({ ...values(caller, input), sub_organization_id: caller.sub_organization_id })
          .returning("id")
          .executeTakeFirstOrThrow();
        await cut(tx, caller, input, id);
        return id;
      },
      async replace(tx, caller, input, { name }) {
        const before = await tx
          .selectFrom("data_sources")
          .select(sql<number>`octet_length(text)`.as("bytes"))
          .where("id", "=", input.id)
          .executeTakeFirst();
        const more = Buffer.byteLength(input.text) - (before?.bytes ?? 0);
        if (more > 0) await storage.admit(tx, caller.sub_organization_id, more);
        await tx.updateTable("data_sources").set(values(caller, input)).where("id", "=", input.id).execute();
        const renamed = { change: "rename", cure: "Keep the old name among its labels." } as const;
        refuseWhileHeld(`data source "${name}"`, await losers(tx, caller, [name]), renamed);
        await cut(tx, caller, input, input.id);
      },
      async remove(tx, caller, id, { reason }, { name, labels }) {
        await tx
          .updateTable("data_sources")
          .set({ deleted_at: clock.now().toISOString(), deleted_reason: reason })
          .where("id", "=", id)
          .execute();
        refuseWhileHeld(`data source "${name}"`, await losers(tx, caller, [name, ...labels]));
        await dropChunks(tx, id);
      },
    },
  });
}
