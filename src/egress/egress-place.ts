import { isIP } from "node:net";
import { type EgressRules, judgeAddress } from "./egress-address.ts";
import type { Pinned } from "./egress-pools.ts";
import type { Resolve } from "./egress-resolve.ts";
import type { EgressTarget } from "./egress-target.ts";

export type EgressRefusal = { kind: "refused"; reason: string };
export type ReachableTarget = Exclude<EgressTarget, EgressRefusal>;

const refused = (reason: string): EgressRefusal => ({ kind: "refused", reason });

/**
 * The addresses a call may connect to. One denied address refuses the whole name: a name that mixes public and private is
 * a mistake or an attack.
 */
export async function pinnedPlace(
  target: ReachableTarget,
  { allow, resolve, httpsOnly }: { allow: EgressRules; resolve: Resolve; httpsOnly: boolean },
): Promise<Pinned | EgressRefusal> {
  if (target.kind === "route") return { kind: "fixed", ...target.route.connect };
  const { host, port } = target;
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) return refused(`the name ${host} has no address`);
  for (const address of addresses) {
    const verdict = judgeAddress(address, host, port, allow);
    if (verdict.kind === "denied") {
      return refused(`${address === host ? "address" : "an address of"} ${host} ${verdict.why}`);
    }
    if (httpsOnly && target.protocol === "http:" && verdict.kind !== "allowed") {
      return refused(`${host} must be called over https, or be allowed with EGRESS_ALLOW`);
    }
  }
  return { kind: "addresses", addresses };
}
