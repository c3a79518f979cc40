import { describe, expect, test } from "vitest";
import { ConfigFaults, readConfig } from "./config.ts";
import { SETTINGS } from "./settings.ts";

type Env = Record<string, string>;
const config = (env: Env) => readConfig(env).config;
const secrets = (env: Env) => readConfig(env).secrets;

function faults(env: Env): string[] {
  try {
    readConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigFaults) return error.faults;
    throw error;
  }
}

test("every setting that is read is told of, and every one told of is read", () => {
  const read = new Set<string>();
  readConfig(new Proxy<Env>({}, { get: (_, name) => void read.add(String(name)) }));
  expect([...read].toSorted()).toEqual(SETTINGS.map(({ name }) => name).toSorted());
});

test("an empty environment is a good one", () => {
  expect(readConfig({})).toEqual({
    config: {
      port: 8080,
      connections: { writing: 14, reading: 6, reading_timeout_ms: 15_000 },
      host: "127.0.0.1",
      data_dir: "./data",
      database_url: null,
      everyone_creates_organizations: false,
      internal_pages: { metrics: "private", docs: "everyone", listen: null },
      run_as_root: false,
      public_url: "http://127.0.0.1:8080",
      bootstrap_admin_email: "admin@localhost",
      api_key_headers: [],
      egress_allow: { hosts: [], networks: [] },
      llm_base_urls: {},
      llm_models: [],
      llm_first_token_s: 10,
      llm_token_s: 10,
      llm_fallback: null,
      embedding_model: null,
      crawl_pause_ms: 1_000,
      deepgram_base_url: null,
      assemblyai_base_url: null,
      telnyx_base_url: null,
      voice_calls: null,
      voice_order: {
        hearing: ["deepgram", "assemblyai", "offline"],
        speaking: ["elevenlabs", "cartesia", "deepgram", "offline"],
      },
      speech_models: [],
      speech_prices: { hearing: {}, speaking: {} },
      speech_base_urls: {},
      tenants_buy_numbers: false,
      twilio_base_url: null,
      carrier_prices: {},
      simulator: { scenario_file: null, speed: 1 },
      call_limits: { per_token: 30_000, per_tenant: 60_000, changes_per_tenant: 20_000 },
      model_limits: { tokens_per_day: 1_000_000_000, usd_per_day: 5_000 },
      otlp: null,
      visitors_per_minute: 3_000,
      storage_gb: 1000,
      sockets_per_address: 1000,
      dialogue_concurrency: 32,
      chat_concurrency: 1024,
      insight_concurrency: 32,
      lines: { per_source: 20, per_organization: 100, kept_for_callers: 0.3, per_person: null },
      destinations: { countries: [], allowed: [] },
      mail_port: null,
      mail_tls: null,
      mail_checks_senders: true,
      log_level: "info",
      log_format: null,
      trust_proxy: 0,
    },
    secrets: {
      secret_key: null,
      recordings_bucket: null,
      secret_keys_old: [],
      secret_key_file: null,
      secret_key_command: null,
      bootstrap_api_token: null,
      llm_api_keys: {},
      otlp_headers: {},
      speech_api_keys: {},
      deepgram_api_key: null,
      assemblyai_api_key: null,
      mail: null,
      twilio: null,
    },
  });
});

test("an empty or blank setting counts as not given, as an unset line of .env does", () => {
  const blank = Object.fromEntries(SETTINGS.map(({ name }) => [name, "  "]));
  expect(readConfig(blank)).toEqual(readConfig({}));
});

const KEY = "k".repeat(32);

