import type { ParleyClient } from "../../../sdk/typescript/client.ts";
import type { OrganizationChannelCreateRequest, TargetModes } from "../../../sdk/typescript/operations.ts";

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
export async function openPhoneDesk(parley: ParleyClient, agent_id: number): Promise<Desk | null> {
  const channel_id = await findChannel(parley, PHONE, { channel_service: "twilio", config: {} });
  if (!(await isSimulated(parley, channel_id))) return null;
  const { phone_numbers } = await parley.list_twilio_numbers({ path: { channel_id } });
  const [first] = phone_numbers;
  return first
    ? openDesk(parley, { channel_id, agent_id, address: first.phone_number }, ["voice", "sms"])
    : null;
}

/** An address of the simulated mail service; null where channels have a real one. */
export async function openMailDesk(parley: ParleyClient, agent_id: number): Promise<Desk | null> {
  const config = { email: { sending_domain: DOMAIN } };
  const channel_id = await findChannel(parley, MAIL, { channel_service: "email", config });
  if (!(await isSimulated(parley, channel_id))) return null;
  return openDesk(parley, { channel_id, agent_id, address: `agent-${agent_id}@${DOMAIN}` }, ["email"]);
}

async function findChannel(
  parley: ParleyClient,
  name: string,
  more: Omit<OrganizationChannelCreateRequest, "name">,
): Promise<number> {
  const query = { search_fields: ["name_exact" as const], search_field_values: [name] };
  const { items } = await parley.list_channels({ query });
  return items[0]?.id ?? (await parley.create_channel({ body: { name, ...more } })).id;
}

const isSimulated = async (parley: ParleyClient, channel_id: number): Promise<boolean> =>
  (await parley.get_channel_carrier({ path: { channel_id } })).simulated;

async function openDesk(
  parley: ParleyClient,
  { channel_id, agent_id, address }: { channel_id: number; agent_id: number; address: string },
  modes: TargetModes[],
): Promise<Desk> {
  const release = (target_id: number) =>
    parley.delete_channel_target({ path: { channel_id }, query: { target_id } });
  // A simulation that was killed left its own behind.
  const { items } = await parley.list_channel_targets({ query: { limit: 1000 } });
  for (const left of items)
    if (left.channel_id === channel_id && left.target === address) await release(left.id);
  const ids: number[] = [];
  for (const target_mode of modes) {
    const body = { channel_id, agent_id, target: address, target_mode, is_test: true };
    ids.push((await parley.create_channel_target({ path: { channel_id }, body })).id);
  }
  return {
    channel_id,
    address,
    async close() {
      for (const id of ids) await release(id);
    },
  };
}
