import type { ApiClient } from "../api-client.ts";

/** Where an agent is reached for the time of a simulation. */
export type Desk = {
  channel_id: number;
  address: string;
  /** Disconnects the address from the agent again. */
  close(): Promise<void>;
};

/** Kept from one simulation to the next: what was said names the channel. */
const PHONE = "Simulated people: telephone";
const MAIL = "Simulated people: mail";
const DOMAIN = "simulated.example";

/** A number of the simulated carrier for calls and texts; null where channels have a real one. */
export async function openPhoneDesk(call: ApiClient, agent_id: number): Promise<Desk | null> {
  const channel_id = await findChannel(call, PHONE, { channel_service: "twilio", config: {} });
  if (!(await isSimulated(call, channel_id))) return null;
  type Numbers = { phone_numbers: { phone_number: string }[] };
  const { phone_numbers } = await call<Numbers>("GET", `/api/v1/channels/twilio/${channel_id}/numbers`);
  const [first] = phone_numbers;
  return first
    ? openDesk(call, { channel_id, agent_id, address: first.phone_number }, ["voice", "sms"])
    : null;
}

/** An address of the simulated mail service; null where channels have a real one. */
export async function openMailDesk(call: ApiClient, agent_id: number): Promise<Desk | null> {
  const config = { email: { sending_domain: DOMAIN } };
  const channel_id = await findChannel(call, MAIL, { channel_service: "email", config });
  if (!(await isSimulated(call, channel_id))) return null;
  return openDesk(call, { channel_id, agent_id, address: `agent-${agent_id}@${DOMAIN}` }, ["email"]);
}

async function findChannel(call: ApiClient, name: string, more: object): Promise<number> {
  const query = new URLSearchParams({ search_fields: "name_exact", search_field_values: name });
  const { items } = await call<{ items: { id: number }[] }>("GET", `/api/v1/channels/?${query}`);
  return items[0]?.id ?? (await call<{ id: number }>("POST", "/api/v1/channels/", { name, ...more })).id;
}

const isSimulated = async (call: ApiClient, channel_id: number): Promise<boolean> =>
  (await call<{ simulated: boolean }>("GET", `/api/v1/channels/${channel_id}/carrier`)).simulated;

type Target = { id: number; channel_id: number; target: string; target_mode: string };

async function openDesk(
  call: ApiClient,
  { channel_id, agent_id, address }: { channel_id: number; agent_id: number; address: string },
  modes: string[],
): Promise<Desk> {
  const release = (target_id: number) =>
    call("DELETE", `/api/v1/channels/${channel_id}?target_id=${target_id}`);
  // A simulation that was killed left its own behind.
  const { items } = await call<{ items: Target[] }>("GET", "/api/v1/channels/targets?limit=1000");
  for (const left of items)
    if (left.channel_id === channel_id && left.target === address) await release(left.id);
  const ids: number[] = [];
  for (const target_mode of modes) {
    const target = { channel_id, agent_id, target: address, target_mode, is_test: true };
    ids.push((await call<Target>("POST", `/api/v1/channels/${channel_id}/targets`, target)).id);
  }
  return {
    channel_id,
    address,
    async close() {
      for (const id of ids) await release(id);
    },
  };
}
