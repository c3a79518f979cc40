import { z } from "zod";
import { offerAt } from "../agents/prompt-llm.ts";
import { freezeSnapshot } from "../agents/snapshot.ts";
import { changesOf, partsOf } from "../agents/version-parts.ts";
import { refuseWhileSplit } from "../agents/version-split.ts";
import { requirePermission } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { recordId, timestamp } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { notFound } from "../base/errors.ts";
import { type Db, json, jsonOrNull } from "../db/database.ts";
import type { LlmEntry } from "../llm/catalogue.ts";
import { type FreezeJudges, GateResult, PublishGate, refuseUnknownSuites } from "./publish-gate.ts";
import { asksAsMuchOfReplay, ReplayGate, ReplayGateResult, sentGate } from "./replay-gate.ts";
import { AgentFinding, snapshotFindings } from "./version-findings.ts";
import {
  findVersioned,
  holdVersioned,
  PUBLISH_UNTESTED,
  publishDraft,
  selectVersions,
  versioningOf,
  versionList,
} from "./version-store.ts";

const AgentChange = z
  .object({
    part: z
      .string()
      .describe("instructions, model, settings, greeting, languages, tools, or a tool by its name."),
    before: z.unknown(),
    after: z.unknown(),
  })
  .meta({ id: "AgentChange" });

const AgentVersion = z
  .object({
    version_number: z.int(),
    is_live: z.boolean().describe("Whether this version is live."),
    note: z.string(),
    published_at: timestamp(),
    published_by: z.string(),
    gates: z.array(GateResult).describe("The results of its required suites when it was published."),
    replay_gate: ReplayGateResult.nullable().describe("What its replay said when it was published."),
    override_reason: z.string().nullable().describe("Why it was published although a gate did not pass."),
  })
  .meta({ id: "AgentVersion" });

const AgentVersionContent = AgentVersion.extend({
  parts: z.array(z.object({ part: z.string(), content: z.unknown() })),
  findings: z.array(AgentFinding).describe("What saving its parts would warn of."),
}).meta({ id: "AgentVersionContent" });

const AgentVersioning = z
  .object({
    agent_id: z.int(),
    published_version: z.int().nullable().describe("null: every save is live at once."),
    published_at: timestamp().nullable(),
    published_by: z.string().nullable(),
    draft: z.object({
      fingerprint: z.string().describe("Hash of the draft: send it to publish exactly this draft."),
      changes: z.array(AgentChange).describe("Against the published version."),
      findings: z.array(AgentFinding).describe("What saving its parts warns of."),
      version_number: z.int().nullable().describe("The newest version that is the same."),
    }),
    gates: z.array(GateResult).describe("What they say of this draft."),
    replay_gate: ReplayGateResult.nullable().describe("What it says of this draft; null: none is asked for."),
  })
  .meta({ id: "AgentVersioning" });

const MAX_GATES = 20;
const AgentVersioningUpdate = z
  .strictObject({
    published_version: recordId().nullable().describe("The live version; null: every save is live at once."),
    gates: z.array(PublishGate).max(MAX_GATES),
    replay_gate: ReplayGate.nullish().describe("Omitted: unchanged; null: drafts need no replay."),
  })
  .meta({ id: "AgentVersioningUpdate" });

const PublishRequest = z
  .strictObject({
    note: z.string().max(2_000).default("").describe("What was changed, and why."),
    fingerprint: z
      .string()
      .max(64)
      .nullish()
      .describe("Of the draft you looked at; another draft is refused."),
    take_live: z
      .boolean()
      .default(true)
      .describe("false: the live version stays; an experiment can try the new one."),
    override_reason: z
      .string()
      .trim()
      .min(1)
      .max(2_000)
      .nullish()
      .describe(
        "Why it is published although a gate does not pass. Needs the permission agents_publish_untested.",
      ),
  })
  .meta({ id: "PublishRequest" });

const AGENT = "/api/v1/agents/:agent_id";
const params = z.object({ agent_id: recordId() });
const versionParams = params.extend({ version_number: recordId() });
const tag = "agents";

