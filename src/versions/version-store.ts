import { sql } from "kysely";
import type { LlmOffer } from "../agents/prompt-llm.ts";
import { freezeSnapshot, type Snapshot } from "../agents/snapshot.ts";
import { changesOf, fingerprintOf } from "../agents/version-parts.ts";
import { refuseWhileSplit } from "../agents/version-split.ts";
import { type Caller, requirePermission, type Stamp } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, jsonOrNull, type Tx } from "../db/database.ts";
import { type FreezeJudges, type GateResult, gateResults, type PublishGate } from "./publish-gate.ts";
import {
  type ReplayGate,
  type ReplayGateResult,
  replayGateResult,
  shownGate,
  shownGateOf,
} from "./replay-gate.ts";
import { snapshotFindings } from "./version-findings.ts";

/** The permission to publish although a suite holds back, and to ask for less of suites. */
export const PUBLISH_UNTESTED = "agents_publish_untested";

export const versionList: list.ListRules = {
  fields: {
    version_number: list.integer("v.version_number"),
    note: list.text("v.note"),
    published_at: list.time("v.published_at"),
    published_by: list.text("v.published_by"),
  },
  time: "v.published_at",
  order: [{ column: "v.version_number", direction: "desc" }],
};

export const selectVersions = (db: Db, caller: Caller, agent_id: number) =>
  db
    .selectFrom("agent_versions as v")
    .innerJoin("agents as a", "a.id", "v.agent_id")
    .where("v.sub_organization_id", "=", caller.sub_organization_id)
    .where("v.agent_id", "=", agent_id)
    .where("a.deleted_at", "is", null)
    .select((row) => [
      "v.version_number",
      "v.note",
      "v.published_at",
      "v.published_by",
      "v.override_reason",
      row.ref("v.gates").$castTo<GateResult[]>().as("gates"),
      shownGateOf(caller, sql`v.replay_gate`).as("replay_gate"),
      row.fn
        .coalesce(row("a.published_version", "=", row.ref("v.version_number")), row.lit(false))
        .as("is_live"),
    ]);

type Versioned = {
  name: string;
  published_version: number | null;
  gates: PublishGate[];
  replay_gate: ReplayGate | null;
};

const selectVersioned = (db: Db, caller: Caller, agent_id: number) =>
  db
    .selectFrom("agents")
    .where("id", "=", agent_id)
    .where("sub_organization_id", "=", caller.sub_organization_id)
    .where("deleted_at", "is", null)
    .select(["name", "published_version", "publish_gates as gates", "publish_replay_gate as replay_gate"])
    .$castTo<Versioned>();

export async function findVersioned(db: Db, caller: Caller, agent_id: number): Promise<Versioned> {
  const found = await selectVersioned(db, caller, agent_id).executeTakeFirst();
  if (!found) throw notFound("Agent", agent_id);
  return found;
}

/** Two people who publish, or choose a version, do so one after the other. */
export async function holdVersioned(tx: Tx, caller: Caller, agent_id: number): Promise<Versioned> {
  const found = await selectVersioned(tx, caller, agent_id).forUpdate().executeTakeFirst();
  if (!found) throw notFound("Agent", agent_id);
  return found;
}

/** The draft against what people reach, and what its gates say. */
export async function versioningOf(
  db: Db,
  caller: Caller,
  agent_id: number,
  { offer, freezeJudges }: { offer: LlmOffer; freezeJudges: FreezeJudges },
) {
  const { published_version, gates, replay_gate } = await findVersioned(db, caller, agent_id);
  const { sub_organization_id } = caller;
  const draft = await freezeSnapshot(db, sub_organization_id, agent_id, "draft");
  const published =
    published_version === null
      ? null
      : await selectVersions(db, caller, agent_id)
          .where("v.version_number", "=", published_version)
          .executeTakeFirstOrThrow();
  const changes =
    published_version === null
      ? []
      : changesOf(await freezeSnapshot(db, sub_organization_id, agent_id, published_version), draft);
  const fingerprint = fingerprintOf(draft);
  const same = await selectVersions(db, caller, agent_id)
    .where("v.fingerprint", "=", fingerprint)
    .orderBy("v.version_number", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    agent_id,
    published_version,
    published_at: published?.published_at ?? null,
    published_by: published?.published_by ?? null,
    draft: {
      fingerprint,
      changes,
      findings: snapshotFindings(draft, offer),
      version_number: same?.version_number ?? null,
    },
    gates: await gateResults(db, caller, { agent_id, fingerprint, gates }, freezeJudges),
    replay_gate: shownGate(
      caller,
      await replayGateResult(db, caller, agent_id, fingerprint, {
        gate: replay_gate,
        live: published_version,
      }),
    ),
  };
}

