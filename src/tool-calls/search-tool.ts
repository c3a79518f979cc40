import type { TraceEntry } from "../events/trace.ts";
import { type Embedded, searchDataSources } from "../knowledge/data-source-search.ts";
import { done, failed, type ToolContext, type ToolOutcome, type ToolParts } from "./tool-outcome.ts";

/** Searches the data sources of the tool's own `doc` parameter; the model only gives the query. */
export async function searchSources(
  { db, embedderOf }: Pick<ToolParts, "db" | "embedderOf">,
  { sub_organization_id, signal }: ToolContext,
  values: Record<string, unknown>,
): Promise<ToolOutcome> {
  const { question, doc } = values;
  const entries = (Array.isArray(doc) ? doc : []).filter((entry) => typeof entry === "string");
  if (typeof question !== "string" || question.trim() === "") {
    return failed("A question is needed to search for its answer.", values);
  }
  const embedder = await embedderOf(sub_organization_id);
  const {
    embedded,
    is_whole: _,
    ...found
  } = await searchDataSources(db, sub_organization_id, {
    entries,
    question,
    embedder,
    signal,
  });
  if (found.results.length === 0 && found.missing.length === entries.length) {
    return failed(`There is no data source or label named ${entries.join(", ")}.`, values);
  }
  return { ...done(found, {}, values), trace: embedded ? [traceOf(embedded)] : [] };
}

const traceOf = ({ model, duration_ms, tokens, problem }: Embedded): TraceEntry =>
  problem === null
    ? { category: "http", label: `embedding by ${model}`, duration_ms, details: { input_tokens: tokens } }
    : { category: "error", label: `searched by words alone: ${problem}`, duration_ms };