/** Versions of an agent: what people reach is the published one, and saves make a draft. */
export function addVersions(
  api: Api,
  {
    db,
    clock,
    catalogue,
    freezeJudges,
  }: { db: Db; clock: Clock; catalogue: readonly LlmEntry[]; freezeJudges: FreezeJudges },
): void {
  const offer = () => offerAt(catalogue, clock);
  const draftParts = () => ({ offer: offer(), freezeJudges });

  api.get(
    `${AGENT}/versioning`,
    {
      summary: "Compare an agent's draft with the live version",
      tag,
      permission: "agents_read",
      params,
      response: AgentVersioning,
    },
    async ({ caller, params }) => versioningOf(db, caller, params.agent_id, draftParts()),
  );

  api.put(
    `${AGENT}/versioning`,
    {
      summary: "Set an agent's live version and gates",
      description:
        "Running sessions keep the version they started with. Taking a gate away or lowering it needs the permission agents_publish_untested, as does going back to saves that reach people at once while there are gates.",
      tag,
      permission: "agents_publish",
      also_permission: PUBLISH_UNTESTED,
      refusals: [409],
      params,
      body: AgentVersioningUpdate,
      response: AgentVersioning,
    },
    async ({ caller, params: { agent_id }, body }) =>
      db.transaction().execute(async (tx) => {
        const before = await holdVersioned(tx, caller, agent_id);
        await refuseUnknownSuites(
          tx,
          caller,
          body.gates.filter((gate) => !isKept(gate, before.gates)),
        );
        const { published_version, gates } = body;
        const { replay_gate: was } = before;
        const replay_gate = body.replay_gate === undefined ? was : sentGate(caller, body.replay_gate, was);
        const after = { published_version, gates, replay_gate };
        if (isWeaker(before, after)) requirePermission(caller, PUBLISH_UNTESTED);
        if (published_version !== before.published_version) await refuseWhileSplit(tx, agent_id);
        if (published_version !== null) await findVersion(tx, caller, agent_id, published_version);
        await tx
          .updateTable("agents")
          .set({
            published_version,
            publish_gates: json(gates),
            publish_replay_gate: jsonOrNull(replay_gate),
          })
          .where("id", "=", agent_id)
          .execute();
        const { name: _, ...chosen } = before;
        await api.audit(tx, caller, {
          action: published_version === before.published_version ? "change gates" : "choose version",
          resource: "agents",
          resource_id: agent_id,
          before: chosen,
          after,
        });
        return versioningOf(tx, caller, agent_id, draftParts());
      }),
  );

  api.get(
    `${AGENT}/versions`,
    {
      summary: "List the versions of an agent",
      tag,
      permission: "agents_read",
      params,
      query: list.listQuery(versionList),
      response: list.listOf(AgentVersion),
    },
    async ({ caller, params: { agent_id }, query }) => {
      await findVersioned(db, caller, agent_id);
      const page = await list.listPage(db, selectVersions(db, caller, agent_id), query, versionList);
      return list.onlyFields(page, query.fields, AgentVersion);
    },
  );

  api.get(
    `${AGENT}/versions/:version_number`,
    {
      summary: "Get a version of an agent",
      tag,
      permission: "agents_read",
      params: versionParams,
      response: AgentVersionContent,
    },
    async ({ caller, params: { agent_id, version_number } }) => {
      const version = await findVersion(db, caller, agent_id, version_number);
      const snapshot = await freezeSnapshot(db, caller.sub_organization_id, agent_id, version_number);
      const parts = [...partsOf(snapshot)].map(([part, content]) => ({ part, content }));
      return { ...version, parts, findings: snapshotFindings(snapshot, offer()) };
    },
  );

  api.get(
    `${AGENT}/versions/:version_number/changes`,
    {
      summary: "Compare a version of an agent with a later one, or with the draft",
      tag,
      permission: "agents_read",
      params: versionParams,
      query: z.object({ with: recordId().nullish().describe("Another version. Omitted: the draft.") }),
      response: z.array(AgentChange),
    },
    async ({ caller, params: { agent_id, version_number }, query }) => {
      const { sub_organization_id } = caller;
      const before = await freezeSnapshot(db, sub_organization_id, agent_id, version_number);
      const after = await freezeSnapshot(db, sub_organization_id, agent_id, query.with ?? "draft");
      return changesOf(before, after);
    },
  );

  api.post(
    `${AGENT}/versions`,
    {
      summary: "Publish an agent's draft",
      description:
        "The first version that is published makes every later save a draft. Refused where a suite or the replay that must pass does not, unless a reason is given.",
      tag,
      permission: "agents_publish",
      also_permission: PUBLISH_UNTESTED,
      refusals: [409],
      params,
      body: PublishRequest,
      response: AgentVersion,
    },
    async ({ caller, params: { agent_id }, body }) =>
      db.transaction().execute(async (tx) => {
        const { version_number } = await publishDraft(
          tx,
          { caller, at: clock.now(), freezeJudges },
          agent_id,
          body,
        );
        const after = await findVersion(tx, caller, agent_id, version_number);
        await api.audit(tx, caller, { action: "publish", resource: "agents", resource_id: agent_id, after });
        return after;
      }),
  );

  async function findVersion(
    from: Db,
    caller: Parameters<typeof selectVersions>[1],
    agent_id: number,
    number: number,
  ) {
    const found = await selectVersions(from, caller, agent_id)
      .where("v.version_number", "=", number)
      .executeTakeFirst();
    if (!found) throw notFound("Version", number);
    return found;
  }
}

type Chosen = { published_version: number | null; gates: PublishGate[]; replay_gate: ReplayGate | null };

/** Pure: whether what may be published afterwards is more than before. */
const isWeaker = (before: Chosen, after: Chosen): boolean =>
  (before.gates.length > 0 || before.replay_gate !== null) &&
  ((before.published_version !== null && after.published_version === null) ||
    !asksAsMuchOfReplay(after.replay_gate, before.replay_gate) ||
    !before.gates.every((was) => after.gates.some((gate) => asksAsMuch(gate, was))));

const asksAsMuch = (gate: PublishGate, was: PublishGate): boolean =>
  gate.suite_id === was.suite_id &&
  gate.at_least >= was.at_least &&
  isWithin(gate.most_answer_ms, was.most_answer_ms) &&
  isWithin(gate.most_cost_usd, was.most_cost_usd);

/** No budget allows everything. */
const isWithin = (budget: number | null | undefined, was: number | null | undefined): boolean =>
  was == null || (budget != null && budget <= was);

const isKept = (gate: PublishGate, gates: PublishGate[]): boolean =>
  gates.some(({ suite_id }) => suite_id === gate.suite_id);
