import { sql } from "kysely";
import { z } from "zod";
import { anyJson, integer, name, recordId, timestamp, ValidationIssue } from "../api/schema.ts";
import { definitionById, InsightToolDefinition } from "./tool-definition.ts";

export const InsightToolInput = z
  .object({
    name: name(),
    description: z.string(),
    version: integer().describe("Counted up by hand: a new version makes old sessions eligible again."),
    tool_arguments: anyJson()
      .refine((value) => value !== undefined, { error: "Field required", params: { type: "missing" } })
      .describe("What the definition's parameters ask for."),
    insight_tool_definition_id: recordId(),
  })
  .meta({ id: "InsightToolInput" });
export type InsightToolInput = z.output<typeof InsightToolInput>;

/** A configuration as lists and workflows show it. */
export const InsightToolOutput = z
  .object({
    name: z.string(),
    description: z.string(),
    version: z.int(),
    tool_arguments: anyJson(),
    insight_tool_definition_id: z.int(),
    id: z.int(),
    insight_tool_definition: InsightToolDefinition.nullish(),
    created_at: timestamp().optional(),
    updated_at: timestamp().optional(),
    last_updated_by: z.string(),
  })
  .meta({ id: "InsightToolOutput" });
export type InsightToolOutput = z.infer<typeof InsightToolOutput>;

export const InsightToolResponse = InsightToolOutput.extend({
  validation_issues: z.array(ValidationIssue).nullish(),
}).meta({ id: "InsightToolResponse" });
export type InsightToolResponse = z.infer<typeof InsightToolResponse>;

/** The columns of a configuration that a client sees, in a query that calls the table `c`. */
export const TOOL_COLUMNS = [
  "c.name",
  "c.description",
  "c.version",
  "c.tool_arguments",
  "c.insight_tool_definition_id",
  "c.id",
  "c.created_at",
  "c.updated_at",
  "c.last_updated_by",
] as const;

/** The same as one JSON object. */
export const toolJson = sql`json_build_object(${sql.join(
  TOOL_COLUMNS.flatMap((column) => [sql.lit(column.slice("c.".length)), sql.ref(column)]),
)})`;

export const withDefinition = <T extends Omit<InsightToolOutput, "insight_tool_definition">>(row: T) => ({
  ...row,
  insight_tool_definition: definitionById(row.insight_tool_definition_id),
});
