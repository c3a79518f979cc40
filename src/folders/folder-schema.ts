import { z } from "zod";
import { name, recordId, timestamp } from "../api/schema.ts";

/** Not InsightsFolderInput in openapi.json: that is the name of InsightsFolder as an input. */
export const InsightsFolderInput = z
  .object({ name: name(), label: z.string().nullish(), description: z.string().nullish() })
  .meta({ id: "InsightsFolderRequest" });
export type InsightsFolderInput = z.output<typeof InsightsFolderInput>;

export const InsightsFolder = z
  .object({
    name: z.string(),
    label: z.string().nullish(),
    description: z.string().nullish(),
    id: z.int(),
    created_at: timestamp().optional(),
    updated_at: timestamp().optional(),
    last_updated_by: z.string(),
  })
  .meta({ id: "InsightsFolder" });
export type InsightsFolder = z.infer<typeof InsightsFolder>;

const flatMap = () => z.record(z.string(), z.union([z.string(), z.number()]));

export const FolderDetails = InsightsFolder.extend({
  folder_stats: flatMap().describe('{"count": 12, "total_duration": "10:00:00", "total_size": "213MB"}'),
}).meta({ id: "FolderDetails" });

export const InsightsUploadFile = z
  .object({
    id: z.int(),
    folder_id: z.int(),
    filename: z.string(),
    object_key: z.string(),
    call_id: z.string().nullish(),
    agent_number: z.string().nullish(),
    customer_number: z.string().nullish(),
    duration: z.number().nullish().describe("In seconds."),
    start_time: timestamp().nullish(),
    end_time: timestamp().nullish(),
    error_message: z.string().nullish(),
    metadata: flatMap().nullish(),
    created_at: timestamp().optional(),
  })
  .meta({ id: "InsightsUploadFile" });
export type InsightsUploadFile = z.infer<typeof InsightsUploadFile>;

export const InsightsFolderFileMove = z
  .object({ destination_folder_id: recordId(), file_id_list: z.array(recordId()).max(10_000) })
  .meta({ id: "InsightsFolderFileMove" });

/** `HH:MM:SS`; hours go on past 24. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

const UNITS = ["B", "KB", "MB", "GB", "TB"];

/** In thousands, as file managers print it: 213MB. */
export function sizeText(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? Number(value.toFixed(1)) : Math.round(value)}${UNITS[power]}`;
}
