import { flushCompileCache } from "node:module";
import { VERSION } from "../base/version.ts";
import { nearest } from "../schemas/nearest.ts";
import { CHAT_VALUE_FLAGS } from "./chat-arguments.ts";
import { AS_CODE_FLAGS, AS_CODE_VALUES } from "./configuration/as-code-flags.ts";
import { EXPERIMENT_FLAGS } from "./experiments/experiment-arguments.ts";
import { PUBLISH_FLAGS, PUBLISH_VALUES } from "./publishing/publish-arguments.ts";
import { HELP, helpOf } from "./typed/help.ts";
import { Misused } from "./typed/misused.ts";
import { settings, settingsOrFaults } from "./typed/settings.ts";

type Command = {
  /** Flags that stand alone. */
  flags: string[];
  /** Flags that a value follows, which is no name. */
  values?: string[];
  names: number;
  /** 1 is an answer of this command, such as a failed test, so that a pipeline needs 2 for what could not be done. */
  answersWith1?: true;
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
    flags: ["--json", "--no-trace"],
    values: CHAT_VALUE_FLAGS,
    names: 1,
    async run(args) {
      const { config, secrets } = settings();
      const { chat } = await import("./chat.ts");
      return chat(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  call: {
    flags: ["--json"],
    values: ["--wav", "--out", "--say"],
    names: 1,
    async run(args) {
      const { config, secrets } = settings();
      const { call } = await import("./call.ts");
      return call(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  evaluate: {
    flags: ["--json"],
    values: ["--agent", "--against", "--repeat", "--seed", "--cost-cap", "--junit"],
    names: 1,
    answersWith1: true,
    async run(args) {
      const { config, secrets } = settings();
      const { evaluate } = await import("./evaluate.ts");
      return evaluate(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  check: {
    flags: ["--json"],
    names: 1,
    answersWith1: true,
    async run(args) {
      const file = args.find((arg) => !arg.startsWith("-"));
      if (file === undefined) throw new Misused("Name the file: ./parley check agent.yaml");
      const { check } = await import("./check.ts");
      return check(file, args.includes("--json"));
    },
  },
  export: asCodeCommand("export"),
  plan: asCodeCommand("plan"),
  apply: asCodeCommand("apply"),
  drift: asCodeCommand("drift"),
  import: {
    flags: ["--plan", "--json"],
    values: ["--name"],
    // The platform and the file.
    names: 2,
    async run(args) {
      const { importForeign } = await import("./configuration/import-foreign.ts");
      return importForeign(args, settings);
    },
  },
  replay: {
    flags: ["--gate", "--json"],
    values: [
      "--sessions",
      "--against",
      "--baseline",
      "--days",
      "--version",
      "--seed",
      "--file",
      "--cost-cap",
    ],
    names: 1,
    answersWith1: true,
    async run(args) {
      const { config, secrets } = settings();
      const { replay } = await import("./replay.ts");
      return replay(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  publish: {
    flags: PUBLISH_FLAGS,
    values: PUBLISH_VALUES,
    names: 1,
    answersWith1: true,
    async run(args) {
      const { config, secrets } = settings();
      const { publish } = await import("./publishing/publish.ts");
      return publish(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  experiments: {
    flags: ["--json"],
    values: EXPERIMENT_FLAGS,
    // What to do, and the agent or the experiment.
    names: 2,
    answersWith1: true,
    async run(args) {
      const { config, secrets } = settings();
      const { experiments } = await import("./experiments/experiments.ts");
      return experiments(args, config, secrets, process.env.PARLEY_API_TOKEN);
    },
  },
  simulate: {
    flags: ["--json", "--audio"],
    values: ["--seed", "--agent"],
    names: 0,
    async run(args) {
      const valueAfter = (flag: string) => (args.includes(flag) ? args[args.indexOf(flag) + 1] : undefined);
      const seed = valueAfter("--seed") ?? "1";
      const agent = valueAfter("--agent");
      if (!/^\d{1,9}$/.test(seed)) throw new Misused("A seed is a number: ./parley simulate --seed 7");
      if (agent && args.includes("--audio"))
        throw new Misused("--audio calls the demo's agent; to call your own by voice: ./parley call");
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
    flags: ["--json"],
    values: ["--forward-to", "--inbox", "--url", "--token"],
    names: 0,
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
  "speech-model": {
    flags: [],
    names: 0,
    async run() {
      const { config } = settings();
      const { speechModel } = await import("./speech/speech-model.ts");
      return speechModel(config);
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
      if (file === undefined) throw new Misused("Name the file to write: ./parley backup parley.backup");
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
      if (file === undefined) throw new Misused("Name the file to read: ./parley restore parley.backup");
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
    answersWith1: true,
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
  help: {
    flags: [],
    names: 1,
    run([about]) {
      if (!about) return print(HELP);
      commandNamed(about);
      return print(helpOf(about));
    },
  },
};

function asCodeCommand(name: keyof typeof AS_CODE_FLAGS): Command {
  return {
    flags: AS_CODE_FLAGS[name],
    values: AS_CODE_VALUES,
    names: 1,
    ...(name !== "export" && { answersWith1: true }),
    async run(args) {
      const { asCode } = await import("./configuration/as-code.ts");
      return asCode(name, args, settings);
    },
  };
}

/** A lone "-" is the standard output or input. */
const fileIn = (args: string[]): string | undefined =>
  args.find((arg) => arg === "-" || !arg.startsWith("-"));

/** Throws `Misused` with the nearest name where there is none such. */
export function commandNamed(name: string): Command {
  const found = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (found) return found;
  if (name.startsWith("-"))
    throw new Misused(`Name a command before ${name}. Settings such as PORT come from the environment.`);
  throw new Misused(`There is no command "${name}"${nearest(name, Object.keys(COMMANDS))}.`);
}

/** The exit code where it failed. */
export const failureCode = (name: string): number =>
  Object.hasOwn(COMMANDS, name) && COMMANDS[name]?.answersWith1 ? 2 : 1;

/** Writes a text, and gives the exit code of a command that has done its work. */
export function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
