import type { ParleyClient } from "../../../sdk/typescript/client.ts";
import { Fault } from "../../base/errors.ts";
import type { Config, Secrets } from "../../config.ts";
import { client, tokenOfThisMachine } from "../api-client.ts";
import { findAgent } from "../chat.ts";
import { followRun } from "../evaluate.ts";
import { followReplay } from "../replay.ts";
import { INTERRUPTED } from "../stop-signal.ts";
import { type PublishWanted, readPublishArguments } from "./publish-arguments.ts";
import { changesText, gatesText, holdsBack, type ToldVersioning } from "./publish-report.ts";

const PUBLISHED = 0;
const HELD_BACK = 1;
const IMPOSSIBLE = 2;

type NamedAgent = { id: number; name: string };

/**
 * Publishes an agent's draft on the Parley that runs here: prints what it changes, runs the tests that say nothing of it yet,
 * and publishes exactly the draft that was printed. Resolves with the exit code: 0 published, or nothing has changed; 1 the
 * tests hold it back; 2 it can't be done.
 */
export async function publish(
  args: string[],
  config: Config,
  secrets: Secrets,
  token: string | undefined,
): Promise<number> {
  const wanted = readPublishArguments(args);
  if (typeof wanted === "string") return faulty(wanted);
  const parley = client(config.public_url, token ? () => token : await tokenOfThisMachine(config, secrets));
  try {
    return await publishAgent(parley, await findAgent(parley, wanted.agent), wanted);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return faulty(error.message);
  }
}

async function publishAgent(parley: ParleyClient, agent: NamedAgent, wanted: PublishWanted): Promise<number> {
  const print = (text: string) => void (wanted.json || process.stdout.write(text));
  const first = await versioningOf(parley, agent);
  print(changesText(agent.name, first));
  const tell = (state: ToldVersioning, version_number: number | null, code: number): number => {
    const { gates, replay_gate } = state;
    if (wanted.json)
      process.stdout.write(
        `${JSON.stringify({ agent_id: agent.id, ...first, gates, replay_gate, version_number })}\n`,
      );
    return code;
  };
  const isUnchanged = first.published_version !== null && first.draft.changes.length === 0;
  if (isUnchanged) return tell(first, null, PUBLISHED);
  const runsTests = !wanted.is_plan && wanted.reason === null;
  if (runsTests && !(await runGates(parley, agent, first, wanted.json))) return INTERRUPTED;
  const judged = runsTests ? await versioningOf(parley, agent) : first;
  print(gatesText(judged));
  if (wanted.is_plan) return tell(judged, null, holdsBack(judged) ? HELD_BACK : PUBLISHED);
  if (holdsBack(judged) && wanted.reason === null) {
    print("Not published.\n");
    return tell(judged, null, HELD_BACK);
  }
  const { version_number } = await parley.publish_agent({
    path: { agent_id: agent.id },
    body: {
      note: wanted.note,
      // The draft that was printed: one that somebody changed meanwhile is refused.
      fingerprint: first.draft.fingerprint,
      take_live: wanted.take_live,
      override_reason: holdsBack(judged) ? wanted.reason : null,
    },
  });
  print(`Version ${version_number} ${wanted.take_live ? "is live" : "is published, and not live"}.\n`);
  return tell(judged, version_number, PUBLISHED);
}

const versioningOf = (parley: ParleyClient, { id }: NamedAgent): Promise<ToldVersioning> =>
  parley.get_agent_versioning({ path: { agent_id: id } });

/** Runs what has not been run with this draft, one after the other. False: interrupted by Ctrl-C. */
async function runGates(
  parley: ParleyClient,
  agent: NamedAgent,
  { gates, replay_gate }: ToldVersioning,
  quiet: boolean,
): Promise<boolean> {
  for (const { suite_id, suite, run_id } of gates) {
    if (run_id !== null || suite === null) continue;
    const { id } = await parley.run_test_suite({ path: { suite_id }, body: { agent: agent.name } });
    if (!(await followRun(parley, id, quiet))) return false;
  }
  if (!replay_gate || replay_gate.passes || replay_gate.replay_id !== null) return true;
  const { filter, sessions } = replay_gate;
  const { id } = await parley.replay_sessions({ path: { agent_id: agent.id }, body: { filter, sessions } });
  return (await followReplay(parley, id, quiet)) !== null;
}

function faulty(line: string): number {
  process.stderr.write(`parley: ${line}\n`);
  return IMPOSSIBLE;
}
