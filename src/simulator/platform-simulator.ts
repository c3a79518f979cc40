import type { AddressInfo } from "node:net";
import type { Api } from "../api/server.ts";
import type { Clock } from "../base/clock.ts";
import type { Vault } from "../base/crypto.ts";
import type { Log } from "../base/log.ts";
import { channelOfAccount, SIMULATOR_URL, simulatedToken } from "../carriers/simulator-account.ts";
import { twilioUrls } from "../carriers/twilio/twilio-urls.ts";
import { mountSimulator } from "./mount.ts";
import { Scenario } from "./people.ts";
import { createSimulator, type Simulator } from "./simulator.ts";

export type { Simulator };

/**
 * The simulator of a running platform: on its own port, with an account for every channel, calling back through the
 * public address's paths but straight to this process. It stops before the server does.
 */
export function platformSimulator(
  api: Api,
  parts: {
    clock: Clock;
    log: Log;
    vault: Vault;
    config: { public_url: string };
    simulation?: { scenario: Scenario; speed: number | "moved" };
  },
): Simulator {
  const { clock, log, vault, config, simulation } = parts;
  const own = new URL(config.public_url).origin;
  const simulator = createSimulator({
    clock,
    log,
    base: SIMULATOR_URL,
    scenario: simulation?.scenario ?? Scenario.parse({}),
    speed: simulation?.speed ?? 1,
    tokenOf: (account_sid) => simulatedToken(vault, account_sid),
    numberUrls(account_sid) {
      const channel_id = channelOfAccount(account_sid);
      if (channel_id === null) return null;
      const { voice, voiceStatus, messages } = twilioUrls(config.public_url, channel_id);
      return { voice, status: voiceStatus, messages };
    },
    // Nobody but the platform is ever called back.
    reach(origin) {
      if (origin !== own) throw new Error(`the carrier simulator calls nobody but ${own}`);
      return listeningAt(api);
    },
  });
  mountSimulator(api, simulator);
  api.server.addHook("preClose", () => simulator.close());
  return simulator;
}

function listeningAt(api: Api): string {
  const address = api.server.server.address() as AddressInfo | null;
  if (!address) throw new Error("the platform does not listen yet");
  const host = address.address === "0.0.0.0" || address.address === "::" ? "127.0.0.1" : address.address;
  return `http://${host.includes(":") ? `[${host}]` : host}:${address.port}`;
}
