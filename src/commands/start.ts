import type { Server } from "node:net";
import { bootstrap } from "../accounts/bootstrap.ts";
import { buildConsole } from "../api/console-build.ts";
import { spareFiles } from "../api/spare-files.ts";
import { freeHeld } from "../app/free-held.ts";
import { createApp } from "../app.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import { giveBackMemory } from "../base/give-back.ts";
import { createLog, type Log } from "../base/log.ts";
import { readableLine } from "../base/readable-log.ts";
import { VERSION } from "../base/version.ts";
import { SIMULATED_NOTICE } from "../carriers/carriers.ts";
import { SIMULATOR_HOST, SIMULATOR_PREFIX } from "../carriers/simulator-account.ts";
import { readMailCertificate } from "../carriers/smtp/mail-certificate.ts";
import { type Config, reachable, type Secrets, type SpeechName } from "../config.ts";
import type { Db } from "../db/database.ts";
import { askTime, databaseClock } from "../db/database-clock.ts";
import { DEMO_HOST, DEMO_PREFIX } from "../demo/demo-api.ts";
import { DEMO_TARGET, seedDemo } from "../demo/seed.ts";
import { createEgress } from "../egress/egress.ts";
import type { EgressRoute } from "../egress/egress-target.ts";
import { startJobs } from "../jobs/runner.ts";
import { vectorSearchOf, vectorSearchText } from "../knowledge/vector-index.ts";
import { createLocalEngines } from "../media/local-engines.ts";
import { MAIL_SIMULATOR_HOST, MAIL_SIMULATOR_PREFIX } from "../simulator/mail-simulator.ts";
import { readSimulation } from "../simulator/read-scenario.ts";
import { checkModel } from "../speech/local/check-models.ts";
import { fetchedModels } from "../speech/local/english-model.ts";
import { findSpeechModels } from "../speech/local/speech-models.ts";
import { speakOffline } from "../speech/speech-offline.ts";
import type { CallSpeechSettings } from "../speech/speech-provider.ts";
import { createTelemetry, type Telemetry } from "../telemetry/otlp.ts";
import { inboxRoute } from "../webhooks/webhook-inbox-receive.ts";
import { internalPlace, mailPlace, portFault, tryPort } from "./free-port.ts";
import { firstAccountText, readyText } from "./greeting.ts";
import { heldLines } from "./held-lines.ts";
import { openPlatform } from "./open-platform.ts";
import { stepDown } from "./step-down.ts";
import { stopServing } from "./stop.ts";
import { aborted, stopSignal } from "./stop-signal.ts";
import { misspeltSettings } from "./typed/settings.ts";

/** Runs the platform until a signal. Resolves with the exit code. */
export async function start(given: Config, secrets: Secrets): Promise<number> {
  const stop = stopSignal();
  try {
    await run(await settlePort(given), secrets, stop);
  } catch (error) {
    // What was interrupted fails in its own way; that it was asked to is all there is to know.
    if (!stop.aborted) throw error;
  }
  return 0;
}

/** An embedded database runs by this machine's clock. */
async function clockOf(
  { database, embedded }: Awaited<ReturnType<typeof openPlatform>>,
  log: Log,
  open: AsyncDisposableStack,
): Promise<Clock> {
  if (embedded) return systemClock;
  const clock = await databaseClock({ ask: () => askTime(database.pool), log });
  open.defer(clock.stop);
  return clock;
}

async function settlePort(config: Config): Promise<Config> {
  const port = await tryPort(config);
  for (const place of [mailPlace(config), internalPlace(config)]) if (place) await tryPort(place);
  return { ...config, port, public_url: config.public_url.replace(/:0$/, `:${port}`) };
}

