import { AUDIENCES, type Audience, type InternalPages } from "./base/audience.ts";
import { type DestinationRules, parseDestinations } from "./base/destination.ts";
import {
  type EngineOrder,
  HEARING_NAMES,
  type OwnSpeechPrices,
  parseSpeechPrices,
  SPEAKING_NAMES,
} from "./base/engine-order.ts";
import { type OtlpConfig, readOtlp } from "./base/otlp-settings.ts";
import { type BucketSettings, readBucket } from "./egress/bucket-settings.ts";
import type { EgressRules } from "./egress/egress-address.ts";
import { parseEgressAllow } from "./egress/egress-allow.ts";

export type Config = {
  port: number;
  host: string;
  data_dir: string;
  database_url: string | null;
  /** Connections to it that this process opens. */
  connections: { writing: number; reading: number; reading_timeout_ms: number };
  public_url: string;
  bootstrap_admin_email: string;
  internal_pages: InternalPages;
  /** Root stays root. */
  run_as_root: boolean;
  /** Organizations are created by everyone who may change one, else by the operator. */
  everyone_creates_organizations: boolean;
  api_key_headers: string[];
  egress_allow: EgressRules;
  llm_base_urls: Partial<Record<LlmProvider, string>>;
  llm_models: { provider: LlmProvider; model: string }[];
  /** How long a person waits for a model, and which one is asked when it fails; null: the same again. */
  llm_first_token_s: number;
  llm_token_s: number;
  llm_fallback: { provider: LlmProvider; model: string } | null;
  /** What searches of data sources know meanings by; null: nothing. */
  embedding_model: { provider: Exclude<LlmProvider, "anthropic">; model: string } | null;
  /** Between two requests of a crawl to one site, unless it asks for more. */
  crawl_pause_ms: number;
  deepgram_base_url: string | null;
  assemblyai_base_url: string | null;
  /** The most calls whose audio this process hears and speaks at once; null: by its cores. */
  voice_calls: number | null;
  /** What hears and speaks on calls, in order. */
  voice_order: EngineOrder;
  /** Folders of models that hear or speak on this machine, each for a language. */
  speech_models: { language: string; folder: string }[];
  /** What hearing and speaking cost the operator, in place of list prices. */
  speech_prices: OwnSpeechPrices;
  speech_base_urls: Partial<Record<SpeechName, string>>;
  /** Organizations may buy numbers on the operator's carrier account. */
  tenants_buy_numbers: boolean;
  otlp: OtlpConfig | null;
  twilio_base_url: string | null;
  telnyx_base_url: string | null;
  simulator: { scenario_file: string | null; speed: number };
  /** Calls of a minute. */
  call_limits: { per_token: number; per_tenant: number; changes_per_tenant: number };
  /** Of one sub-organization in a day (UTC), in all processes. */
  model_limits: { tokens_per_day: number; usd_per_day: number };
  /** New visitors of web chat of one sub-organization, in all processes. */
  visitors_per_minute: number;
  /** What one sub-organization may keep, in units of 10⁹ bytes. */
  storage_gb: number;
  /** WebSockets open at once from one address. */
  sockets_per_address: number;
  /** Turns of conversations by text and e-mail that this process runs at once. */
  dialogue_concurrency: number;
  /** Turns of web chats that this process runs at once. */
  chat_concurrency: number;
  /** Insight executions run at once by this process. */
  insight_concurrency: number;
  /** How many attempts of campaigns may run at once (dialing/lines.ts), and how many reach one person. */
  lines: {
    per_source: number;
    per_organization: number;
    kept_for_callers: number;
    /** Null: as many as each campaign says. */
    per_person: { attempts: number; window_ms: number } | null;
  };
  /** Which telephone numbers campaigns and transfers may reach. */
  destinations: DestinationRules;
  /** The built-in SMTP server; null: none. */
  mail_port: number | null;
  mail_tls: { cert_file: string; key_file: string } | null;
  /** It looks up whether mails are from whom they say (SPF, DKIM). */
  mail_checks_senders: boolean;
  log_level: string;
  /** null: as the standard error is a terminal or not. */
  log_format: "json" | "readable" | null;
  /** Proxies in front whose X-Forwarded-For is believed. */
  trust_proxy: number;
};

