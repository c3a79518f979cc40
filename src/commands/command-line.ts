import { existsSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { errorText, Fault } from "../base/errors.ts";
import { VERSION } from "../base/version.ts";
import { type Config, ConfigFaults, readConfig, type Secrets } from "../config.ts";
import { CHAT_VALUE_FLAGS } from "./chat-arguments.ts";
import { AS_CODE_FLAGS, AS_CODE_VALUES } from "./configuration/as-code-flags.ts";
import { EXPERIMENT_FLAGS } from "./experiments/experiment-arguments.ts";
import { HELP } from "./help.ts";
import { PUBLISH_FLAGS, PUBLISH_VALUES } from "./publishing/publish-arguments.ts";

type Settings = { config: Config; secrets: Secrets };

type Command = {
  flags: string[];
  names: number;
  /** The flags that a value follows, which is no name. */
  values?: string[];
  run(args: string[]): number | Promise<number>;
};

/**
 * What a person can say after the command's name; anything else is a mistake worth telling. Each loads what it needs
 * only: the whole platform takes half a second, help none.
 */
const COMMANDS: Record<string, Command> = {
  start: {
    flags: [],
    names: 0,
    async run() {
      const { config, secrets } = settings();
      const { start } = await import("./start.ts");
      // At the end it would be kept, too, but a kill ends without, and who has stepped down may not write there.
      flushCompileCache();
      return start(config, secrets);
    },
  },
  chat: {
    flags: ["--json", "--no-trace", ...CHAT_VALUE_FLAGS],
    values: CHAT_VALUE_FLAGS,
    names: 1,
    async run(args) {
      const { config, secrets } = settings();
      const { chat } = await import("./chat.ts");
      return chat(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  call: {
    flags: ["--wav", "--out", "--say", "--json"],
    // As many lines as there are.
    names: Number.POSITIVE_INFINITY,
    async run(args) {
      const { config, secrets } = settings();
      const { call } = await import("./call.ts");
      return call(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  evaluate: {
    flags: ["--agent", "--against", "--repeat", "--seed", "--cost-cap", "--junit", "--json"],
    // The file, and the values of the first six.
    names: 7,
    async run(args) {
      const { config, secrets } = settings();
      const { evaluate } = await import("./evaluate.ts");
      return evaluate(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  check: {
    flags: ["--json"],
    names: 1,
    async run(args) {
      const file = args.find((arg) => !arg.startsWith("-"));
      if (file === undefined) return misused("name the file: ./parley check agent.yaml");
      const { check } = await import("./check.ts");
      return check(file, args.includes("--json"));
    },
  },
  export: asCodeCommand("export"),
  plan: asCodeCommand("plan"),
  apply: asCodeCommand("apply"),
  drift: asCodeCommand("drift"),
  import: {
    flags: ["--plan", "--name", "--json"],
    values: ["--name"],
    // The platform and the file.
    names: 2,
    async run(args) {
      const { importForeign } = await import("./configuration/import-foreign.ts");
      return importForeign(args, settings);
    },
  },
  replay: {
    flags: [
      ...["--sessions", "--against", "--baseline", "--days", "--version", "--seed", "--file", "--cost-cap"],
      ...["--gate", "--json"],
    ],
    // The agent, and the values of the first eight.
    names: 9,
    async run(args) {
      const { config, secrets } = settings();
      const { replay } = await import("./replay.ts");
      return replay(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  publish: {
    flags: [...PUBLISH_VALUES, ...PUBLISH_FLAGS],
    values: PUBLISH_VALUES,
    names: 1,
    async run(args) {
      const { config, secrets } = settings();
      const { publish } = await import("./publishing/publish.ts");
      return publish(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  experiments: {
    flags: [...EXPERIMENT_FLAGS, "--json"],
    values: EXPERIMENT_FLAGS,
    // What to do, and the agent or the experiment.
    names: 2,
    async run(args) {
      const { config, secrets } = settings();
      const { experiments } = await import("./experiments/experiments.ts");
      return experiments(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  simulate: {
    flags: ["--json", "--seed", "--agent", "--audio"],
    // The seed's number, and the agent's name.
    names: 2,
    async run(args) {
      const valueAfter = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
      const seed = args.includes("--seed") ? valueAfter("--seed") : "1";
      const agent = valueAfter("--agent");
      if (args.includes("--agent") && (!agent || agent.startsWith("-")))
        return misused('name an agent: ./parley simulate --agent "Demo clinic"');
      const known = [...(args.includes("--seed") ? [seed] : []), ...(agent ? [agent] : [])];
      const given = args.filter((arg) => !arg.startsWith("-"));
      if (!seed || !/^\d{1,9}$/.test(seed) || given.some((arg) => !known.includes(arg)))
        return misused("a seed is a number: ./parley simulate --seed 7");
      if (agent && args.includes("--audio"))
        return misused("--audio calls the demo's agent; to call your own by voice: ./parley call");
      if (agent) {
        const { config, secrets } = settings();
        const { simulateAgent } = await import("./simulate/simulate-agent.ts");
        const wanted = { agent, json: args.includes("--json"), seed: Number(seed) };
        return simulateAgent(wanted, config, secrets, process.env.PARLEY_API_TOKEN);
      }
      if (args.includes("--audio")) {
        const { simulateAudio } = await import("./simulate/simulate-audio.ts");
        return simulateAudio({ json: args.includes("--json"), seed: Number(seed) });
      }
      const { simulate } = await import("./simulate/simulate.ts");
      return simulate({ json: args.includes("--json"), seed: Number(seed) });
    },
  },
  listen: {
    flags: ["--forward-to", "--inbox", "--url", "--token", "--json"],
    // The values of the first four.
    names: 4,
    async run(args) {
      const { config, secrets } = settings();
      const { listen } = await import("./listen.ts");
      return listen(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  doctor: {
    flags: ["--json"],
    names: 0,
    async run(args) {
      const { doctor } = await import("./doctor/doctor.ts");
      return doctor(settingsOrFaults(), args.includes("--json"));
    },
  },
  "sign-in-link": {
    flags: [],
    names: 0,
    async run() {
      const { config, secrets } = settings();
      const { signInLink } = await import("./sign-in-link.ts");
      return signInLink(config, secrets);
    },
  },
  backup: {
    flags: ["--replace", "--without-files", "--json"],
    names: 1,
    async run(args) {
      const file = fileIn(args);
      if (file === undefined) return misused("name the file to write: ./parley backup parley.backup");
      const { config, secrets } = settings();
      const { backup } = await import("./archive/backup.ts");
      const has = (flag: string) => args.includes(flag);
      const files = !has("--without-files");
      return backup({ file, files, replace: has("--replace"), json: has("--json") }, config, secrets);
    },
  },
  restore: {
    flags: ["--no-pause", "--json"],
    names: 1,
    async run(args) {
      const file = fileIn(args);
      if (file === undefined) return misused("name the file to read: ./parley restore parley.backup");
      const { config, secrets } = settings();
      const { restore } = await import("./archive/restore.ts");
      const pause = !args.includes("--no-pause");
      return restore({ file, pause, json: args.includes("--json") }, config, secrets);
    },
  },
  migrate: {
    flags: [],
    names: 0,
    async run() {
      const { config, secrets } = settings();
      const { migrateOnly } = await import("./migrate.ts");
      return migrateOnly(config, secrets);
    },
  },
  "demo-campaign": {
    flags: [],
    names: 0,
    async run() {
      const { demoCampaign } = await import("./demo-campaign.ts");
      return demoCampaign();
    },
  },
  "verify-audit": {
    flags: ["--json"],
    names: 0,
    async run(args) {
      const { config, secrets } = settings();
      const { verifyAudit } = await import("./verify-audit.ts");
      return verifyAudit({ json: args.includes("--json") }, config, secrets);
    },
  },
  "rotate-keys": {
    flags: ["--resume"],
    names: 0,
    async run(args) {
      const { config, secrets } = settings();
      const { rotateKeys } = await import("./rotate-keys.ts");
      return rotateKeys({ resumed: args.includes("--resume") }, config, secrets);
    },
  },
  sbom: {
    flags: ["--spdx"],
    names: 0,
    async run(args) {
      const { sbom } = await import("./parts-list.ts");
      return sbom(args);
    },
  },
  licences: {
    flags: ["--json"],
    names: 0,
    async run(args) {
      const { licences } = await import("./parts-list.ts");
      return licences(args);
    },
  },
  version: { flags: [], names: 0, run: () => print(`${VERSION}\n`) },
  help: { flags: [], names: 0, run: () => print(HELP) },
};

function asCodeCommand(name: keyof typeof AS_CODE_FLAGS): Command {
  return {
    flags: AS_CODE_FLAGS[name],
    values: AS_CODE_VALUES,
    names: 1,
    async run(args) {
      const { asCode } = await import("./configuration/as-code.ts");
      return asCode(name, args, settings);
    },
  };
}

/** A lone "-" is the standard output or input. */
const fileIn = (args: string[]): string | undefined =>
  args.find((arg) => arg === "-" || !arg.startsWith("-"));

const ALIASES: Record<string, string> = { "--help": "help", "-h": "help", "--version": "version" };

/** `--seed=7` is the same as `--seed 7`. */
const wordsOf = (arg: string): string[] => /^(--[\w-]+)=(.*)$/s.exec(arg)?.slice(1) ?? [arg];

/** Does what a person typed after the program's name. Resolves with the exit code; whatever fails has been told then. */
export async function commandLine(typed: string[]): Promise<number> {
  try {
    return await runCommand(typed);
  } catch (error) {
    // Faults are sentences for the person at the terminal; anything else is ours and keeps its stack.
    const known = error instanceof Fault || error instanceof ConfigFaults;
    process.stderr.write(`parley: ${known ? error.message : ((error as Error).stack ?? error)}\n`);
    return 1;
  }
}

async function runCommand([given = "help", ...rest]: string[]): Promise<number> {
  const args = rest.flatMap(wordsOf);
  const name = ALIASES[given] ?? given;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) return misused(`there is no command "${given}".`);
  if (args.some((arg) => ALIASES[arg] === "help")) return print(HELP);
  const strange = args.find((arg) => arg.startsWith("-") && arg !== "-" && !command.flags.includes(arg));
  if (strange)
    return misused(`"${name}" knows no ${strange}. Settings such as PORT come from the environment.`);
  const names = args.filter(
    (arg, index) => !arg.startsWith("-") && !command.values?.includes(args[index - 1] ?? ""),
  );
  if (names.length > command.names) {
    return misused(`"${name}" can't use "${names[command.names]}". Write names with spaces in quotes.`);
  }
  return command.run(args);
}

function misused(sentence: string): number {
  process.stderr.write(`parley: ${sentence}\n\n${HELP}`);
  return 2;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function settingsOrFaults(): Settings | ConfigFaults {
  try {
    if (existsSync(".env")) process.loadEnvFile(".env");
  } catch (error) {
    return new ConfigFaults([`The file .env can't be read (${errorText(error)}). Mend or remove it.`]);
  }
  try {
    return readConfig(process.env);
  } catch (error) {
    if (error instanceof ConfigFaults) return error;
    throw error;
  }
}

function settings(): Settings {
  const found = settingsOrFaults();
  if (found instanceof ConfigFaults) throw found;
  return found;
}