describe("a good value is taken", () => {
  test.each<[Env, Partial<ReturnType<typeof config>>]>([
    [{ PORT: "0" }, { port: 0, public_url: "http://127.0.0.1:0" }],
    [{ PORT: " 65535 " }, { port: 65_535 }],
    [{ HOST: "0.0.0.0" }, { host: "0.0.0.0", public_url: "http://127.0.0.1:8080" }],
    [
      { HOST: "::1", PORT: "9" },
      { host: "::1", public_url: "http://[::1]:9" },
    ],
    [{ HOST: "::" }, { public_url: "http://127.0.0.1:8080" }],
    [{ HOST: "parley.internal" }, { public_url: "http://parley.internal:8080" }],
    [{ DATA_DIR: "/srv/parley" }, { data_dir: "/srv/parley" }],
    [{ DATABASE_URL: "postgres://u:p@h/d" }, { database_url: "postgres://u:p@h/d" }],
    [{ DATABASE_URL: "postgres://u:p,q@h/d?a=1,2" }, { database_url: "postgres://u:p,q@h/d?a=1,2" }],
    [{ DATABASE_URL: "postgresql:///d?host=/run" }, { database_url: "postgresql:///d?host=/run" }],
    [
      { DATABASE_URL: "postgres://u:p@/d?host=/run" },
      { database_url: "postgres://u:p@localhost/d?host=/run" },
    ],
    [{ PUBLIC_URL: "https://parley.example.com/" }, { public_url: "https://parley.example.com" }],
    [{ PUBLIC_URL: "http://10.0.0.1:8081" }, { public_url: "http://10.0.0.1:8081" }],
    [{ BOOTSTRAP_ADMIN_EMAIL: "Ann@Example.com" }, { bootstrap_admin_email: "ann@example.com" }],
    [{ TRUST_PROXY: "2" }, { trust_proxy: 2 }],
    [{ INSIGHT_CONCURRENCY: "8" }, { insight_concurrency: 8 }],
    [
      { OUTREACH_MOST_PER_PERSON: "3/7d" },
      { lines: expect.objectContaining({ per_person: { attempts: 3, window_ms: 7 * 86_400_000 } }) },
    ],
    [
      { OUTREACH_COUNTRIES: "US, CA,+44", OUTREACH_ALLOW: "+88216" },
      { destinations: { countries: ["US", "CA", "+44"], allowed: ["+88216"] } },
    ],
    [{ API_KEY_HEADERS: "X-Key, Api-Token," }, { api_key_headers: ["X-Key", "Api-Token"] }],
    [{ OPENAI_BASE_URL: "http://127.0.0.1:1/v1/" }, { llm_base_urls: { openai: "http://127.0.0.1:1/v1" } }],
    [
      { EMBEDDING_MODEL: "openai/text-embedding-3-small" },
      { embedding_model: { provider: "openai", model: "text-embedding-3-small" } },
    ],
    [{ LLM_MODELS: "openai/meta/llama-3" }, { llm_models: [{ provider: "openai", model: "meta/llama-3" }] }],
    [{ LOG_LEVEL: "DEBUG" }, { log_level: "debug" }],
  ])("%j", (env, expected) => {
    expect(config(env)).toMatchObject(expected);
  });

  test("secrets stand apart from what may be printed", () => {
    const env = {
      SECRET_KEY: KEY,
      BOOTSTRAP_API_TOKEN: `t-${KEY}`,
      OPENAI_API_KEY: "o",
      AZURE_OPENAI_API_KEY: "z",
      AZURE_OPENAI_BASE_URL: "https://r.openai.azure.com/openai",
      ANTHROPIC_API_KEY: "a",
      GOOGLE_API_KEY: "g",
      ELEVENLABS_API_KEY: "e",
      SMTP_URL: "smtp://u%40clinic.example:hush@mx",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318",
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%2Cb",
    };
    expect(secrets(env)).toEqual({
      secret_key: KEY,
      recordings_bucket: null,
      secret_keys_old: [],
      secret_key_file: null,
      secret_key_command: null,
      bootstrap_api_token: `t-${KEY}`,
      llm_api_keys: { openai: "o", azure_openai: "z", anthropic: "a", google: "g" },
      otlp_headers: { "x-key": "a,b" },
      speech_api_keys: { ElevenLabs: "e" },
      deepgram_api_key: null,
      assemblyai_api_key: null,
      mail: { smtp_url: "smtp://u%40clinic.example:hush@mx", from: "u@clinic.example" },
      twilio: null,
    });
    expect(JSON.stringify(config(env))).not.toContain("hush");
    expect(JSON.stringify(config(env))).not.toContain(KEY);
  });

  test("EGRESS_ALLOW", () => {
    const { hosts, networks } = config({ EGRESS_ALLOW: "tools.internal:8443, 10.1.0.0/16" }).egress_allow;
    expect([hosts.length, networks.length]).toEqual([1, 1]);
  });
});