export type PublishRequest = {
  note: string;
  fingerprint?: string | null | undefined;
  override_reason?: string | null | undefined;
  /** Without it the version is only kept, for an experiment or for later. */
  take_live?: boolean | undefined;
};

/** Makes the draft the version that people reach. Resolves with its number, and what its gates said. */
export async function publishDraft(
  tx: Tx,
  { caller, at, freezeJudges }: Stamp & { freezeJudges: FreezeJudges },
  agent_id: number,
  { note, fingerprint, override_reason, take_live = true }: PublishRequest,
): Promise<{ version_number: number; gates: GateResult[] }> {
  const { published_version, gates, replay_gate } = await holdVersioned(tx, caller, agent_id);
  if (take_live) await refuseWhileSplit(tx, agent_id);
  else if (published_version === null)
    throw new Fault(
      "refused",
      "The first version goes live. Publish it with take_live, and try the next one.",
    );
  const { sub_organization_id } = caller;
  const draft = await freezeSnapshot(tx, sub_organization_id, agent_id, "draft");
  const found = fingerprintOf(draft);
  if (fingerprint != null && fingerprint !== found)
    throw new Fault("conflict", "The draft was changed after you looked at it. Look at its changes again.");
  if (published_version !== null) {
    const live = await freezeSnapshot(tx, sub_organization_id, agent_id, published_version);
    if (fingerprintOf(live) === found)
      throw new Fault("refused", `Nothing has changed since version ${published_version}.`);
  }
  const results = await gateResults(tx, caller, { agent_id, fingerprint: found, gates }, freezeJudges);
  const replayed = await replayGateResult(tx, caller, agent_id, found, {
    gate: replay_gate,
    live: published_version,
  });
  const failing = [...results, ...(replayed ? [replayed] : [])].filter(({ passes }) => !passes);
  if (failing.length > 0) {
    if (!override_reason) throw new Fault("refused", refusalOf(failing));
    requirePermission(caller, PUBLISH_UNTESTED);
  }
  const version_number = await insertVersion(tx, { caller, at }, agent_id, {
    snapshot: draft,
    fingerprint: found,
    note,
    gates: results,
    replay_gate: replayed,
    override_reason: failing.length > 0 ? (override_reason ?? null) : null,
  });
  if (take_live)
    await tx
      .updateTable("agents")
      .set({ published_version: version_number })
      .where("id", "=", agent_id)
      .execute();
  return { version_number, gates: results };
}

const refusalOf = (failing: Pick<GateResult | ReplayGateResult, "says">[]): string =>
  `The draft may not be published yet. ${failing.map(({ says }) => says).join(" ")} Run the tests with this draft, or publish it with a reason.`;

type NewVersion = {
  snapshot: Snapshot;
  fingerprint: string;
  note: string;
  gates: GateResult[];
  replay_gate: ReplayGateResult | null;
  override_reason: string | null;
};

async function insertVersion(
  tx: Tx,
  { caller, at }: Stamp,
  agent_id: number,
  { snapshot, gates, replay_gate, ...version }: NewVersion,
): Promise<number> {
  const { last } = await tx
    .selectFrom("agent_versions")
    .where("agent_id", "=", agent_id)
    .select((row) => row.fn.coalesce(row.fn.max("version_number"), row.lit(0)).as("last"))
    .executeTakeFirstOrThrow();
  const version_number = Number(last) + 1;
  await tx
    .insertInto("agent_versions")
    .values({
      ...version,
      sub_organization_id: caller.sub_organization_id,
      agent_id,
      version_number,
      snapshot: json(snapshot),
      gates: json(gates),
      replay_gate: jsonOrNull(replay_gate),
      published_at: at.toISOString(),
      published_by: caller.email,
    })
    .execute();
  return version_number;
}