/** Whatever is open is closed again in the opposite order, also when a later step fails or a signal comes. */
async function run(config: Config, secrets: Secrets, stop: AbortSignal): Promise<void> {
  const isReadable = config.log_format === "readable" || (config.log_format === null && process.stderr.isTTY);
  const lines = heldLines(process.stderr, isReadable ? readableLine : undefined);
  const log = createLog({ level: config.log_level, destination: lines.stream });
  for (const misspelt of misspeltSettings()) log.warn(misspelt);
  const mailTls = await readMailCertificate(config.mail_tls);
  const simulation = await readSimulation(config);
  const models = findSpeechModels([...config.speech_models, ...fetchedModels(config.data_dir)]);
  await using open = new AsyncDisposableStack();
  open.defer(lines.release);
  const platform = await openPlatform(config, secrets, { log, stop });
  open.defer(platform.close);
  const { db, pool } = platform.database;
  const clock = await clockOf(platform, log, open);
  if (platform.embedded) await freeHeld(platform.database, log);

  const egress = createEgress({ allow: config.egress_allow, routes: ownRoutes(config) });
  open.defer(() => egress.close());
  const llmProviders = environmentProviders(config, secrets);
  const telemetry = await openTelemetry(config, secrets, { log, vault: platform.vault });
  open.defer(async () => telemetry?.close());
  const bundle = Promise.withResolvers<string>();
  for (const model of [...models.hearing, ...models.speaking])
    log.info({ model: await checkModel(model) }, "a speech model was loaded");
  const voiceEngines = createLocalEngines({ models });
  open.defer(() => voiceEngines.close());
  const app = await createApp({
    db,
    notices: platform.database.notices,
    clock,
    log,
    vault: platform.vault,
    egress,
    config,
    telemetry,
    llmProviders,
    twilio: secrets.twilio,
    mailServer: secrets.mail,
    recordingsBucket: secrets.recordings_bucket,
    speechProviders: environmentSpeech(config, secrets),
    speakOffline: (speech) => speakOffline(speech),
    voiceEngines,
    voiceDetection: voiceEngines.detect,
    callSpeech: environmentCallSpeech(config, secrets),
    mailTls,
    simulation,
    transcriptionProviders: environmentTranscription(config, secrets),
    consoleBuild: bundle.promise,
  });
  open.defer(() => app.api.server.close());
  if (app.simulator) log.debug(SIMULATED_NOTICE);

  await bootstrap(
    { db, clock },
    { email: config.bootstrap_admin_email, token: secrets.bootstrap_api_token },
    seedDemo({ clock, vault: platform.vault }),
    (first) => {
      // It can't be read again, so it is written at once, and the rest of the text follows it.
      lines.hold();
      process.stdout.write(firstAccountText(config.public_url, first));
    },
  );
  stop.throwIfAborted();
  await spareFiles(app.api.server.server, log);
  await app.api.server.listen({ host: config.host, port: config.port }).catch(async (error) => {
    throw await portFault(error, config);
  });
  const mailListener = await app.mailing.listen().catch(async (error) => {
    const place = mailPlace(config);
    throw place ? await portFault(error, place) : error;
  });
  open.defer(async () => mailListener?.close());
  await stepDown(config, log);
  if (config.embedding_model) log.info(vectorSearchText(await vectorSearchOf(db)));
  const jobs = await startJobs({
    pool,
    log,
    handlers: app.jobs,
    dialogues: config.dialogue_concurrency,
    signal: stop,
  });
  open.defer(() =>
    stopServing(app, jobs, log).catch((error) => log.error({ err: error }, "no orderly stop")),
  );
  app.deliverer.start();
  app.dialer?.start();
  // Calls that ended with the process before this one; later ones are looked for every minute.
  app.voiceCalls.settleAbandoned().catch((error) => log.warn({ err: error }, "calls could not be settled"));
  stop.throwIfAborted();

  const seconds = performance.now() / 1000;
  process.stdout.write(
    readyText(config, {
      seconds,
      demo: await hasDemo(db),
      simulated: app.simulator !== null,
      hears: models.hearing.length > 0 ? "model" : voiceEngines.missing === null ? "stand-in" : null,
    }),
  );
  lines.release();
  // Only now: bundling takes both cores of a small machine for some seconds, and the API need not wait for it.
  const prepared = prepareConsole(config, stop);
  bundle.resolve(prepared);
  prepared.catch(() => {}).then(() => giveBackUnused(app.api.server.server));
  const lost = await Promise.race([aborted(stop), platform.embedded?.failed ?? new Promise<never>(() => {})]);
  if (lost) throw lost;
}