/** Kept apart, so that printing the configuration can't print a secret. */
export type Secrets = {
  /** Where finished recordings are moved; null: they stay on disk. */
  recordings_bucket: BucketSettings | null;
  /** The installation's mail server, and whom its own mails are from. */
  mail: { smtp_url: string; from: string } | null;
  secret_key: string | null;
  /** Earlier secret keys, which are only read with. */
  secret_keys_old: string[];
  /** A file, or a program, that has the secret key. */
  secret_key_file: string | null;
  secret_key_command: string | null;
  bootstrap_api_token: string | null;
  otlp_headers: Record<string, string>;
  llm_api_keys: Partial<Record<LlmProvider, string>>;
  deepgram_api_key: string | null;
  assemblyai_api_key: string | null;
  speech_api_keys: Partial<Record<SpeechName, string>>;
  /** The operator's own; null: nobody is really called. */
  twilio: { account_sid: string; auth_token: string } | null;
};

/** Services that speak, as the API names them, and how their settings begin. */
const SPEECH_SERVICES = { ElevenLabs: "ELEVENLABS", Cartesia: "CARTESIA", Google: "GOOGLE_SPEECH" } as const;
export type SpeechName = keyof typeof SPEECH_SERVICES;

export type LlmProvider = "openai" | "azure_openai" | "anthropic" | "google";
const LLM_PROVIDERS: LlmProvider[] = ["openai", "azure_openai", "anthropic", "google"];
/** Anthropic has no embeddings. */
const EMBEDDING_PROVIDERS = ["openai", "azure_openai", "google"] as const;
const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"];

/** Every fault of the environment at once, each a sentence that says the fix. */
export class ConfigFaults extends Error {
  readonly faults: string[];
  constructor(faults: string[]) {
    super(
      `The configuration has ${faults.length === 1 ? "a fault" : `${faults.length} faults`}:\n${faults.map((fault) => `  - ${fault}`).join("\n")}`,
    );
    this.faults = faults;
  }
}

type Environment = Record<string, string | undefined>;

