import type { SendMail } from "../accounts/welcome-mail.ts";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Log } from "../base/log.ts";
import type { PoolLimits } from "../base/worker-pool.ts";
import type { RunningCalls } from "../calls/telephone.ts";
import type { TwilioAccount } from "../carriers/carriers.ts";
import type { Carriers } from "../channels/carrier.ts";
import type { AttemptReports, Senders } from "../channels/outreach.ts";
import type { BucketSettings } from "../config/bucket.ts";
import type { Config } from "../config.ts";
import type { Db } from "../db/database.ts";
import type { Notices } from "../db/notices.ts";
import type { Dialer } from "../dialing/dialer.ts";
import type { Mail } from "../dialogues/mail.ts";
import type { Egress } from "../egress/egress.ts";
import type { OpenTestLine } from "../evaluations/test-line.ts";
import type { JobHandler } from "../jobs/define-job.ts";
import type { ProviderSettings } from "../llm/providers.ts";
import type { VoiceEngines } from "../media/voice-engines.ts";
import type { LookUp } from "../mime/sender-checks.ts";
import type { Engine } from "../sessions/engine.ts";
import type { Scenario } from "../simulator/people.ts";
import type { Simulator } from "../simulator/platform-simulator.ts";
import type { Ear, Heard } from "../speech/hearing.ts";
import type { SpeechSettings } from "../speech/speech-access.ts";
import type { CallSpeechSettings } from "../speech/speech-provider.ts";
import type { SpeechDeps } from "../speech/voice-sample.ts";
import type { Telemetry } from "../telemetry/otlp.ts";
import type { TranscriptionSettings } from "../transcription/transcription-provider.ts";
import type { Deliverer } from "../webhooks/delivery-loop.ts";

export type AppParts = {
  db: Db;
  /** What other processes tell of this database. */
  notices: Notices;
  clock: Clock;
  log: Log;
  vault: Vault;
  egress: Egress;
  config: Config;
  /** Spans for a tracing system; left out: none are made. */
  telemetry?: Telemetry | null;
  /** Keys from the environment, by provider. */
  llmProviders: ProviderSettings;
  /** Keys from the environment for services that transcribe, by provider. */
  transcriptionProviders?: TranscriptionSettings;
  /** Keys and addresses from the environment for services that speak, by provider. */
  speechProviders?: SpeechSettings;
  /** Speaks where no provider does (`speech-offline.ts`); left out: nothing does. */
  speakOffline?: SpeechDeps["speakOffline"];
  /** What calls are heard and spoken with where no carrier does it; left out: nothing. */
  voiceEngines?: VoiceEngines;
  /** Opens calls with sound for tests of agents; left out: with the engines of this machine. */
  openTestLine?: OpenTestLine;
  /** Knows when somebody speaks, beside a service's recognition; left out: services don't hear or speak on calls. */
  voiceDetection?: (tell: (heard: Heard) => void) => Ear;
  /** Keys from the environment for services that hear and speak on calls. */
  callSpeech?: CallSpeechSettings;
  /** The installation's mail server and the sender of its own mails, from the environment. */
  mailServer?: { smtp_url: string; from: string } | null;
  /** Where finished recordings are moved; left out: they stay on disk. */
  recordingsBucket?: BucketSettings | null;
  /** The certificate of the built-in SMTP server, read. */
  mailTls?: { key: string; cert: string } | null;
  /** Who may send mails for whom; left out: by the machine's own name servers. */
  mailLookUp?: LookUp;
  /** What reading one mail may take; left out: the mail reader's own limits. */
  mailReading?: Partial<PoolLimits>;
  /** Sends plain mail; left out: by the mail server, or where there is none, not at all. */
  sendMail?: SendMail;
  /** The operator's own account with a carrier, from the environment. */
  twilio?: TwilioAccount | null;
  /** The carriers this installation can talk with; left out: those of its settings, or the simulator. */
  carriers?: Carriers;
  /** How the simulated carrier's people behave, and how fast; only tests leave the program's own. */
  simulation?: { scenario: Scenario; speed: number | "moved" };
  /** How people are reached by each mode; left out: by their carriers. */
  senders?: Senders;
  /** The folder of the bundled console, which may take a moment; left out where nobody looks at one. */
  consoleBuild?: Promise<string>;
};

export type App = {
  api: Api;
  engine: Engine;
  jobs: JobHandler[];
  deliverer: Deliverer;
  attempts: AttemptReports;
  voiceCalls: RunningCalls;
  dialer: Dialer;
  /** The carrier that reaches nobody, where there is no other. */
  simulator: Simulator | null;
  mailing: Mail;
};
