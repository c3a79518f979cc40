import { type BuiltInNames, isSecretName, ownText } from "./foreign-text.ts";

type EndpointAddress = {
  url: string;
  /** The host, which names the service that the tool belongs to. */
  service: string;
  /** Names of credentials that stood in the address. */
  left_out: string[];
  problems: string[];
};

const TEMPLATE = /\{\{[^{}]*\}\}/g;

/** An http address in our templates, without credentials; null where it is none. */
export function addressOf(given: string, builtIn: BuiltInNames): EndpointAddress | null {
  const { text, problems } = ownText(given.trim(), builtIn, { isAddress: true });
  const left_out: string[] = [];
  const bare = text.replace(/^(https?:\/\/)[^/?#]*@/i, (_whole, scheme: string) => {
    left_out.push("Authorization");
    return scheme;
  });
  const [base = "", query] = bare.split(/\?(.*)/s);
  const kept = (query ?? "").split("&").filter((pair) => {
    const [name = ""] = pair.split("=");
    if (!isSecretName(name)) return pair !== "";
    left_out.push(name);
    return false;
  });
  const url = kept.length > 0 ? `${base}?${kept.join("&")}` : base;
  const begins = /^\{\{[^{}]*\}\}/.test(url);
  const probe = begins
    ? url.replace(/^\{\{[^{}]*\}\}/, "https://variable").replace(TEMPLATE, "x")
    : url.replace(TEMPLATE, "x");
  if (!/^https?:\/\//i.test(probe) || !URL.canParse(probe.replaceAll(/[{}]/g, "x"))) return null;
  const { host } = new URL(probe.replaceAll(/[{}]/g, "x"));
  return { url, service: begins ? "Imported addresses" : host, left_out, problems };
}
