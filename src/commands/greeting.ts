import type { FirstAccount } from "../accounts/bootstrap.ts";
import { VERSION } from "../base/version.ts";
import { isReferenceOpen } from "../config/network.ts";
import { type Config, hostInUrl, reachable } from "../config.ts";
import { DEMO_TARGET } from "../demo/seed.ts";

/** What only the first start tells; nothing here can be read again later. */
export function firstAccountText(
  url: string,
  { caller, token, token_generated, sign_in_code }: FirstAccount,
): string {
  return lines(
    "First start. Keep these, they are shown once:",
    "",
    token_generated
      ? `  API token                 ${token}`
      : "  API token                 the one in BOOTSTRAP_API_TOKEN",
    `  Administrator             ${caller.email}`,
    `  One-time sign-in link     ${url}/sign-in?code=${sign_in_code}`,
    "",
  );
}

/** What hears calls on this machine; null: nothing does. */
type Hears = "model" | "stand-in" | null;
const BY_VOICE: Record<NonNullable<Hears> | "nothing", string> = {
  model: "or press Call there and speak (the offline voice is a stand-in)",
  "stand-in": "or press Call there and speak (./parley speech-model understands you better)",
  nothing: "and by voice: ./parley speech-model, then start again",
};

export function readyText(
  config: Config,
  { seconds, demo, simulated, hears }: { seconds: number; demo: boolean; simulated: boolean; hears: Hears },
): string {
  const url = config.public_url;
  const reference = referenceOf(config);
  return lines(
    `Parley ${VERSION} is ready in ${seconds.toFixed(1)} s: ${url}`,
    "",
    ...(demo
      ? [
          `  Talk to the demo clinic   ${url}/chat/${DEMO_TARGET}`,
          `                            ${BY_VOICE[hears ?? "nothing"]}`,
          `  The same in a terminal    ./parley chat "Demo clinic"`,
        ]
      : []),
    `  Console                   ${url}/console/`,
    ...(reference ? [`  API reference             ${reference}`] : []),
    ...(simulated
      ? ["  Calls and texts           simulated, nobody is really reached (docs/channels.md)"]
      : []),
    "",
    "Stop with Ctrl-C.",
    "",
  );
}

/** Where the operator can read the API reference; null if it is closed, or if its port is not known yet. */
function referenceOf({ public_url, host, port, internal_pages }: Config): string | null {
  const { docs, listen } = internal_pages;
  if (docs === "off" || listen?.port === 0) return null;
  if (isReferenceOpen(internal_pages)) return `${public_url}/docs`;
  const own = listen ?? { host, port };
  return `http://${hostInUrl(reachable(own.host))}:${own.port}/docs`;
}

const lines = (...all: string[]): string => `${all.join("\n")}\n`;
