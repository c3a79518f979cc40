import type { ParleyClient } from "../../../sdk/typescript/client.ts";
import { Fault } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import type { Experiment } from "../../experiments/experiment.ts";
import { controlOf, nextStep, triedOf, weightsAt } from "../../experiments/experiment.ts";
import { client, tokenOfThisMachine } from "../api-client.ts";
import { findAgent } from "../chat.ts";
import { type ExperimentsWanted, readExperimentArguments } from "./experiment-arguments.ts";
import { listReport, showReport, splitLine } from "./experiment-report.ts";

const DONE = 0;
/** A guardrail has returned everybody, which a script wants to know. */
const RETURNED = 1;
const FAULTY = 2;

/**
 * Splits the traffic of an agent on the Parley that runs here, shows what came of it, and ends it. Resolves with the exit
 * code: 0 done, 1 a guardrail returned everybody, 2 it can't be done.
 */
export async function experiments(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const wanted = readExperimentArguments(args);
  if (typeof wanted === "string") return faulty(wanted);
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  try {
    const { told, lines, code } = await done(parley, wanted);
    process.stdout.write(wanted.json ? `${JSON.stringify(told)}\n` : lines);
    return code;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return faulty(error.message);
  }
}

type Done = { told: unknown; lines: string; code: number };

async function done(parley: ParleyClient, wanted: ExperimentsWanted): Promise<Done> {
  switch (wanted.verb) {
    case "list": {
      const items = await listed(parley, wanted.agent);
      return { told: items, lines: listReport(items), code: DONE };
    }
    case "start": {
      const started = await start(parley, wanted);
      const warnings = (started.validation_issues ?? []).map(({ message }) => `Warning: ${message}\n`);
      const lines = `Experiment ${started.id} runs: ${splitLine(started)}.\n${warnings.join("")}Follow it: ./parley experiments show ${started.id}\n`;
      return { told: started, lines, code: DONE };
    }
    case "show": {
      const path = { experiment_id: wanted.id };
      const experiment = await parley.get_experiment({ path });
      const query = wanted.stage === null ? {} : { stage: wanted.stage - 1 };
      const comparison =
        experiment.stages.length === 0 ? null : await parley.get_experiment_comparison({ path, query });
      return {
        told: { experiment, comparison },
        lines: showReport(experiment, comparison),
        code: experiment.status === "returned" ? RETURNED : DONE,
      };
    }
    case "ramp": {
      const changed = await ramp(parley, wanted.id, wanted.percent);
      return { told: changed, lines: `New sessions begin with ${splitLine(changed)}.\n`, code: DONE };
    }
    case "adopt": {
      const { id, version: version_number } = wanted;
      const adopted = await parley.adopt_experiment({
        path: { experiment_id: id },
        body: { version_number },
      });
      const lines = `Experiment ${id} is over. ${adopted.ended_because}\n`;
      return { told: adopted, lines, code: DONE };
    }
    case "stop": {
      const { id, reason } = wanted;
      const stopped = await parley.stop_experiment({ path: { experiment_id: id }, body: { reason } });
      const lines = `Experiment ${id} is stopped. New sessions begin with version ${controlOf(stopped.variants)}.\n`;
      return { told: stopped, lines, code: DONE };
    }
  }
}

async function listed(parley: ParleyClient, agent: string | null): Promise<Experiment[]> {
  const ofAgent =
    agent === null
      ? {}
      : {
          search_fields: ["agent_id" as const],
          search_field_values: [String((await findAgent(parley, agent)).id)],
        };
  return (await parley.list_experiments({ query: { limit: 100, ...ofAgent } })).items;
}

/** The control is the version that people reach now. What can't be started stays as a draft. */
async function start(
  parley: ParleyClient,
  wanted: Extract<ExperimentsWanted, { verb: "start" }>,
): Promise<Experiment> {
  if ("draft" in wanted) return parley.start_experiment({ path: { experiment_id: wanted.draft } });
  const { id: agent_id, name } = await findAgent(parley, wanted.agent);
  const { published_version: live } = await parley.get_agent_versioning({ path: { agent_id } });
  if (live === null)
    throw new Fault(
      "refused",
      `No version of ${name} is live, so there is no control. Make one live first: in the console under "All versions", or with ./parley publish.`,
    );
  const variants = wanted.weights.map((share) => ({ ...share, is_control: share.version_number === live }));
  if (!variants.some(({ is_control }) => is_control))
    throw new Fault(
      "refused",
      `People reach version ${live} now. Name it in --split, too: it is the control.`,
    );
  const first = variants.find(({ is_control }) => !is_control)?.weight ?? 0;
  const ramp = [
    { percent: first, after_minutes: null },
    ...wanted.ramp.map((percent) => ({ percent, after_minutes: wanted.after_minutes })),
  ];
  const { id } = await parley.create_experiment({
    body: {
      name: wanted.name,
      agent_id,
      variants,
      ramp: wanted.ramp.length === 0 ? null : ramp,
      channel_target_id: wanted.target,
      campaign_id: wanted.campaign,
      success: wanted.success,
      guards: wanted.guards,
      slow_ms: wanted.slow_ms,
    },
  });
  try {
    return await parley.start_experiment({ path: { experiment_id: id } });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    throw new Fault(
      error.kind,
      `${error.message}\nExperiment ${id} stays a draft: ./parley experiments start --draft ${id}`,
    );
  }
}

/** To the next step of the ramp, or to the share that was named. */
async function ramp(parley: ParleyClient, id: number, named: number | null): Promise<Experiment> {
  const experiment = await parley.get_experiment({ path: { experiment_id: id } });
  if (experiment.variants.length !== 2)
    throw new Fault("refused", "A ramp needs two versions. Change the weights in the console.");
  const percent = named ?? nextStep(experiment)?.percent;
  if (percent === undefined)
    throw new Fault(
      "refused",
      `The ramp has no further step. Say how far: --to 50, or take version ${triedOf(experiment.variants)} live: ./parley experiments adopt ${id}`,
    );
  return parley.update_experiment_weights({
    path: { experiment_id: id },
    body: { weights: weightsAt(experiment.variants, percent) },
  });
}

function faulty(line: string): number {
  process.stderr.write(`parley: ${line}\n`);
  return FAULTY;
}