/** Reads the environment once and whole; throws `ConfigFaults` with everything that is wrong. */
export function readConfig(env: Environment): { config: Config; secrets: Secrets } {
  const faults: string[] = [];
  const given = (name: string): string | null => env[name]?.trim() || null;

  const url = (name: string, protocols: string[]): string | null => {
    const text = given(name);
    if (text === null) return null;
    const parsed = URL.canParse(text) ? new URL(text) : null;
    if (parsed && protocols.includes(parsed.protocol)) return text.replace(/\/+$/, "");
    faults.push(
      `${name} is "${withoutPassword(text)}", not a URL starting with ${protocols.map((p) => `${p}//`).join(" or ")}.`,
    );
    return null;
  };
  const publicUrl = (): string | null => {
    const text = url("PUBLIC_URL", ["http:", "https:"]);
    if (text === null) return null;
    const { origin, href } = new URL(text);
    if (href === `${origin}/`) return origin;
    faults.push(
      `PUBLIC_URL is "${withoutPassword(text)}"; use scheme, host and port only, such as ${origin}.`,
    );
    return null;
  };
  const secret = (name: string): string | null => {
    const text = given(name);
    if (text !== null && text.length < 32) {
      faults.push(`${name} has ${text.length} characters; use 32 or more (openssl rand -hex 32).`);
    }
    return text;
  };
  const secretKeysOld = (): string[] => {
    const keys = (given("SECRET_KEY_OLD") ?? "").split(",").map((key) => key.trim());
    const found = keys.filter((key) => key !== "");
    if (found.some((key) => key.length < 32))
      faults.push("SECRET_KEY_OLD has a key of fewer than 32 characters; separate several by commas.");
    return found;
  };
  const ways = ["SECRET_KEY", "SECRET_KEY_FILE", "SECRET_KEY_COMMAND"].filter((name) => given(name) !== null);
  if (ways.length > 1) faults.push(`${ways.join(" and ")} are set; use one of them.`);
  /** It has to fit into a header, and not look like the token that `./parley chat` makes itself. */
  const apiToken = (name: string): string | null => {
    const text = secret(name);
    if (text !== null && !/^[!-~]+$/.test(text)) {
      faults.push(`${name} holds a space or a letter beyond ASCII; use letters, digits and signs.`);
    }
    if (text?.startsWith("local."))
      faults.push(`${name} starts with "local."; use another (openssl rand -hex 32).`);
    return text;
  };

  const host = given("HOST") ?? "127.0.0.1";
  if (!/^[A-Za-z0-9._:%-]+$/.test(host)) {
    faults.push(`HOST is "${host}"; use an address such as 127.0.0.1 or 0.0.0.0, without http:// and port.`);
  }
  const data_dir = given("DATA_DIR") ?? "./data";
  if (data_dir.startsWith("~")) {
    faults.push(`DATA_DIR is "${data_dir}"; write the whole path, since only a shell knows what ~ is.`);
  }
  const port = /^\d{1,5}$/.test(given("PORT") ?? "8080") ? Number(given("PORT") ?? 8080) : Number.NaN;
  if (!(port <= 65_535)) {
    faults.push(`PORT is "${given("PORT")}"; use a whole number from 0 to 65535 (0 takes any free port).`);
  }
  const trust_proxy = Number(given("TRUST_PROXY") ?? 0);
  if (!Number.isInteger(trust_proxy) || trust_proxy < 0 || trust_proxy > 10) {
    faults.push(`TRUST_PROXY is "${given("TRUST_PROXY")}"; use the number of proxies in front, 0 to 10.`);
  }
  const log_format = given("LOG_FORMAT")?.toLowerCase() ?? null;
  if (log_format !== null && log_format !== "json" && log_format !== "readable")
    faults.push(`LOG_FORMAT is "${log_format}"; use json or readable.`);
  const log_level = given("LOG_LEVEL")?.toLowerCase() ?? "info";
  if (!LOG_LEVELS.includes(log_level))
    faults.push(`LOG_LEVEL is "${log_level}"; use one of ${LOG_LEVELS.join(", ")}.`);

  const audience = (name: string, otherwise: Audience): Audience => {
    const text = given(name)?.toLowerCase() ?? otherwise;
    const found = AUDIENCES.find((known) => known === text);
    if (!found) faults.push(`${name} is "${given(name)}"; use ${AUDIENCES.join(", ")}.`);
    return found ?? otherwise;
  };
  const internalListen = ((): InternalPages["listen"] => {
    const text = given("INTERNAL_LISTEN");
    if (text === null) return null;
    const [, at, number] = /^(?:\[?([A-Za-z0-9._:%-]+?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
    if (number !== undefined && Number(number) <= 65_535 && (Number(number) !== port || port === 0))
      return { host: at ?? "127.0.0.1", port: Number(number) };
    faults.push(
      `INTERNAL_LISTEN is "${text}"; use an address and a port of their own, such as 127.0.0.1:9090.`,
    );
    return null;
  })();
  const run_as_root = given("RUN_AS_ROOT")?.toLowerCase() ?? "off";
  if (!["on", "off"].includes(run_as_root))
    faults.push(`RUN_AS_ROOT is "${given("RUN_AS_ROOT")}"; use on or off.`);
  const organization_creation = given("ORGANIZATION_CREATION")?.toLowerCase() ?? "operator";
  if (!["operator", "everyone"].includes(organization_creation))
    faults.push(`ORGANIZATION_CREATION is "${given("ORGANIZATION_CREATION")}"; use operator or everyone.`);
  const email = given("BOOTSTRAP_ADMIN_EMAIL") ?? "admin@localhost";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) {
    faults.push(`BOOTSTRAP_ADMIN_EMAIL is "${email}"; use an e-mail address such as ann@example.com.`);
  }
  const headers = (given("API_KEY_HEADERS") ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  for (const name of headers) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) {
      faults.push(`API_KEY_HEADERS holds "${name}"; a header name has letters, digits and hyphens only.`);
    }
  }
  const egress = parseEgressAllow(given("EGRESS_ALLOW") ?? "");
  if (!egress.ok) faults.push(...egress.errors);

  const llm_base_urls: Config["llm_base_urls"] = {};
  const llm_api_keys: Secrets["llm_api_keys"] = {};
  for (const provider of LLM_PROVIDERS) {
    const prefix = provider.toUpperCase();
    const key = given(`${prefix}_API_KEY`);
    const base = url(`${prefix}_BASE_URL`, ["http:", "https:"]);
    if (key) llm_api_keys[provider] = key;
    if (base) llm_base_urls[provider] = base;
    if (provider === "azure_openai" && key && !base) {
      faults.push(
        "AZURE_OPENAI_API_KEY is set without AZURE_OPENAI_BASE_URL; each Azure resource has its own address.",
      );
    }
  }

  const llm_models = (given("LLM_MODELS") ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean)
    .flatMap((entry) => {
      const [, name, model] = /^(\w+)\/(\S+)$/.exec(entry) ?? [];
      const provider = LLM_PROVIDERS.find((known) => known === name);
      if (provider && model) return [{ provider, model }];
      faults.push(
        `LLM_MODELS holds "${entry}"; write a provider (${LLM_PROVIDERS.join(", ")}), a slash and the model.`,
      );
      return [];
    });

  const llm_fallback = ((): Config["llm_fallback"] => {
    const text = given("LLM_FALLBACK");
    if (text === null) return null;
    const [, name, model] = /^(\w+)\/(\S+)$/.exec(text) ?? [];
    const provider = LLM_PROVIDERS.find((known) => known === name);
    if (provider && model) return { provider, model };
    faults.push(
      `LLM_FALLBACK is "${text}"; write a provider (${LLM_PROVIDERS.join(", ")}), a slash and the model.`,
    );
    return null;
  })();

  const embedding_model = ((): Config["embedding_model"] => {
    const text = given("EMBEDDING_MODEL");
    if (text === null) return null;
    const [, name, model] = /^(\w+)\/(\S+)$/.exec(text) ?? [];
    const provider = EMBEDDING_PROVIDERS.find((known) => known === name);
    if (provider && model) return { provider, model };
    faults.push(
      `EMBEDDING_MODEL is "${text}"; write a provider (${EMBEDDING_PROVIDERS.join(", ")}), a slash and the model.`,
    );
    return null;
  })();

  const wholeNumber = (name: string, otherwise: number, [least, most]: [number, number]): number => {
    const value = Number(given(name) ?? otherwise);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    faults.push(`${name} is "${given(name)}"; use a whole number from ${least} to ${most}.`);
    return otherwise;
  };
  const names = <Name extends string>(name: string, known: readonly Name[], otherwise: Name[]): Name[] => {
    const text = given(name);
    if (text === null) return otherwise;
    const asked = text.split(",").map((part) => part.trim().toLowerCase());
    const found = known.filter((one) => asked.includes(one));
    if (found.length === asked.length && asked.length > 0)
      return asked.map((part) => known.find((one) => one === part) as Name);
    faults.push(`${name} is "${text}"; use names out of ${known.join(", ")}, each once, with commas.`);
    return otherwise;
  };
  const speech_models = (given("SPEECH_MODELS") ?? "").split(",").flatMap((part) => {
    const [, language, folder] = /^\s*([a-zA-Z]{2,3}(?:-[a-zA-Z]{2,4})?)=(\/.*?)\s*$/.exec(part) ?? [];
    if (language && folder) return [{ language, folder }];
    if (part.trim() !== "")
      faults.push(
        `SPEECH_MODELS has "${part.trim()}"; write a language and a folder: en=/opt/models/whisper.`,
      );
    return [];
  });
  const speech_prices = ((): OwnSpeechPrices => {
    const text = given("SPEECH_PRICES");
    const prices = text === null ? { hearing: {}, speaking: {} } : parseSpeechPrices(text);
    if (prices === null)
      faults.push(
        `SPEECH_PRICES is "${text}"; write deepgram.hearing=0.0065,cartesia.speaking=0.03: US dollars, of hearing for a minute, of speaking for 1,000 characters.`,
      );
    return prices ?? { hearing: {}, speaking: {} };
  })();
  const llm_first_token_s = wholeNumber("LLM_FIRST_TOKEN_TIMEOUT_S", 10, [1, 120]);
  const llm_token_s = wholeNumber("LLM_TOKEN_TIMEOUT_S", 10, [1, 120]);
  const lines = {
    per_source: wholeNumber("LINES_PER_NUMBER", 20, [1, 10_000]),
    per_organization: wholeNumber("LINES", 100, [1, 100_000]),
    kept_for_callers: wholeNumber("LINES_KEPT_PERCENT", 30, [0, 99]) / 100,
    per_person: ((): Config["lines"]["per_person"] => {
      const text = given("OUTREACH_MOST_PER_PERSON");
      if (text === null) return null;
      const [, attempts, count, unit] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})([hd])$/.exec(text) ?? [];
      if (attempts)
        return {
          attempts: Number(attempts),
          window_ms: Number(count) * (unit === "h" ? 3_600_000 : 86_400_000),
        };
      faults.push(
        `OUTREACH_MOST_PER_PERSON is "${text}"; write a number of attempts, a slash, and hours or days: 3/24h or 5/7d.`,
      );
      return null;
    })(),
  };

  const destinations = parseDestinations(given("OUTREACH_COUNTRIES") ?? "", given("OUTREACH_ALLOW") ?? "");
  faults.push(...destinations.faults);

  const simulator_speed = Number(given("SIMULATOR_SPEED") ?? 1);
  if (!(simulator_speed >= 0.1 && simulator_speed <= 10_000)) {
    faults.push(`SIMULATOR_SPEED is "${given("SIMULATOR_SPEED")}"; use a number from 0.1 to 10000.`);
  }
  const twilio = { account_sid: given("TWILIO_ACCOUNT_SID"), auth_token: given("TWILIO_AUTH_TOKEN") };
  if ((twilio.account_sid === null) !== (twilio.auth_token === null)) {
    const missing = twilio.account_sid === null ? "TWILIO_ACCOUNT_SID" : "TWILIO_AUTH_TOKEN";
    faults.push(`${missing} is missing; set both TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or neither.`);
  }

  const insight_concurrency = Number(given("INSIGHT_CONCURRENCY") ?? 32);
  if (!Number.isInteger(insight_concurrency) || insight_concurrency < 1 || insight_concurrency > 512) {
    faults.push(
      `INSIGHT_CONCURRENCY is "${given("INSIGHT_CONCURRENCY")}"; use a whole number from 1 to 512.`,
    );
  }

  const speech_base_urls: Config["speech_base_urls"] = {};
  const speech_api_keys: Secrets["speech_api_keys"] = {};
  for (const [name, prefix] of Object.entries(SPEECH_SERVICES) as [SpeechName, string][]) {
    const base = url(`${prefix}_BASE_URL`, ["http:", "https:"]);
    const key = given(`${prefix}_API_KEY`);
    if (base) speech_base_urls[name] = base;
    if (key) speech_api_keys[name] = key;
  }

  const mail_port = given("MAIL_PORT") === null ? null : Number(given("MAIL_PORT"));
  if (mail_port !== null && !(Number.isInteger(mail_port) && mail_port >= 0 && mail_port <= 65_535)) {
    faults.push(
      `MAIL_PORT is "${given("MAIL_PORT")}"; use a whole number from 0 to 65535 (0 takes any free port).`,
    );
  }
  if (mail_port !== null && mail_port > 0 && mail_port === port) {
    faults.push(`MAIL_PORT and PORT are both ${port}; mail needs a port of its own.`);
  }
  const tenants_buy = given("TENANTS_BUY_NUMBERS")?.toLowerCase() ?? "off";
  if (!["on", "off"].includes(tenants_buy))
    faults.push(`TENANTS_BUY_NUMBERS is "${given("TENANTS_BUY_NUMBERS")}"; use on or off.`);
  const checks_senders = given("MAIL_CHECK_SENDERS")?.toLowerCase() ?? "on";
  if (!["on", "off"].includes(checks_senders))
    faults.push(`MAIL_CHECK_SENDERS is "${given("MAIL_CHECK_SENDERS")}"; use on or off.`);
  const [cert_file, key_file] = [given("MAIL_TLS_CERT"), given("MAIL_TLS_KEY")];
  if ((cert_file === null) !== (key_file === null)) {
    const missing = cert_file === null ? "MAIL_TLS_CERT" : "MAIL_TLS_KEY";
    faults.push(`${missing} is missing; set both MAIL_TLS_CERT and MAIL_TLS_KEY, or neither.`);
  }
  const smtp_url = url("SMTP_URL", ["smtp:", "smtps:"]);
  if (smtp_url !== null && (new URL(smtp_url).hostname === "" || /%(?![0-9a-f]{2})/i.test(smtp_url))) {
    faults.push("SMTP_URL names no server, or holds a bare %; write % in a user or password as %25.");
  }
  const smtp_user = smtp_url === null ? "" : new URL(smtp_url).username.replaceAll("%40", "@");
  const mail_from = given("MAIL_FROM") ?? (smtp_user.includes("@") ? smtp_user : null);
  if (smtp_url !== null && (mail_from === null || !/^[^\s@<>]+@[^\s@<>]+$/.test(mail_from))) {
    faults.push(
      `MAIL_FROM is "${mail_from ?? ""}"; with SMTP_URL, set it to the address that mails are sent from.`,
    );
  }

  const telemetry = readOtlp({ given, url, faults });

  const config: Config = {
    port,
    host,
    data_dir,
    database_url: url("DATABASE_URL", ["postgres:", "postgresql:"]),
    connections: {
      writing: wholeNumber("DATABASE_CONNECTIONS", 14, [2, 500]),
      reading: wholeNumber("DATABASE_READING_CONNECTIONS", 6, [2, 500]),
      reading_timeout_ms: wholeNumber("DATABASE_READING_TIMEOUT", 15, [1, 600]) * 1000,
    },
    public_url: publicUrl() ?? `http://${hostInUrl(reachable(host))}:${port}`,
    bootstrap_admin_email: email.toLowerCase(),
    internal_pages: {
      metrics: audience("METRICS", "private"),
      docs: audience("DOCS", "everyone"),
      listen: internalListen,
    },
    run_as_root: run_as_root === "on",
    everyone_creates_organizations: organization_creation === "everyone",
    api_key_headers: headers,
    egress_allow: egress.ok ? egress.rules : { hosts: [], networks: [] },
    llm_base_urls,
    llm_models,
    llm_first_token_s,
    llm_token_s,
    llm_fallback,
    embedding_model,
    crawl_pause_ms: wholeNumber("CRAWL_PAUSE_MS", 1_000, [0, 60_000]),
    tenants_buy_numbers: tenants_buy === "on",
    otlp: telemetry.otlp,
    twilio_base_url: url("TWILIO_BASE_URL", ["http:", "https:"]),
    telnyx_base_url: url("TELNYX_BASE_URL", ["http:", "https:"]),
    simulator: { scenario_file: given("SIMULATOR_SCENARIO"), speed: simulator_speed },
    speech_base_urls,
    deepgram_base_url: url("DEEPGRAM_BASE_URL", ["http:", "https:"]),
    assemblyai_base_url: url("ASSEMBLYAI_BASE_URL", ["http:", "https:"]),
    voice_calls: given("VOICE_CALLS") === null ? null : wholeNumber("VOICE_CALLS", 0, [0, 10_000]),
    voice_order: {
      hearing: names("VOICE_HEARING", HEARING_NAMES, ["deepgram", "assemblyai", "offline"]),
      speaking: names("VOICE_SPEAKING", SPEAKING_NAMES, ["elevenlabs", "cartesia", "deepgram", "offline"]),
    },
    speech_prices,
    speech_models,
    call_limits: {
      per_token: wholeNumber("API_CALLS_PER_TOKEN", 30_000, [1, 10_000_000]),
      per_tenant: wholeNumber("API_CALLS_PER_ORGANIZATION", 60_000, [1, 10_000_000]),
      changes_per_tenant: wholeNumber("API_CHANGES_PER_ORGANIZATION", 20_000, [1, 10_000_000]),
    },
    model_limits: {
      tokens_per_day: wholeNumber("MODEL_TOKENS_PER_DAY", 1_000_000_000, [1, 1_000_000_000_000]),
      usd_per_day: wholeNumber("MODEL_USD_PER_DAY", 5_000, [1, 1_000_000]),
    },
    visitors_per_minute: wholeNumber("VISITORS_PER_MINUTE", 3_000, [1, 1_000_000]),
    storage_gb: wholeNumber("STORAGE_GB_PER_ORGANIZATION", 1000, [1, 1_000_000]),
    sockets_per_address: wholeNumber("SOCKETS_PER_ADDRESS", 1000, [1, 1_000_000]),
    dialogue_concurrency: wholeNumber("DIALOGUE_CONCURRENCY", 32, [2, 512]),
    chat_concurrency: wholeNumber("CHAT_CONCURRENCY", 1024, [2, 100_000]),
    insight_concurrency,
    lines,
    destinations: destinations.rules,
    mail_port,
    mail_checks_senders: checks_senders === "on",
    mail_tls: cert_file !== null && key_file !== null ? { cert_file, key_file } : null,
    log_level,
    log_format: log_format as Config["log_format"],
    trust_proxy,
  };
  const secrets: Secrets = {
    recordings_bucket: readBucket({ given, url, faults }),
    mail: smtp_url !== null && mail_from !== null ? { smtp_url, from: mail_from } : null,
    secret_key: secret("SECRET_KEY"),
    secret_keys_old: secretKeysOld(),
    secret_key_file: given("SECRET_KEY_FILE"),
    secret_key_command: given("SECRET_KEY_COMMAND"),
    bootstrap_api_token: apiToken("BOOTSTRAP_API_TOKEN"),
    llm_api_keys,
    otlp_headers: telemetry.headers,
    twilio:
      twilio.account_sid !== null && twilio.auth_token !== null
        ? { account_sid: twilio.account_sid, auth_token: twilio.auth_token }
        : null,
    speech_api_keys,
    deepgram_api_key: given("DEEPGRAM_API_KEY") ?? null,
    assemblyai_api_key: given("ASSEMBLYAI_API_KEY") ?? null,
  };
  if (faults.length > 0) throw new ConfigFaults(faults);
  return { config, secrets };
}

/** The address under which this machine reaches what we listen on. */
export const reachable = (host: string): string =>
  host === "0.0.0.0" || host === "::" || host === "localhost" ? "127.0.0.1" : host;

export const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** A fault is printed, and kept by whatever keeps what is printed. */
const withoutPassword = (text: string): string => text.replace(/(:\/\/|^)[^/@]*@/, "$1…@");
