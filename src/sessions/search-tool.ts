import { searchDataSources } from "../agents/data-source-search.ts";
import type { Db } from "../db/database.ts";
import { done, failed, type ToolContext, type ToolOutcome } from "./tool-outcome.ts";

/** Searches the data sources that the tool's own parameter `doc` names; the model only asks (domain decision 22). */
export async function searchSources(
  db: Db,
  { sub_organization_id }: ToolContext,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  const { question, doc } = values;
  const entries = (Array.isArray(doc) ? doc : []).filter((entry) => typeof entry === "string");
  if (typeof question !== "string" || question.trim() === "") {
    return failed("A question is needed to search for its answer.", values);
  }
  const found = await searchDataSources(db, sub_organization_id, { entries, question });
  if (found.results.length === 0 && found.missing.length === entries.length) {
    return failed(`There is no data source or label named ${entries.join(", ")}.`, values);
  }
  return done(found, {}, values);
}
