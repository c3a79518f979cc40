import { access, constants, stat } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../../base/errors.ts";
import { type Config, ConfigFaults, hostInUrl, reachable, type Secrets } from "../../config.ts";
import { fullDiskText, readOnlyDiskText } from "../../db/disk-room.ts";
import { mostCalls } from "../../media/call-capacity.ts";
import { NO_EAR } from "../../media/local-engines.ts";
import { readSimulation } from "../../simulator/read-scenario.ts";
import { checkModel } from "../../speech/local/check-models.ts";
import { fetchedModels } from "../../speech/local/english-model.ts";
import { findSpeechModels } from "../../speech/local/speech-models.ts";
import { findSphinx } from "../../speech/local/sphinx.ts";
import { internalPlace, runningVersion, tryPort } from "../free-port.ts";
import { presentKey, readSecretKey, secretKeyFile, wrongKeyText } from "../secret-key.ts";
import { misspeltSettings } from "../typed/settings.ts";
import { checkDatabase, madeBy } from "./doctor-database.ts";
import { checkKeys, checkSpeechKeys } from "./doctor-keys.ts";
import { checkMail } from "./doctor-mail.ts";
import type { Finding } from "./finding.ts";

/** Looks at everything a start needs and says how to put right what is not. Resolves with the exit code. */
export async function doctor(
  settings: { config: Config; secrets: Secrets } | ConfigFaults,
  json: boolean,
): Promise<number> {
  const findings =
    settings instanceof ConfigFaults
      ? settings.faults.map(settingsFault)
      : [...misspeltSettings().map(doubtful), ...(await look(settings))];
  if (json) process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else {
    const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" };
    for (const { check, status, message } of findings) {
      process.stdout.write(`${marks[status]}  ${check.padEnd(14)} ${message}\n`);
    }
  }
  return findings.some((finding) => finding.status === "problem") ? 1 : 0;
}

const settingsFault = (message: string): Finding => ({ check: "settings", status: "problem", message });

const doubtful = (message: string): Finding => ({ check: "settings", status: "warning", message });

async function look({ config, secrets }: { config: Config; secrets: Secrets }): Promise<Finding[]> {
  return [
    checkRuntime(),
    await checkPort(config),
    await checkData(config),
    await checkSecretKey(config, secrets),
    await checkDatabase(config, secrets),
    ...(await checkKeys(config, secrets)),
    ...(await checkSpeechKeys(config, secrets)),
    ...(await checkMail(config, secrets)),
    ...(await checkScenario(config)),
    checkVoice(config, secrets),
    ...(await checkModels(config)),
    checkClock(),
    checkPublicUrl(config),
  ];
}

/** Those whom the simulator plays, where a file says who they are. */
async function checkScenario(config: Config): Promise<Finding[]> {
  const { scenario_file } = config.simulator;
  if (scenario_file === null) return [];
  const check = "simulator";
  return readSimulation(config).then(
    () => [{ check, status: "ok" as const, message: `people of ${scenario_file}` }],
    (error: unknown) => [{ check, status: "problem" as const, message: errorText(error) }],
  );
}

function checkRuntime(): Finding {
  const { node } = process.versions;
  const message = `Node.js ${node} on ${process.platform}-${process.arch}`;
  return Number.parseInt(node, 10) < 26
    ? { check: "runtime", status: "problem", message: `${message}; Parley needs 26. Start it with ./parley.` }
    : { check: "runtime", status: "ok", message };
}

async function checkPort(config: Config): Promise<Finding> {
  const { host, port } = config;
  const version = port === 0 ? null : await runningVersion({ host, port });
  const where = `${hostInUrl(host)}:${port}`;
  if (version) return { check: "port", status: "ok", message: `Parley ${version} is running on ${where}` };
  try {
    await tryPort({ host, port });
    const internal = internalPlace(config);
    if (internal) await tryPort(internal);
    const message = port === 0 ? `any free port of ${host}` : `${where} is free`;
    return { check: "port", status: "ok", message };
  } catch (error) {
    return { check: "port", status: "problem", message: errorText(error) };
  }
}

async function checkData({ data_dir }: Config): Promise<Finding> {
  const folder = path.resolve(data_dir);
  const nearest = await nearestThere(folder);
  const shut = await access(nearest, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => null,
    (error: unknown) => error,
  );
  if (shut || !(await stat(nearest)).isDirectory()) {
    const message =
      readOnlyDiskText(nearest, shut) ??
      `${nearest} is no folder this user may write to. Set DATA_DIR to one.`;
    return { check: "data", status: "problem", message };
  }
  const full = await fullDiskText(nearest);
  if (full) return { check: "data", status: "problem", message: full };
  const message = nearest === folder ? folder : `${folder} will be made at the first start`;
  return { check: "data", status: "ok", message };
}

