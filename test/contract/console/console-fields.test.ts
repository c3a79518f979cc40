import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { expandShared } from "../../../src/api/openapi/expand-shared.ts";

/**
 * The console's forms, each a folder of src/console and the request that it sends. Whatever the API takes has to be
 * settable by a person too: a field counts when one of the folder's components hands it to a control.
 */
const FORMS: Record<string, string> = {
  AgentUpdate: "agents",
  PromptUpdateRequest: "prompts",
  ToolUpdateRequest: "tools",
  ServiceUpdateRequest: "services",
  CustomMessageUpdateRequest: "messages",
  VoiceGroupUpdateRequest: "languages",
  DataSourceUpdateRequest: "sources",
  DirectoryMemberUpdate: "directory",
  BridgePhrasesUpdateRequest: "bridges",
  OrganizationChannelUpdateRequest: "channels",
  ChannelTargetUpdateRequest: "channels",
  OutboundCampaign: "campaign-form",
  CommunicationBatchCreate: "batches",
  CommunicationBatchUpdate: "batches",
  WebhookInboxUpdate: "webhooks",
  InsightToolInput: "insights",
  InsightWorkflowInput: "insights",
  JudgeUpdate: "tests",
  InsightsFolderRequest: "insights",
  IncidentUpdateRequest: "incidents",
  RoleUpdateRequest: "people",
  UserUpdateRequest: "people",
  ApiTokenCreateRequest: "people",
  LlmProviderInput: "settings",
  OutreachRules: "settings",
  ContactHoursInput: "settings",
  ContactCap: "settings",
  PromptLlmConfigInput: "prompts",
  NewExperiment: "experiments",
};

/** Fields that no control is for, and why. */
const WITHOUT_CONTROL: Record<string, string> = {
  "ApiTokenCreateRequest.allowed_networks": "written as one text",
  "ApiTokenCreateRequest.expires_at": "chosen as a number of days",
  "ChannelTargetUpdateRequest.channel_id": "the channel whose page it is",
  "CommunicationBatchCreate.campaign_id": "the campaign whose page it is",
  "NewExperiment.agent_id": "the agent whose page it is",
  "NewExperiment.slow_ms": "entered in seconds",
  "PromptUpdateRequest.include_default_tools": "the form names every tool",
  "PromptUpdateRequest.type": "has one value",
  "RoleUpdateRequest.last_updated_comments": "the audit log shows what changed",
  "ServiceUpdateRequest.last_updated_comments": "the audit log shows what changed",
  "UserUpdateRequest.last_updated_comments": "the audit log shows what changed",
  "UserUpdateRequest.utm": "told by the page somebody signed up on",
  "WebhookInboxUpdate.auth_values": "its one secret is kept, set or taken away by a choice",
};

type Schema = { properties?: Record<string, { deprecated?: boolean; const?: unknown }> };
const root = path.resolve(import.meta.dirname, "../../..");
const { components } = expandShared(JSON.parse(readFileSync(path.join(root, "openapi.json"), "utf8"))) as {
  components: { schemas: Record<string, Schema> };
};

/** Fields that many records have, by the component that holds their controls. */
const COMMON: [part: string, fields: string[]][] = [
  ["<NameFields ", ["name", "description"]],
  ["<VersionNote ", ["edit_comments"]],
];

/** Names that stand in a component as a control's: `getInputProps("name")`, `set("name", …)`, `set({ name })`, `onChange({ ...value, name })`. */
function controlled(folder: string): Set<string> {
  const files = globSync(`src/console/${folder}/*.tsx`, { cwd: root });
  const text = files.map((file) => readFileSync(path.join(root, file), "utf8")).join("\n");
  const calls = text.matchAll(/\b(?:getInputProps|setFieldValue|set|onSet|change)\(\s*[`"]([\w.]+)/g);
  const parts = text.matchAll(/\b(?:onChange|set|change)\(\{([^}]*)\}/g);
  const names = [...parts].flatMap(([, inner = ""]) => inner.match(/\b\w+\b/g) ?? []);
  const common = COMMON.flatMap(([part, fields]) => (text.includes(part) ? fields : []));
  return new Set([...common, ...[...calls].flatMap(([, name = ""]) => name.split(".")), ...names]);
}

test.each(Object.entries(FORMS))(
  "every field of %s that the API takes has a control under src/console/%s",
  (schema, folder) => {
    const fields = Object.entries(components.schemas[schema]?.properties ?? {});
    expect(fields).not.toEqual([]);
    const known = controlled(folder);
    const missing = fields
      .filter(
        ([name, { deprecated, const: only }]) =>
          name !== "id" && !deprecated && only === undefined && !known.has(name),
      )
      .map(([name]) => `${schema}.${name}`);
    const excused = Object.keys(WITHOUT_CONTROL).filter((field) => field.startsWith(`${schema}.`));
    // As many as are excused: one that got its control leaves the list above.
    expect(missing.toSorted()).toEqual(excused.toSorted());
  },
);
