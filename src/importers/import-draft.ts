import type { z } from "zod";
import { type AgentFile, writeAgentFile } from "../agent-files/agent-file.ts";
import { checkFile } from "../agent-files/check-file.ts";
import { canonicalTimezone } from "../agents/timezone.ts";
import { Fault } from "../base/errors.ts";
import { cutTo } from "../base/storable.ts";
import { catalogueOf } from "../llm/catalogue.ts";
import { type BuiltInNames, isSecretName, ownName, ownText } from "./foreign-text.ts";
import type { ChosenModel } from "./model-choice.ts";
import {
  type ElsewhereTable,
  type FieldPath,
  type MissingPart,
  newReport,
  type PlannedField,
  quoted,
  type Report,
} from "./report.ts";
import { newToolbox, referenceName, type Toolbox } from "./toolbox.ts";
import type { ChosenSpeech } from "./voice-choice.ts";

export type ImportPlan = {
  platform: string;
  name: string;
  /** The agent in Parley's own format. */
  text: string;
  fields: PlannedField[];
  missing: MissingPart[];
  /** What saving will find in the agent. */
  findings: string[];
};

/** What the reading of a file puts together. */
export type ImportDraft = {
  name: string;
  labels: string[];
  timezone: string | null;
  stt_provider?: z.input<typeof AgentFile>["stt_provider"];
  prompt: string[];
  model: ChosenModel;
  greeting: string | null;
  agent_initiated: boolean;
  verbal_language_change: boolean;
  variables: Record<string, string>;
  speech: ChosenSpeech;
};

export type ImportTools = Report & {
  toolbox: Toolbox;
  builtIn: BuiltInNames;
  /** A text in our templates; `sentence` says where it went. */
  text(value: string, path: FieldPath, sentence: string): string;
  /** Variables of a session with their values; credentials stay out. */
  variables(values: Record<string, unknown>, path: FieldPath): Record<string, string>;
};

const LONGEST_NAME = 240;

/** Another platform, as reading its files wants to know it. */
export type ForeignFormat = { title: string; names: BuiltInNames; elsewhere: ElsewhereTable };

/** Reads a file with the mapping of its platform, and gives the plan of it. Pure. */
export function planImport(
  { title: platform, names: builtIn, elsewhere }: ForeignFormat,
  input: unknown,
  today: string,
  read: (tools: ImportTools) => ImportDraft,
): ImportPlan {
  const report = newReport(elsewhere);
  const toolbox = newToolbox(platform, builtIn, report);
  const tools: ImportTools = {
    note: report.note,
    missing: report.missing,
    toolbox,
    builtIn,
    text(value, path, sentence) {
      const { text, problems } = ownText(value, builtIn);
      report.note(path, problems.length > 0 ? "approximated" : "mapped", [sentence, ...problems].join(" "));
      return text;
    },
    variables(values, path) {
      return Object.fromEntries(
        Object.entries(values).flatMap(([name, value]) => {
          const own = ownName(name);
          const place = [...path, name];
          if (own === null || typeof value === "object") {
            report.note(place, "no equivalent", "A variable of an agent is a text under a plain name.");
            return [];
          }
          if (isSecretName(name)) {
            const reference = referenceName([name]);
            report.note(
              place,
              "approximated",
              `Not copied, as it may be a credential. ${reference} is to be filled in where it is used.`,
            );
            report.missing(place, reference, `the variable ${quoted(name)}, which looks like a credential`);
            return [];
          }
          report.note(
            place,
            own === name ? "mapped" : "approximated",
            own === name
              ? "The value of a variable, unless the conversation brings its own."
              : `Called vars.${own} here.`,
          );
          return [[`vars.${own}`, String(value)]];
        }),
      );
    },
  };
  const draft = read(tools);
  if (draft.timezone === null || canonicalTimezone(draft.timezone) === null)
    report.missing(
      [],
      "timezone",
      "the file names no time zone, so the agent's clock is UTC; set the agent's own",
    );
  const name = cutTo(draft.name, LONGEST_NAME) || `Agent from ${platform}`;
  const text = writeAgentFile(fileOf({ ...draft, name }, toolbox));
  const checked = checkFile(text, { catalogue: catalogueOf(), today });
  if (!checked.ok)
    throw new Fault(
      "refused",
      `The agent can't be made of this file: ${checked.faults.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; ")}`,
    );
  return {
    platform,
    name,
    text,
    fields: report.fields(input),
    missing: report.missing_parts,
    findings: checked.findings
      .filter(({ severity }) => severity !== "info")
      .map(({ severity, message }) => `${severity}: ${message}`),
  };
}

function fileOf(draft: ImportDraft, toolbox: Toolbox): z.input<typeof AgentFile> {
  const { languages, prompt_lines } = draft.speech;
  return {
    format: "parley-agent-1",
    name: draft.name,
    labels: draft.labels.length > 0 ? draft.labels : null,
    timezone: (draft.timezone !== null && canonicalTimezone(draft.timezone)) || "UTC",
    variables: draft.variables,
    stt_provider: draft.stt_provider ?? null,
    agent_initiated: draft.agent_initiated,
    enable_verbal_language_change: draft.verbal_language_change,
    prompt: {
      name: draft.name,
      context: [...draft.prompt, ...prompt_lines].filter((part) => part.trim() !== "").join("\n\n"),
      llm_config: draft.model,
      tools: toolbox.offered,
    },
    greeting: draft.greeting === null ? null : { name: `${draft.name} greeting`, text: draft.greeting },
    languages:
      languages.length === 0
        ? null
        : {
            name: `${draft.name} voices`,
            language_configs: languages,
            skip_current_language_in_message: true,
          },
    services: toolbox.services,
    tools: toolbox.tools,
  };
}