/** The folder itself, or the first one above it that exists: there it would be made. */
async function nearestThere(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  return found || folder === path.dirname(folder) ? folder : nearestThere(path.dirname(folder));
}

async function checkSecretKey({ data_dir, database_url }: Config, secrets: Secrets): Promise<Finding> {
  const check = "secret key";
  if (secrets.secret_key) return { check, status: "ok", message: "from SECRET_KEY" };
  if (secrets.secret_key_file || secrets.secret_key_command) {
    const message = secrets.secret_key_file ? "from SECRET_KEY_FILE" : "from SECRET_KEY_COMMAND";
    return presentKey(data_dir, secrets).then(
      () => ({ check, status: "ok" as const, message }),
      (error) => ({ check, status: "problem" as const, message: errorText(error) }),
    );
  }
  const folder = path.resolve(data_dir);
  const file = secretKeyFile(folder);
  try {
    await readSecretKey(folder);
  } catch (error) {
    return { check, status: "problem", message: errorText(error) };
  }
  const found = await stat(file).catch(() => null);
  if (found && (found.mode & 0o077) !== 0) {
    return { check, status: "warning", message: `others may read ${file}: chmod 600 ${file}` };
  }
  if (!found && !database_url && (await madeBy(folder)) !== null)
    return { check, status: "problem", message: wrongKeyText(folder, secrets, "generated") };
  const message = found ? file : `${file} will be made at the first start`;
  return database_url
    ? { check, status: "warning", message: `${message}; several machines need the same SECRET_KEY` }
    : { check, status: "ok", message };
}

/** Calls from a page need something that hears; without it the rest works. */
function checkVoice(config: Config, secrets: Secrets): Finding {
  const { voice_calls, voice_order } = config;
  const check = "voice";
  const keys = { deepgram: secrets.deepgram_api_key, assemblyai: secrets.assemblyai_api_key };
  const service = voice_order.hearing.find((name) =>
    name === "openai" ? secrets.llm_api_keys.openai : name !== "offline" && keys[name] !== null,
  );
  const own = config.speech_models.length > 0;
  const fetched = fetchedModels(config.data_dir).length > 0;
  if (!service && !own && !fetched && !findSphinx())
    return { check, status: "ok", message: `optional. ${NO_EAR}` };
  const offline = own
    ? "models of your own, and the offline stand-ins"
    : fetched
      ? "Moonshine hears English offline; offline speaking, English only (a stand-in)"
      : "offline stand-ins hear and speak, English only (./parley speech-model understands people better)";
  const hears = service ? `${service} hears` : offline;
  const most = voice_calls ?? mostCalls(service === undefined);
  return { check, status: "ok", message: `${hears}; at most ${most} calls at once (VOICE_CALLS)` };
}

/** Each model that the operator brought is loaded, and its checksums told. */
async function checkModels({ speech_models, data_dir }: Config): Promise<Finding[]> {
  const check = "speech model";
  const findings: Finding[] = [];
  for (const given of [...speech_models, ...fetchedModels(data_dir)]) {
    try {
      const { hearing, speaking } = findSpeechModels([given]);
      for (const model of [...hearing, ...speaking])
        findings.push({ check, status: "ok", message: await checkModel(model) });
    } catch (error) {
      findings.push({ check, status: "problem", message: errorText(error) });
    }
  }
  return findings;
}

function checkClock(): Finding {
  const now = new Date();
  const check = "clock";
  if (now.getUTCFullYear() < 2026) {
    const message = `this machine says it is ${now.getUTCFullYear()}. Set its clock; schedules and tokens depend on it.`;
    return { check, status: "problem", message };
  }
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return { check, status: "ok", message: `${now.toISOString()} (${timeZone})` };
}

function checkPublicUrl({ public_url, port, host }: Config): Finding {
  const check = "public url";
  if (public_url.startsWith("https:")) return { check, status: "ok", message: public_url };
  const local = /^http:\/\/(127\.|localhost|\[::1\])/.test(public_url);
  if (!local) {
    const message = `${public_url} is not https: passwords and chats cross the network in the clear.`;
    return { check, status: "warning", message };
  }
  const shown = port === 0 ? `http://${hostInUrl(reachable(host))}:(any port)` : public_url;
  return {
    check,
    status: "ok",
    message: `${shown} (this machine only; carriers need PUBLIC_URL set to an https address)`,
  };
}
