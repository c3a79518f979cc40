import { z } from "zod";
import { inputErrors } from "../api/input/input-errors.ts";
import { requestHeaders } from "../api/request-headers.ts";
import { integer, recordId } from "../api/schema.ts";
import { unreachable } from "../base/errors.ts";
import { patternFault } from "../base/pattern.ts";
import { isSecretHeader } from "../egress/secret-header.ts";
import { DEFAULT_MODEL, DEFAULT_PROVIDER, PROVIDERS } from "../llm/catalogue.ts";
import type { InsightToolDefinition } from "./tool-definition.ts";

/** The arguments of a configuration, read by what its definition takes; stored as they were given. */
export type ToolArguments =
  | ({ type: "llm" } & LlmArguments)
  | ({ type: "http" } & z.infer<typeof HttpArguments>)
  | ({ type: "regex" } & z.infer<typeof RegexArguments>)
  | ({ type: "transcription" } & TranscriptionArguments);

const OUTPUT_TYPES = ["boolean", "string", "integer", "number", "array"] as const;

/** One answer that is asked of a model. */
export type OutputSpec = {
  name: string;
  type: (typeof OUTPUT_TYPES)[number];
  description: string | null;
  /** The only values it may have; of an array, its items. */
  return_values: (string | number)[] | null;
};

const MAX_OUTPUTS = 50;
const MAX_RETURN_VALUES = 200;

/** A name is a key of the result and of `{{ insights.<name> }}` in later prompts. */
const Output = z
  .strictObject({
    name: z.string().regex(/^[A-Za-z_]\w{0,63}$/),
    type: z.enum(OUTPUT_TYPES),
    description: z.string().max(1000).nullish(),
    return_values: z
      .union([z.string(), z.array(z.union([z.string(), z.number()])).max(MAX_RETURN_VALUES)])
      .nullish()
      .describe("A list, or one text with commas between the values."),
  })
  .transform((output, context): OutputSpec => {
    const return_values = returnValues(output.return_values, output.type);
    if (return_values === undefined) {
      context.addIssue({
        code: "custom",
        path: ["return_values"],
        message: `${output.type} outputs can't have these values`,
      });
      return z.NEVER;
    }
    return { name: output.name, type: output.type, description: output.description ?? null, return_values };
  });

/** undefined: no values of this type. An empty list restricts nothing. */
function returnValues(
  given: string | (string | number)[] | null | undefined,
  type: OutputSpec["type"],
): OutputSpec["return_values"] | undefined {
  const listed = typeof given === "string" ? given.split(",").map((value) => value.trim()) : (given ?? []);
  const values = listed.filter((value) => value !== "");
  if (values.length === 0) return null;
  switch (type) {
    case "boolean":
      return undefined;
    case "string":
    case "array":
      return [...new Set(values.map(String))];
    case "integer":
    case "number": {
      const numbers = values.map(Number);
      const fits = type === "integer" ? Number.isSafeInteger : Number.isFinite;
      return numbers.every(fits) ? [...new Set(numbers)] : undefined;
    }
    default:
      return unreachable(type);
  }
}

const LlmTool = z
  .strictObject({
    prompt: z.string().min(1).max(100_000),
    provider: z.enum(PROVIDERS).nullish(),
    model: z.string().min(1).nullish(),
    // As in a prompt's llm_config: accepted, without effect.
    version: z.string().nullish(),
    api_version: z.string().nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    seed: integer().nullish(),
    outputs: z.array(Output).max(MAX_OUTPUTS).nullish(),
  })
  .superRefine(({ outputs }, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of (outputs ?? []).entries()) {
      if (seen.has(name)) {
        const path = ["outputs", index, "name"];
        context.addIssue({ code: "custom", path, message: `Output '${name}' is given twice` });
      }
      seen.add(name);
    }
  });

const SUMMARY: OutputSpec = { name: "summary", type: "string", description: null, return_values: null };

const LlmArguments = LlmTool.transform((given) => ({
  prompt: given.prompt,
  llm_config: {
    provider: given.provider ?? DEFAULT_PROVIDER,
    model: given.model ?? DEFAULT_MODEL,
    version: null,
    api_version: given.api_version ?? null,
    temperature: given.temperature ?? null,
    seed: given.seed ?? null,
  },
  outputs: given.outputs?.length ? given.outputs : [SUMMARY],
}));
export type LlmArguments = z.infer<typeof LlmArguments>;

