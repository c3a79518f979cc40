import type { EgressRules } from "../egress/egress-address.ts";
import { parseEgressAllow } from "../egress/egress-allow.ts";
import { type Setting, type SettingReader, withoutPassword } from "./setting-reader.ts";

/** Who may see a page that is for those who operate the installation, not for its users. */
export type Audience = "everyone" | "private" | "off";
const AUDIENCES: Audience[] = ["everyone", "private", "off"];

/** /metrics and /docs; `listen`: an address of their own, where they are then answered and nowhere else. */
export type InternalPages = {
  metrics: Audience;
  docs: Audience;
  listen: { host: string; port: number } | null;
};

/** Whether the API reference is open to everyone who can open the home page. */
export const isReferenceOpen = ({ docs, listen }: InternalPages): boolean =>
  docs === "everyone" && listen === null;

/** Where this program listens, who may ask it what, and whom it may ask. */
export type NetworkConfig = {
  port: number;
  host: string;
  public_url: string;
  /** Proxies in front whose X-Forwarded-For is believed. */
  trust_proxy: number;
  internal_pages: InternalPages;
  api_key_headers: string[];
  egress_allow: EgressRules;
};

export const NETWORK_SETTINGS: Setting[] = [
  { name: "PORT", example: "8080", about: "The port the program listens on." },
  {
    name: "HOST",
    example: "127.0.0.1",
    about: "The address it listens on; 0.0.0.0 for every network of the machine.",
  },
  {
    name: "PUBLIC_URL",
    example: "http://127.0.0.1:8080",
    about: "How people and carriers reach this program from outside.",
  },
  {
    name: "TRUST_PROXY",
    example: "0",
    about:
      "How many proxies stand in front of this program; the address they name in X-Forwarded-For is then a caller's.",
  },
  {
    name: "METRICS",
    example: "private",
    about:
      "Who may read /metrics: private (this machine and private networks, not through a proxy), everyone, or off.",
  },
  {
    name: "DOCS",
    example: "everyone",
    about: "Who may read /docs and /openapi.json: everyone, private, or off.",
  },
  {
    name: "INTERNAL_LISTEN",
    example: "127.0.0.1:9090",
    about:
      "An address of their own for /metrics and /docs, which are then answered nowhere else. Empty: none.",
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
];

export function readNetwork(read: SettingReader): NetworkConfig {
  const host = hostOf(read);
  const port = portOf(read);
  return {
    port,
    host,
    public_url: publicUrl(read) ?? `http://${hostInUrl(reachable(host))}:${port}`,
    trust_proxy: trustedProxies(read),
    internal_pages: {
      metrics: read.oneOf("METRICS", AUDIENCES, "private", AUDIENCES.join(", ")),
      docs: read.oneOf("DOCS", AUDIENCES, "everyone", AUDIENCES.join(", ")),
      listen: internalListen(read, port),
    },
    api_key_headers: apiKeyHeaders(read),
    egress_allow: egressAllow(read),
  };
}

function hostOf({ given, faults }: SettingReader): string {
  const host = given("HOST") ?? "127.0.0.1";
  if (!/^[A-Za-z0-9._:%-]+$/.test(host)) {
    faults.push(`HOST is "${host}"; use an address such as 127.0.0.1 or 0.0.0.0, without http:// and port.`);
  }
  return host;
}

function portOf({ given, faults }: SettingReader): number {
  const text = given("PORT") ?? "8080";
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) {
    faults.push(`PORT is "${text}"; use a whole number from 0 to 65535 (0 takes any free port).`);
  }
  return port;
}

function publicUrl({ url, faults }: SettingReader): string | null {
  const text = url("PUBLIC_URL", ["http:", "https:"]);
  if (text === null) return null;
  const { origin, href } = new URL(text);
  if (href === `${origin}/`) return origin;
  faults.push(
    `PUBLIC_URL is "${withoutPassword(text)}"; use scheme, host and port only, such as ${origin}. Parley can't be served below a path.`,
  );
  return null;
}

function trustedProxies({ given, faults }: SettingReader): number {
  const count = Number(given("TRUST_PROXY") ?? 0);
  if (!Number.isInteger(count) || count < 0 || count > 10) {
    faults.push(`TRUST_PROXY is "${given("TRUST_PROXY")}"; use the number of proxies in front, 0 to 10.`);
  }
  return count;
}

function internalListen({ given, faults }: SettingReader, port: number): InternalPages["listen"] {
  const text = given("INTERNAL_LISTEN");
  if (text === null) return null;
  const [, at, number] = /^(?:\[?([A-Za-z0-9._:%-]+?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  if (number !== undefined && Number(number) <= 65_535 && (Number(number) !== port || port === 0))
    return { host: at ?? "127.0.0.1", port: Number(number) };
  faults.push(
    `INTERNAL_LISTEN is "${text}"; use an address and a port of their own, such as 127.0.0.1:9090.`,
  );
  return null;
}

function apiKeyHeaders({ list, faults }: SettingReader): string[] {
  const names = list("API_KEY_HEADERS");
  for (const name of names) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) {
      faults.push(`API_KEY_HEADERS holds "${name}"; a header name has letters, digits and hyphens only.`);
    }
  }
  return names;
}

function egressAllow({ given, faults }: SettingReader): EgressRules {
  const parsed = parseEgressAllow(given("EGRESS_ALLOW") ?? "");
  if (parsed.ok) return parsed.rules;
  faults.push(...parsed.errors);
  return { hosts: [], networks: [] };
}

/** The address under which this machine reaches what we listen on. */
export const reachable = (host: string): string =>
  host === "0.0.0.0" || host === "::" || host === "localhost" ? "127.0.0.1" : host;

export const hostInUrl = (host: string): string => (host.includes(":") ? `[${host}]` : host);
