import { z } from "zod";
import type { Caller } from "../api/caller.ts";
import * as list from "../api/list.ts";
import { addResource } from "../api/resource.ts";
import { integer, queryInteger, recordId } from "../api/schema.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import { Fault, notFound } from "../base/errors.ts";
import { type Db, json, jsonOrNull } from "../db/database.ts";
import type { KeptSince } from "../sessions/kept-since.ts";
import { adoptVersion, changeWeights, startExperiment, stopExperiment } from "./change-experiment.ts";
import { checkExperiment } from "./check-experiment.ts";
import { ExperimentComparison } from "./comparison.ts";
import { Experiment, ExperimentInput, ExperimentUpdate, isDraft, isRunning } from "./experiment.ts";
import {
  experimentList,
  findExperiment,
  holdExperiment,
  selectExperiments,
  withNextStep,
} from "./experiment-store.ts";
import { keptDays, resultOf } from "./kept-results.ts";
import { retentionFindings } from "./retention-finding.ts";

const PATH = "/api/v1/experiments";
const ONE = `${PATH}/:experiment_id`;
const tag = "experiments";
const params = z.object({ experiment_id: recordId() });

/** Experiments: planned, started, watched and ended. */
export function addExperiments(
  api: Api,
  { db, clock, keptSince }: { db: Db; clock: Clock; keptSince: KeptSince },
): void {
  /** One experiment, with what is to be known of it before it runs. */
  const checked = async (from: Db, { sub_organization_id }: Caller, experiment: Experiment) => ({
    ...experiment,
    validation_issues: retentionFindings(
      experiment,
      await keptDays({ db: from, clock, keptSince }, sub_organization_id, experiment),
    ),
  });

  addResource<Experiment, ExperimentInput, z.infer<typeof ExperimentUpdate>>(api, db, {
    path: PATH,
    noun: "Experiment",
    id_name: "experiment_id",
    tag,
    permission: "experiments",
    record: Experiment,
    create: ExperimentInput,
    update: ExperimentUpdate,
    list: experimentList,
    audited: ({ validation_issues: _, ...experiment }) => experiment,
    store: {
      async page(caller, query) {
        const page = await list.listPage(db, selectExperiments(db, caller), query, experimentList);
        return { ...page, items: page.items.map(withNextStep) };
      },
      async find(from, caller, id) {
        const found = await findExperiment(from, caller, id);
        return found && checked(from, caller, found);
      },
      async insert(tx, caller, input) {
        await checkExperiment(tx, caller, input);
        const { sub_organization_id } = caller;
        const created_at = clock.now().toISOString();
        const { id } = await tx
          .insertInto("experiments")
          .values({
            ...columns(input),
            ...stamp(caller.email),
            sub_organization_id,
            created_at,
            status: "draft",
          })
          .returning("id")
          .executeTakeFirstOrThrow();
        return id;
      },
      async replace(tx, caller, { id, ...input }) {
        if (!isDraft((await holdExperiment(tx, caller, id)).status))
          throw new Fault("conflict", "This experiment was started. Only its weights can be changed.");
        await checkExperiment(tx, caller, input);
        await tx
          .updateTable("experiments")
          .set({ ...columns(input), ...stamp(caller.email) })
          .where("id", "=", id)
          .execute();
      },
      async remove(tx, caller, id) {
        if (isRunning((await holdExperiment(tx, caller, id)).status))
          throw new Fault("conflict", "This experiment is running. Stop it first.");
        await tx
          .updateTable("experiments")
          .set({ ...stamp(caller.email), deleted_at: clock.now().toISOString() })
          .where("id", "=", id)
          .execute();
      },
    },
  });

  const stamp = (email: string) => ({ last_updated: clock.now().toISOString(), last_updated_by: email });
  const columns = ({ variants, ramp, success, ...input }: ExperimentInput) => ({
    ...input,
    variants: json(variants),
    ramp: jsonOrNull(ramp),
    success: jsonOrNull(success),
  });

  const action = {
    tag,
    permission: "experiments_write",
    params,
    refusals: [409 as const],
    response: Experiment,
  };

  api.post(
    `${ONE}/start`,
    {
      ...action,
      permission: "agents_publish",
      summary: "Start an experiment",
      description:
        "New sessions get a version by person: the same person always gets the same one. The control must be the live version.",
    },
    async ({ caller, params: { experiment_id } }) => {
      return db.transaction().execute(async (tx) => {
        const { before, after } = await startExperiment(tx, { caller, at: clock.now() }, experiment_id);
        await api.audit(tx, caller, {
          action: "start",
          resource: tag,
          resource_id: experiment_id,
          before,
          after,
        });
        return checked(tx, caller, after);
      });
    },
  );

  api.put(
    `${ONE}/weights`,
    {
      ...action,
      permission: "agents_publish",
      summary: "Change the weights of a running experiment",
      description:
        "People move only to versions that gain. A ramp goes on from its next higher step. The weights it already has change nothing.",
      body: z
        .strictObject({
          weights: z
            .array(z.strictObject({ version_number: recordId(), weight: integer({ min: 0, max: 100 }) }))
            .min(2)
            .max(5),
        })
        .meta({ id: "ExperimentWeights" }),
    },
    async ({ caller, params: { experiment_id }, body }) => {
      return db.transaction().execute(async (tx) => {
        const stamped = { caller, at: clock.now() };
        const { before, after } = await changeWeights(tx, stamped, experiment_id, body.weights);
        await api.audit(tx, caller, {
          action: "change weights",
          resource: tag,
          resource_id: experiment_id,
          before: before.stages.at(-1),
          after: after.stages.at(-1),
        });
        return after;
      });
    },
  );

  api.post(
    `${ONE}/stop`,
    {
      ...action,
      summary: "Stop an experiment",
      description: "New sessions use the live version. Running sessions keep theirs.",
      body: z.strictObject({ reason: z.string().trim().min(1).max(2_000) }).meta({ id: "ExperimentStop" }),
    },
    async ({ caller, params: { experiment_id }, body }) =>
      db.transaction().execute(async (tx) => {
        const stamped = { caller, at: clock.now() };
        const { before, after } = await stopExperiment(tx, stamped, experiment_id, body.reason);
        await api.audit(tx, caller, {
          action: "stop",
          resource: tag,
          resource_id: experiment_id,
          before,
          after,
        });
        return after;
      }),
  );

  api.post(
    `${ONE}/adopt`,
    {
      ...action,
      permission: "agents_publish",
      summary: "Make a version of an experiment live for everyone",
      description: "Ends the experiment.",
      body: z
        .strictObject({
          version_number: recordId().nullish().describe("Omitted: the first tried version."),
        })
        .meta({ id: "ExperimentAdoption" }),
    },
    async ({ caller, params: { experiment_id }, body }) => {
      return db.transaction().execute(async (tx) => {
        const stamped = { caller, at: clock.now() };
        const { before, after } = await adoptVersion(tx, stamped, experiment_id, body.version_number ?? null);
        await api.audit(tx, caller, {
          action: "adopt",
          resource: tag,
          resource_id: experiment_id,
          before,
          after,
        });
        return after;
      });
    },
  );

  api.get(
    `${ONE}/comparison`,
    {
      summary: "Compare the versions of an experiment",
      description: "Figures of one stage, so that all versions are compared over the same time.",
      tag,
      permission: "experiments_read",
      params,
      query: z.object({
        stage: queryInteger({ min: 0, max: 1000 })
          .nullish()
          .describe("From 0; left out: the last in which the control and another version had people."),
      }),
      response: ExperimentComparison,
    },
    async ({ caller, params: { experiment_id }, query }) => {
      const experiment = await findExperiment(db, caller, experiment_id);
      if (!experiment) throw notFound("Experiment", experiment_id);
      return resultOf({ db, clock, keptSince }, caller.sub_organization_id, experiment, query.stage ?? null);
    },
  );
}