/** Everyone who may read insights reads the arguments; a service keeps its credentials sealed. */
const HttpArguments = z.strictObject({
  url: z
    .string()
    .max(2048)
    .regex(/^[Hh][Tt][Tt][Pp][Ss]?:\/\/[^\s@/?#]+(?:[/?#]\S*)?$/)
    .refine((url) => URL.canParse(url), "Input should be a valid URL"),
  method: z.enum(["POST", "PUT", "PATCH"]).nullish(),
  headers: requestHeaders()
    .superRefine((headers, context) => {
      for (const header of Object.entries(headers)) {
        if (!isSecretHeader(header)) continue;
        const [name] = header;
        const message = "Credentials are not stored here; give them to a service and name it in service_id";
        context.addIssue({ code: "custom", path: [name], message });
      }
    })
    .nullish(),
  service_id: recordId().nullish(),
});

const REGEX_FIELDS = ["transcript", "user", "agent"] as const;

const RegexArguments = z.strictObject({
  pattern: z.string().min(1).max(1000).superRefine(isPattern),
  field: z.enum(REGEX_FIELDS).nullish(),
});

function isPattern(pattern: string, context: z.RefinementCtx): void {
  const fault = patternFault(pattern);
  if (fault === null) return;
  const message = `Input should be a valid regular expression (RE2): ${fault}`;
  context.addIssue({ code: "custom", message });
}

export const TRANSCRIBERS = ["openai", "deepgram", "google"] as const;
export type Transcriber = (typeof TRANSCRIBERS)[number];

/** Loose: what a transcription service takes besides is its own affair. */
const TranscriptionArguments = z.looseObject({
  provider: z.enum(TRANSCRIBERS).nullish(),
  model: z.string().min(1).max(100).nullish(),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, "Input should be a language code such as en or pt-BR")
    .nullish(),
  diarize: z.boolean().nullish(),
});
export type TranscriptionArguments = {
  provider: Transcriber;
  model: string;
  language: string | null;
  /** Tells speakers apart. */
  diarize: boolean;
};

const DEFAULT_MODELS: Record<Transcriber, { one: string; speakers: string }> = {
  openai: { one: "whisper-1", speakers: "gpt-4o-transcribe-diarize" },
  deepgram: { one: "nova-3", speakers: "nova-3" },
  google: { one: "gemini-3.8-flash", speakers: "gemini-3.8-flash" },
};

function transcription(
  given: z.infer<typeof TranscriptionArguments>,
  { name }: InsightToolDefinition,
): TranscriptionArguments {
  const provider = given.provider ?? (name === "deepgram_transcribe" ? "deepgram" : "openai");
  const diarize = given.diarize ?? true;
  const models = DEFAULT_MODELS[provider];
  const model = given.model ?? (diarize ? models.speakers : models.one);
  return { provider, model, language: given.language ?? null, diarize };
}

type ReadArguments = { ok: true; arguments: ToolArguments } | { ok: false; problem: string };

/** Pure. `problem` names every place that does not fit. */
export function readToolArguments(definition: InsightToolDefinition, given: unknown): ReadArguments {
  const { type } = definition;
  switch (type) {
    case "llm":
      return read(LlmArguments, definition, given, (fields) => ({ type, ...fields }));
    case "http":
      return read(HttpArguments, definition, given, (fields) => ({ type, ...fields }));
    case "regex":
      return read(RegexArguments, definition, given, (fields) => ({ type, ...fields }));
    case "transcription":
      return read(TranscriptionArguments, definition, given, (fields) => ({
        type,
        ...transcription(fields, definition),
      }));
    default:
      return unreachable(type);
  }
}

function read<T>(
  schema: z.ZodType<T>,
  { name }: InsightToolDefinition,
  given: unknown,
  tagged: (fields: T) => ToolArguments,
): ReadArguments {
  const result = schema.safeParse(given);
  if (result.success) return { ok: true, arguments: tagged(result.data) };
  const { issues } = inputErrors("body", result.error.issues, given);
  const places = issues.map(({ loc, msg }) => `${["tool_arguments", ...loc.slice(1)].join(".")}: ${msg}`);
  return { ok: false, problem: `The arguments do not fit ${name}: ${[...new Set(places)].join("; ")}` };
}
