import { z } from "zod";
import { freezeSnapshot, type Snapshot, type SnapshotTool } from "../agents/snapshot.ts";
import type { Caller } from "../api/caller.ts";
import { recordId, textMap } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import { randomId } from "../base/ids.ts";
import { TRACE_CATEGORIES } from "../events/trace.ts";
import type { Engine } from "../sessions/engine.ts";
import {
  localTime,
  type SessionState,
  sessionLookup,
  systemVariables,
  underVars,
} from "../sessions/variables.ts";
import { runTool } from "../tool-calls/run-tool.ts";
import { memoryAfter, type ToolContext, type ToolOutcome } from "../tool-calls/tool-outcome.ts";
import { requireServiceHost } from "../tools/service-hosts.ts";
import { ToolDefinition } from "../tools/tool-definition.ts";
import { requireService } from "../tools/tool-store.ts";

/** One call of a tool as it is being written, without a model: what each stage makes of the arguments, and what came back. */
const ToolTryRequest = z
  .object({
    definition: ToolDefinition,
    service_id: recordId().describe("Whose credentials the call carries."),
    arguments: z.record(z.string(), z.unknown()).describe("As a model would give them."),
    variables: textMap().default({}).describe("Of the conversation."),
    agent_id: recordId()
      .nullish()
      .describe("The agent whose variables, headers and defaults of static parameters count."),
  })
  .meta({ id: "ToolTryRequest" });

const ToolTryResponse = z
  .object({
    given: z.record(z.string(), z.unknown()),
    prepared: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("After static parameters, defaults and transforms; null where it did not come so far."),
    request: z
      .unknown()
      .describe(
        "What was sent: method, url, headers, body and the arguments it was made of. Credentials are hidden. Null where nothing was sent.",
      ),
    result: z.unknown().describe("What the model would read."),
    error: z.string().nullable(),
    duration_ms: z.number(),
    trace: z.array(
      z.object({
        category: z.enum(TRACE_CATEGORIES),
        label: z.string(),
        duration_ms: z.number().nullable(),
        details: z.record(z.string(), z.unknown()).nullable(),
      }),
    ),
  })
  .meta({ id: "ToolTryResponse" });

export function tryToolRoutes(api: Api, engine: Engine): void {
  api.post(
    "/api/v1/tools/try",
    {
      summary: "Call a tool once, stage by stage",
      description:
        "The call is real: an endpoint gets a request. The definition need not be saved. What the tool would change in a session is not applied.",
      tag: "tools",
      permission: "tools_write",
      body: ToolTryRequest,
      response: ToolTryResponse,
    },
    async ({ caller, body }) => {
      // Its credentials are about to be used.
      await requireService(engine.db, caller, body.service_id);
      // Before the call: what may have been sent is in the trail whatever comes of it.
      await engine.db.transaction().execute(async (tx) => {
        await requireServiceHost(api, tx, caller, {
          service_id: body.service_id,
          url: body.definition.endpoint?.url,
          loc: ["body", "definition", "endpoint", "url"],
        });
        await api.audit(tx, caller, {
          action: "try",
          resource: "tools",
          resource_id: null,
          after: {
            name: body.definition.tool.function.name,
            service_id: body.service_id,
            url: body.definition.endpoint?.url ?? null,
          },
        });
      });
      const snapshot = await snapshotFor(engine, caller, body.agent_id ?? null);
      const tool: SnapshotTool = {
        // Compiled schemas are kept by tool and version; nobody else has this id.
        id: -Math.ceil(Math.random() * Number.MAX_SAFE_INTEGER),
        name: body.definition.tool.function.name,
        version_number: 1,
        service_id: body.service_id,
        is_system: false,
        definition: body.definition,
      };
      const context = contextOf(engine, caller, snapshot, body.variables);
      const began = performance.now();
      const call = { id: randomId(), name: tool.name, arguments: body.arguments };
      const outcome = await runTool(engine, context, tool, call);
      return {
        given: body.arguments,
        prepared: outcome.prepared,
        request: sentIn(outcome),
        result: outcome.result,
        error: outcome.error,
        duration_ms: performance.now() - began,
        trace: outcome.trace.map(({ category, label, duration_ms = null, details = null }) => ({
          category,
          label,
          duration_ms,
          details,
        })),
      };
    },
  );
}

/** What went out, or what is recorded in its place; a call that failed before that sent nothing. */
function sentIn({ wire, request, error }: ToolOutcome): unknown {
  if (wire) return { ...(request as object), ...wire };
  return error === null ? request : null;
}

async function snapshotFor({ db }: Engine, caller: Caller, agent_id: number | null): Promise<Snapshot> {
  if (agent_id !== null) return freezeSnapshot(db, caller.sub_organization_id, agent_id, "draft");
  return NO_AGENT;
}

function contextOf(
  { clock }: Engine,
  caller: Caller,
  snapshot: Snapshot,
  variables: Record<string, string>,
): ToolContext {
  const { agent, language_group } = snapshot;
  const at = clock.now();
  const now = localTime(at, agent.timezone);
  const language = language_group?.language_configs[0]?.language_code ?? "en-US";
  const facts = {
    session_id: 0,
    conversation_id: 0,
    agent_name: agent.name,
    timezone: agent.timezone,
    channel: "chat",
    source: caller.email,
    target: null,
    is_outbound: false,
    verified: true,
    claimed_user: null,
    user_name: null,
  };
  const state = { variables: { ...agent.variables, ...underVars(variables) }, language };
  const lookupOf = (memory: SessionState) =>
    sessionLookup(memory, systemVariables(facts, memory.language, now));
  return {
    sub_organization_id: caller.sub_organization_id,
    snapshot,
    lookup: lookupOf(state),
    lookupAfter: (effects) => lookupOf(memoryAfter(state, effects)),
    language,
    channel: facts.channel,
    source: facts.source,
    verified: facts.verified,
    at,
    now,
    signal: AbortSignal.timeout(LONGEST_ms),
  };
}

/** Longer than any endpoint's own timeout. */
const LONGEST_ms = 120_000;

const NO_AGENT: Snapshot = {
  agent: {
    id: 0,
    name: "",
    type: "ca_v1",
    timezone: "UTC",
    variables: {},
    tool_headers: null,
    prompt_tool_defaults: [],
    agent_initiated: false,
    enable_verbal_language_change: false,
    bridge_phrases_id: null,
    wait_sound: null,
    stt_provider: null,
  },
  prompt: {
    id: 0,
    name: "",
    version_number: 0,
    context: null,
    llm_config: { provider: "openai", model: "scripted" },
  },
  tools: [],
  session_end_tool: null,
  message: null,
  language_group: null,
};
