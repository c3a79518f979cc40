import { cutTo } from "../../parts/shortened.ts";
import { call } from "../../server/api.ts";

/** The longest name that the API takes, less a number behind it. */
const MOST = 240;

/** A name for what an agent's page makes without asking for one: with a number where another record has it. */
export async function freeName(
  list: "GET /api/v1/custom_messages/" | "GET /api/v1/voice_groups/",
  agent: string,
  what: string,
): Promise<string> {
  const name = `${cutTo(agent, MOST - what.length)} ${what}`;
  const query = { search_fields: ["name" as const], search_field_values: [name], limit: 100 };
  const { items } = await call(list, { query });
  const taken = new Set(items.map((item) => item.name));
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free;
    free = `${name} ${number}`;
  }
}