describe("a bad value is named with what to write instead", () => {
  test.each<[Env, RegExp]>([
    [{ SMTP_URL: "mail.example.com" }, /SMTP_URL is .* not a URL starting with smtp:/],
    [{ SMTP_URL: "smtp://mx" }, /MAIL_FROM is "".*address that mails are sent from/],
    [{ SMTP_URL: "smtp://u:100%@mx", MAIL_FROM: "a@b.example" }, /write % in a user or password as %25/],
    [{ MAIL_PORT: "8080" }, /MAIL_PORT and PORT are both 8080; mail needs a port of its own/],
    [{ MAIL_PORT: "smtp" }, /MAIL_PORT is "smtp"; use a whole number/],
    [{ MAIL_TLS_KEY: "/k.pem" }, /MAIL_TLS_CERT is missing/],
    [{ DATABASE_CONNECTIONS: "2" }, /^DATABASE_CONNECTIONS is "2"; use a whole number from 3 to 500/],
    [{ PORT: "eighty" }, /^PORT is "eighty"; use a whole number from 0 to 65535/],
    [{ PORT: "65536" }, /^PORT is "65536"/],
    [{ PORT: "-1" }, /^PORT is "-1"/],
    [{ PORT: "80.5" }, /^PORT is "80.5"/],
    [{ PORT: "0x50" }, /^PORT is "0x50"/],
    [{ HOST: "http://localhost" }, /^HOST is "http:\/\/localhost"; use an address .*without http/],
    [{ DATA_DIR: "~/parley" }, /^DATA_DIR is "~\/parley"; write the whole path/],
    [
      { DATABASE_URL: "db.example.com" },
      /^DATABASE_URL is "db.example.com", not a URL starting with postgres:/,
    ],
    ...["p/w", "p#w", "p@x/w#1", "1#w", "p?w"].map((password): [Env, RegExp] => [
      { DATABASE_URL: `postgres://u:${password}@h/d` },
      /^DATABASE_URL is "postgres:\/\/…@h\/d", which is not a usable URL\. In a user name or password, write # as %23, \/ as %2F, \? as %3F and @ as %40\.$/,
    ]),
    ...[
      "u:p@one:5432,other:5432/d",
      "one,other/d",
      "u:p@one/d?host=one,other",
      "/d?sslmode=require&host=a,b",
    ].map((several): [Env, RegExp] => [
      { DATABASE_URL: `postgres://${several}` },
      /^DATABASE_URL names several servers, and Parley connects to one\. Give it one name/,
    ]),
    [{ DATABASE_URL: "postgres://u:begun" }, /^DATABASE_URL is "postgres:\/\/…@", which is not a usable URL/],
    [{ DATABASE_URL: "mysql://u@h/d" }, /^DATABASE_URL is "mysql:\/\/…@h\/d", not a URL/],
    [
      { PUBLIC_URL: "parley.example.com" },
      /^PUBLIC_URL is "parley.example.com", not a URL starting with http/,
    ],
    [{ PUBLIC_URL: "ftp://x" }, /^PUBLIC_URL is "ftp:/],
    [
      { PUBLIC_URL: "https://x.org/parley" },
      /^PUBLIC_URL .* host and port only, such as https:\/\/x.org\. Parley can't be served below a path\.$/,
    ],
    [{ PUBLIC_URL: "https://x.org?a=b" }, /^PUBLIC_URL .* host and port only/],
    [{ SECRET_KEY: "short" }, /^SECRET_KEY has 5 characters; use 32 or more \(openssl rand -hex 32\)\.$/],
    [{ BOOTSTRAP_API_TOKEN: "short" }, /^BOOTSTRAP_API_TOKEN has 5 characters/],
    [{ BOOTSTRAP_API_TOKEN: `${KEY} x` }, /^BOOTSTRAP_API_TOKEN holds a space/],
    [{ BOOTSTRAP_API_TOKEN: `${KEY}ü` }, /^BOOTSTRAP_API_TOKEN holds a space or a letter beyond ASCII/],
    [{ BOOTSTRAP_API_TOKEN: `local.${KEY}` }, /^BOOTSTRAP_API_TOKEN starts with "local\."/],
    [{ BOOTSTRAP_ADMIN_EMAIL: "ann" }, /^BOOTSTRAP_ADMIN_EMAIL is "ann"; use an e-mail address such as/],
    [{ OUTREACH_MOST_PER_PERSON: "3" }, /^OUTREACH_MOST_PER_PERSON is "3"; write .* 3\/24h or 5\/7d\.$/],
    [{ OUTREACH_COUNTRIES: "USA" }, /^OUTREACH_COUNTRIES holds "USA"; write .* US, CA, \+44\.$/],
    [{ OUTREACH_ALLOW: "88216" }, /^OUTREACH_ALLOW holds "88216"; write .* \+88216, \+44845\.$/],
    [{ OUTREACH_MOST_PER_PERSON: "0/24h" }, /^OUTREACH_MOST_PER_PERSON is "0\/24h"/],
    [{ TRUST_PROXY: "yes" }, /^TRUST_PROXY is "yes"; use the number of proxies/],
    [{ API_KEY_HEADERS: "X Key" }, /^API_KEY_HEADERS holds "X Key"/],
    [{ EGRESS_ALLOW: "10.1.0.0/99" }, /^EGRESS_ALLOW/],
    [{ OPENAI_BASE_URL: "localhost:1234" }, /^OPENAI_BASE_URL is "localhost:1234", not a URL/],
    [{ AZURE_OPENAI_BASE_URL: "x" }, /^AZURE_OPENAI_BASE_URL is "x"/],
    [{ ANTHROPIC_BASE_URL: "x" }, /^ANTHROPIC_BASE_URL is "x"/],
    [{ GOOGLE_BASE_URL: "x" }, /^GOOGLE_BASE_URL is "x"/],
    [{ AZURE_OPENAI_API_KEY: "k" }, /^AZURE_OPENAI_API_KEY is set without AZURE_OPENAI_BASE_URL/],
    [
      { EMBEDDING_MODEL: "anthropic/x" },
      /^EMBEDDING_MODEL is "anthropic\/x"; write a provider \(openai, azure_/,
    ],
    [{ LLM_MODELS: "llama-3" }, /^LLM_MODELS holds "llama-3"; write a provider \(openai, /],
    [{ LOG_LEVEL: "loud" }, /^LOG_LEVEL is "loud"; use one of trace, debug/],
  ])("%j", (env, expected) => {
    expect(faults(env)).toEqual([expect.stringMatching(expected)]);
  });

  test("and no fault shows a password", () => {
    const told = [
      "mysql://ann:hunter2@h/d",
      "host=h user=ann password=hunter2",
      "host=h password='so hunter2' user=ann",
      "jdbc:postgresql://h/d?user=ann&password=hunter2&ssl=true",
    ].flatMap((DATABASE_URL) => faults({ DATABASE_URL, PUBLIC_URL: "https://ann:hunter2@h/" }));
    expect(told).toHaveLength(8);
    expect(told.join()).not.toContain("hunter2");
  });

  test("all of them at once", () => {
    const told = faults({
      PORT: "x",
      LOG_LEVEL: "x",
      SECRET_KEY: "x",
      EGRESS_ALLOW: "10.0.0.0/99",
      LLM_MODELS: "x",
    });
    expect(told).toHaveLength(5);
  });
});
