import { z } from "zod";
import type { Api } from "../api/server.ts";
import { notFound } from "../base/errors.ts";
import type { Db } from "../db/database.ts";
import { searchDataSources } from "./data-source-search.ts";
import { sourceParams } from "./documents/document.ts";
import type { EmbedderOf } from "./source-embedding.ts";

const DataSourceQuestion = z
  .object({ question: z.string().min(1).max(2_000) })
  .meta({ id: "DataSourceQuestion" });

const DataSourceFindings = z
  .object({
    results: z.array(
      z.object({
        data_source: z.string(),
        source: z.string().optional().describe("The document and the place in it: prices.pdf, page 3."),
        text: z.string(),
        score: z.number(),
      }),
    ),
    searched_by: z
      .enum(["whole", "words", "words and meaning"])
      .describe("whole: sources of up to 24,000 characters are given to the agent as they are."),
  })
  .meta({ id: "DataSourceFindings" });

/**
 * What an agent would be given for a question, so that an author sees whether the answer is in it. No GET: what embeddings
 * cost is written down.
 */
export function searchRoutes(api: Api, { db, embedderOf }: { db: Db; embedderOf: EmbedderOf }): void {
  api.post(
    "/api/v1/data_sources/:data_source_id/search",
    {
      summary: "Search a data source",
      description: "Answers what the tool data_source_search would give an agent for this question.",
      tag: "data_sources",
      permission: "data_sources_read",
      params: sourceParams,
      body: DataSourceQuestion,
      response: DataSourceFindings,
    },
    async ({ caller, params, body }) => {
      const { sub_organization_id } = caller;
      const source = await db
        .selectFrom("data_sources")
        .select("name")
        .where("id", "=", params.data_source_id)
        .where("sub_organization_id", "=", sub_organization_id)
        .where("deleted_at", "is", null)
        .executeTakeFirst();
      if (!source) throw notFound("Data source", params.data_source_id);
      const { results, embedded, is_whole } = await searchDataSources(db, sub_organization_id, {
        entries: [source.name],
        question: body.question,
        embedder: await embedderOf(sub_organization_id),
      });
      const byMeaning = embedded !== null && embedded.problem === null;
      return { results, searched_by: is_whole ? "whole" : byMeaning ? "words and meaning" : "words" };
    },
  );
}
