import type { Vault } from "../base/crypto.ts";
import { Fault } from "../base/errors.ts";

/** Lets a page show one dashboard of one sub-organization for five minutes, without a sign-in. */
type Guest = { sub_organization_id: number; dashboard: string };

const LIFE_MS = 5 * 60_000;
const PURPOSE = "dashboard";

/** `no_later_than`: the end of the caller's own token. */
export function guestToken(vault: Vault, now: Date, guest: Guest, no_later_than: Date | null = null): string {
  const end = Math.min(now.getTime() + LIFE_MS, no_later_than?.getTime() ?? Number.POSITIVE_INFINITY);
  const claim = [guest.dashboard, guest.sub_organization_id, end].join(".");
  return `${claim}.${vault.sign(PURPOSE, claim)}`;
}

export function readGuestToken(vault: Vault, now: Date, token: string): Guest {
  const [dashboard = "", sub_organization_id = "", expires = "", signature = ""] = token.split(".");
  const genuine = vault.verify(PURPOSE, [dashboard, sub_organization_id, expires].join("."), signature);
  if (!genuine || Number(expires) <= now.getTime()) {
    throw new Fault("not-authenticated", "This view has expired. Open the dashboard again.");
  }
  return { dashboard, sub_organization_id: Number(sub_organization_id) };
}
