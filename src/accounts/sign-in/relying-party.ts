import { isIP } from "node:net";

/** For whom browsers make and use passkeys: the name in the public address, and the address itself. */
export type RelyingParty = { id: string; origin: string };

/** Null where no browser makes a passkey: for an address without a name, or without encryption on another machine. */
export function relyingPartyOf(publicUrl: string): RelyingParty | null {
  const { hostname, origin, protocol } = new URL(publicUrl);
  if (isIP(hostname) !== 0 || hostname.startsWith("[")) return null;
  const isThisMachine = hostname === "localhost" || hostname.endsWith(".localhost");
  return protocol === "https:" || isThisMachine ? { id: hostname, origin } : null;
}
