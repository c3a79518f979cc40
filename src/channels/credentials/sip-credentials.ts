import type { Credentials } from "./channel-credentials.ts";

/** Carriers of a SIP channel, by `provider_credentials.carrier`, and what each is signed in to with. */
const FIELDS: Record<string, readonly string[]> = {
  telnyx: ["api_key", "public_key", "connection_id"],
  asterisk: ["socket_password"],
};

/** A guessed password opens an agent's line. */
const SHORTEST_PASSWORD = 16;

export type SipCarrierName = "telnyx" | "asterisk";

/** null: the channel names none, so nothing carries its calls. */
export const sipCarrierOf = (credentials: Credentials): SipCarrierName | null =>
  credentials.carrier === "telnyx" || credentials.carrier === "asterisk" ? credentials.carrier : null;

export function sipFaults(credentials: Credentials): string[] {
  const { carrier } = credentials;
  if (carrier === undefined) return [];
  const fields = Object.hasOwn(FIELDS, carrier) ? FIELDS[carrier] : undefined;
  if (!fields) return [`carrier should be one of ${Object.keys(FIELDS).join(", ")}`];
  const faults = fields.filter((field) => !credentials[field]).map((field) => `${field} is missing`);
  const { public_key, socket_password } = credentials;
  if (carrier === "telnyx" && public_key && Buffer.from(public_key, "base64").length !== 32)
    faults.push("public_key should be the Base64 key that Telnyx shows under Keys & Credentials");
  if (carrier === "asterisk" && socket_password && socket_password.length < SHORTEST_PASSWORD)
    faults.push(`socket_password should have at least ${SHORTEST_PASSWORD} characters`);
  return faults;
}