/** Hosts that this program serves itself: what is sent to them comes back to its own port. */
function ownRoutes({ host, port }: Config): EgressRoute[] {
  const here = { host: reachable(host), port };
  return [
    { host: DEMO_HOST, connect: here, pathPrefix: DEMO_PREFIX },
    { host: SIMULATOR_HOST, connect: here, pathPrefix: SIMULATOR_PREFIX },
    { host: MAIL_SIMULATOR_HOST, connect: here, pathPrefix: MAIL_SIMULATOR_PREFIX },
    inboxRoute(here),
  ];
}

/** Not while somebody is connected, who would wait for it. */
function giveBackUnused(server: Server): void {
  server.getConnections((_error, open) => {
    if (open === 0) giveBackMemory();
  });
}

/** A console that can't be made says so on its page; the rest of the program works without it. */
async function prepareConsole({ data_dir }: Config, signal: AbortSignal): Promise<string> {
  const begun = performance.now();
  let built = false;
  const onBuild = () => {
    built = true;
  };
  const folder = await buildConsole({ dataDir: data_dir, signal, onBuild });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  if (built) process.stdout.write(`The console is ready, too (bundled once, in ${seconds} s).\n`);
  return folder;
}

/** The key that every machine has makes ids of spans the same on all of them. */
const openTelemetry = async (
  { otlp }: Config,
  { otlp_headers: headers }: Secrets,
  { log, vault }: { log: Log; vault: Vault },
): Promise<Telemetry | null> =>
  otlp === null
    ? null
    : createTelemetry(
        { ...otlp, headers },
        { log, version: VERSION, installation: vault.sign("telemetry", "installation") },
      );

function environmentProviders(config: Config, secrets: Secrets) {
  return Object.fromEntries(
    Object.entries(secrets.llm_api_keys).map(([name, api_key]) => {
      const base_url = config.llm_base_urls[name as keyof typeof config.llm_base_urls];
      return [name, { api_key, ...(base_url && { base_url }) }];
    }),
  );
}

function environmentTranscription({ deepgram_base_url: base_url }: Config, { deepgram_api_key }: Secrets) {
  return deepgram_api_key ? { deepgram: { api_key: deepgram_api_key, ...(base_url && { base_url }) } } : {};
}

function environmentCallSpeech(config: Config, secrets: Secrets): CallSpeechSettings {
  const { ElevenLabs, Cartesia } = secrets.speech_api_keys;
  const { speech_base_urls: bases } = config;
  const access = (api_key: string | null | undefined, base_url: string | null | undefined) =>
    api_key ? { api_key, ...(base_url && { base_url }) } : null;
  const found = {
    deepgram: access(secrets.deepgram_api_key, config.deepgram_base_url),
    assemblyai: access(secrets.assemblyai_api_key, config.assemblyai_base_url),
    elevenlabs: access(ElevenLabs, bases.ElevenLabs),
    cartesia: access(Cartesia, bases.Cartesia),
  };
  return Object.fromEntries(Object.entries(found).filter(([, known]) => known !== null));
}

function environmentSpeech({ speech_base_urls }: Config, { speech_api_keys }: Secrets) {
  const names = Object.keys({ ...speech_base_urls, ...speech_api_keys }) as SpeechName[];
  const accessOf = (name: SpeechName) => ({
    ...(speech_api_keys[name] && { api_key: speech_api_keys[name] }),
    ...(speech_base_urls[name] && { base_url: speech_base_urls[name] }),
  });
  return Object.fromEntries(names.map((name) => [name, accessOf(name)]));
}

async function hasDemo(db: Db): Promise<boolean> {
  const target = await db
    .selectFrom("channel_targets as t")
    .innerJoin("agents as a", "a.id", "t.agent_id")
    .select("t.id")
    .where("t.target", "=", DEMO_TARGET)
    .where("t.target_mode", "=", "chat")
    .where("a.deleted_at", "is", null)
    .executeTakeFirst();
  return target !== undefined;
}
