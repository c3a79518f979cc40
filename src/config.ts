import type { EgressRules } from "./base/egress-address.ts";
import { parseEgressAllow } from "./base/egress-allow.ts";

/** One setting: its name in the environment, what it means to a person, and what it is when nothing is said. */
export type Setting = { name: string; example: string; about: string };

export const SETTINGS: Setting[] = [
  { name: "PORT", example: "8080", about: "The port the program listens on." },
  {
    name: "HOST",
    example: "127.0.0.1",
    about: "The address it listens on; 0.0.0.0 for every network of the machine.",
  },
  {
    name: "DATA_DIR",
    example: "./data",
    about: "Where the embedded database, the generated key and recordings live.",
  },
  {
    name: "DATABASE_URL",
    example: "",
    about:
      "An outside PostgreSQL (15 or newer) in place of the embedded one: postgres://user:password@host/database",
  },
  {
    name: "PUBLIC_URL",
    example: "http://127.0.0.1:8080",
    about: "How people and carriers reach this program from outside.",
  },
  {
    name: "SECRET_KEY",
    example: "",
    about:
      "Encrypts secrets at rest and signs links; 32 characters or more. Generated into DATA_DIR when empty. Every machine of a cluster needs the same one.",
  },
  {
    name: "BOOTSTRAP_API_TOKEN",
    example: "",
    about: "The first API token, 32 characters or more. Generated and printed once when empty.",
  },
  {
    name: "BOOTSTRAP_ADMIN_EMAIL",
    example: "admin@localhost",
    about: "The e-mail address of the first administrator.",
  },
  {
    name: "TRUST_PROXY",
    example: "0",
    about:
      "How many proxies stand in front of this program; the address they name in X-Forwarded-For is then a caller's.",
  },
  {
    name: "API_KEY_HEADERS",
    example: "",
    about: "More header names, comma-separated, that may carry an API token beside Service-API-Key.",
  },
  {
    name: "EGRESS_ALLOW",
    example: "",
    about:
      "Hosts and networks, comma-separated, that tools and webhooks may reach although they are private: tools.internal:8443, *.corp.example, 10.1.0.0/16",
  },
  {
    name: "OPENAI_API_KEY",
    example: "",
    about: "Key for OpenAI, or for any server that speaks its API (set the URL then).",
  },
  { name: "OPENAI_BASE_URL", example: "https://api.openai.com/v1", about: "Where the OpenAI API is." },
  { name: "AZURE_OPENAI_API_KEY", example: "", about: "Key for Azure OpenAI." },
  {
    name: "AZURE_OPENAI_BASE_URL",
    example: "https://RESOURCE.openai.azure.com/openai",
    about: "Where the Azure OpenAI resource is.",
  },
  { name: "ANTHROPIC_API_KEY", example: "", about: "Key for Anthropic." },
  {
    name: "ANTHROPIC_BASE_URL",
    example: "https://api.anthropic.com/v1",
    about: "Where the Anthropic API is.",
  },
  { name: "GOOGLE_API_KEY", example: "", about: "Key for Google's Gemini API." },
  {
    name: "GOOGLE_BASE_URL",
    example: "https://generativelanguage.googleapis.com/v1beta",
    about: "Where the Gemini API is.",
  },
  {
    name: "LLM_MODELS",
    example: "",
    about:
      "Models beside the known ones that prompts may choose, comma-separated, each after its provider: openai/llama-3.3-70b, azure_openai/our-deployment",
  },
  { name: "LOG_LEVEL", example: "info", about: "trace, debug, info, warn, error or silent." },
];

export type Config = {
  port: number;
  host: string;
  data_dir: string;
  database_url: string | null;
  public_url: string;
  bootstrap_admin_email: string;
  api_key_headers: string[];
  egress_allow: EgressRules;
  llm_base_urls: Partial<Record<LlmProvider, string>>;
  llm_models: { provider: LlmProvider; model: string }[];
  log_level: string;
  /** Proxies in front whose X-Forwarded-For is believed. */
  trust_proxy: number;
};

/** Kept apart, so that printing the configuration can't print a secret. */
export type Secrets = {
  secret_key: string | null;
  bootstrap_api_token: string | null;
  llm_api_keys: Partial<Record<LlmProvider, string>>;
};

export type LlmProvider = "openai" | "azure_openai" | "anthropic" | "google";
const LLM_PROVIDERS: LlmProvider[] = ["openai", "azure_openai", "anthropic", "google"];
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
  const log_level = given("LOG_LEVEL")?.toLowerCase() ?? "info";
  if (!LOG_LEVELS.includes(log_level))
    faults.push(`LOG_LEVEL is "${log_level}"; use one of ${LOG_LEVELS.join(", ")}.`);

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

  const config: Config = {
    port,
    host,
    data_dir,
    database_url: url("DATABASE_URL", ["postgres:", "postgresql:"]),
    public_url: publicUrl() ?? `http://${hostInUrl(reachable(host))}:${port}`,
    bootstrap_admin_email: email.toLowerCase(),
    api_key_headers: headers,
    egress_allow: egress.ok ? egress.rules : { hosts: [], networks: [] },
    llm_base_urls,
    llm_models,
    log_level,
    trust_proxy,
  };
  const secrets: Secrets = {
    secret_key: secret("SECRET_KEY"),
    bootstrap_api_token: apiToken("BOOTSTRAP_API_TOKEN"),
    llm_api_keys,
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

/** The text of `.env.example`; a test keeps the committed file equal to it. */
export function envExample(): string {
  const lines = SETTINGS.map(({ name, example, about }) => `# ${about}\n#${name}=${example}\n`);
  return `# Everything here is optional: with an empty environment Parley starts and works offline.\n\n${lines.join("\n")}`;
}
