import { VERSION } from "../../base/version.ts";

/** What `./parley help` prints. */
export const HELP = `Parley ${VERSION}: a self-hosted platform for conversational agents.

  ./parley start                  runs the platform
  ./parley chat <agent> [--json]  talks with an agent in the terminal and shows why it does what it does;
                                  --no-trace shows tool calls and variables only; --var name=value, --language de,
                                  --channel sms, --caller +15550100 and --at 2026-12-24T18:00 (the agent's clock)
                                  say what the conversation begins with
  ./parley call <agent> --say "…" [--say "…"] [--out call.wav] [--json]
                                  calls an agent's chat page by voice: an offline voice says each line, the call's
                                  words are printed, --out keeps both sides; --wav in.wav says a recording instead
  ./parley evaluate <suite.yaml> [--against draft|live|3] [--agent name] [--repeat n] [--seed n] [--cost-cap dollars]
                                  [--junit file] [--json]
                                  runs a suite of tests of an agent; exits with 0 when all pass, 1 when one fails,
                                  2 when the suite is faulty; --against draft (the default) tests what was saved last,
                                  live the version that people reach, 3 that version; --repeat plays each case so often,
                                  --junit writes JUnit XML, --cost-cap begins nothing once so many dollars are spent
  ./parley check <file> [--json]  finds mistakes in an agent's or a tool's file (YAML or JSON), without a database;
                                  exits with 0 when there are none, 1 for errors and warnings, 2 for another shape
  ./parley export <folder> [--env name] [--replace] [--json]
                                  writes the organization's configuration as YAML files, by name and without secrets
  ./parley plan <folder> [--env name] [--prune] [--secrets] [--json]
                                  shows what apply would create, change and delete (--prune); --secrets sends all
                                  secrets again; --env takes url and token from environments/<name>.yaml
  ./parley apply <folder> [--env name] [--prune] [--secrets] [--expect plan] [--json]
                                  makes the organization as the folder says; exits with 0 when done, 1 when it
                                  stopped on the way, 2 when the folder is faulty; --expect only does that plan
  ./parley drift <folder> [--env name] [--prune] [--json]
                                  exits with 0 when the organization is as the folder says, 1 when it differs, 2 when
                                  it can't be compared
  ./parley import vapi|retell|elevenlabs <file.json> [--plan] [--name text] [--json]
                                  makes an agent of one that another platform exported, and says what becomes of each
                                  field; --plan creates nothing; exits with 0 when done, 1 when Parley refused it,
                                  2 when the file is no such agent or the name is taken
  ./parley replay <agent> [--sessions n] [--against draft] [--baseline live] [--days n] [--version n] [--seed n] [--json]
                                  plays recorded sessions again with two states of an agent and compares them; exits
                                  with 0 when nothing got worse, 1 when something did, 2 when nothing could be replayed;
                                  --file replay.yaml adds mocks and checks, --cost-cap ends it at so many dollars;
                                  --gate replays what the agent's gate asks for, and exits with 1 when it holds back
  ./parley publish <agent> [--note text] [--plan] [--reason text] [--not-live] [--json]
                                  prints what the draft changes, runs the tests it has to pass and publishes it; exits
                                  with 0 when published or unchanged, 1 when the tests hold it back, 2 when it can't be
                                  done; --plan publishes nothing, --reason publishes without the tests, --not-live
                                  leaves the live version to people
  ./parley experiments list [agent] | start <agent> --split 1=95,2=5 [--ramp 25,100] [--after 24h] [--name text]
                                  | show <n> [--stage n] | ramp <n> [--to 25] | adopt <n> [--version 2]
                                  | stop <n> --reason "…"   [--json]
                                  splits an agent's live traffic between published versions, compares them and ends it;
                                  start takes --target n, --campaign n, --success tool:book, end:agent or
                                  insight:rating=Good, --guards errors,slow (or none) and --slow 4s, too, or --draft n for
                                  one that was planned; adopt makes the tried version live for everybody;
                                  exits with 0 when done, 1 when a guardrail returned everybody, 2 when it can't be done
  ./parley simulate [--json] [--seed n] [--audio]
                                  has simulated people call, text and mail the demo's agent, and prints what was said;
                                  --agent <name> has them call, text and mail an agent of the Parley that runs here;
                                  --audio has one call the demo's agent by voice, and prints what they heard
  ./parley listen --forward-to <url> [--inbox name] [--json]
                                  hands webhooks on to a program on this machine, byte for byte as they were signed;
                                  --url and --token (or PARLEY_API_TOKEN) listen to another machine's Parley
  ./parley doctor [--json]        checks settings, port, data, database, provider keys and clock
  ./parley speech-model           downloads a model that recognizes English speech on this machine (22 MB, by npm)
  ./parley sign-in-link           prints a link that signs the first administrator in, where password and token are lost
  ./parley backup <file> [--replace] [--without-files] [--json]
                                  writes database and files into one archive while Parley runs; - is the standard output
  ./parley restore <file> [--no-pause] [--json]
                                  brings an archive into an empty database and data directory, with batches paused
  ./parley migrate                brings the database up to this version, and stops
  ./parley demo-campaign          runs a campaign on 200 simulated people in six time zones, and prints its board
  ./parley verify-audit [--json]  checks that no entry of an audit trail was changed or deleted; exits with 1 when one was,
                                  2 when it could not look
  ./parley rotate-keys [--resume] seals secrets with the present secret key, and recordings with new keys; --resume goes on
                                  with recordings where a run was interrupted
  ./parley sbom [--spdx]          prints the software bill of materials: CycloneDX, or SPDX
  ./parley licences [--json]      lists the licences of all that running Parley installs
  ./parley version                prints the version
  ./parley test [file …]          runs all tests, or those named

One command alone: ./parley chat --help. Settings come from the environment or a file .env in the current folder;
.env.example lists them all.
`;

/** What help says of one command; where it says nothing of it, how to see them all. */
export function helpOf(command: string): string {
  const entries = HELP.split(/\n(?= {2}\.\/parley )/);
  const entry = entries.find((each) => each.startsWith(`  ./parley ${command} `))?.split("\n\n")[0];
  return `${entry ? `${entry}\n\n` : ""}All commands: ./parley help\n`;
}
