import { type Act, type Attack, parsed, send, someAddress, type World } from "./soak-attack.ts";

/* Bodies, schemas, patterns, searches and sign-ins that are meant to cost more than they may. */

/** Twice itself at each of thirty levels: 2^30 branches written out, in 1.6 KB. */
function doubling(): object {
  const $defs = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, { anyOf: [next, next] }];
    }),
  );
  return { type: "object", $ref: "#/$defs/d0", $defs: { ...$defs, d30: { required: ["none"] } } };
}

const toolOf = (parameters: object) => ({
  name: "attack",
  definition: {
    type: "endpoint",
    tool: { type: "function", function: { name: "attack", description: "x", parameters } },
    endpoint: { url: "http://127.0.0.1:9/x", method: "POST" },
  },
});
const WIDE = "[ab]{0,1000}".repeat(10);
const wide = { type: "object", properties: { a: { type: "string", pattern: WIDE } } };
const deep = Array.from({ length: 5_000 }).reduce<string>((inner) => `{"items":${inner}}`, "{}");
const list = (entry: string, count: number) => `[${Array(count).fill(entry).join(",")}]`;
const steps = (entries: string) =>
  `{"name":"x","definition":{"type":"context","context":{"task":{"type":"steps","steps":${entries}}}}}`;

const unknown = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")}}`;

const rules = Array.from({ length: 500 }, (_, n) => `on /([ab]{1,50}){${n % 40}}c${n}/ -> say "a"`);
export const POISONED_PROMPT = `\`\`\`script\n${rules.join("\n")}\notherwise -> say "Else."\n\`\`\``;

const BODIES: Record<string, string> = {
  "60,000 wrong steps": steps(list("{}", 60_000)),
  "1,000 steps of 100 wrong actions": steps(list(`{"on":{"enter":${list('{"action":7}', 75)}}}`, 950)),
  "90,000 unknown members": unknown(90_000),
  // Within what a body may have.
  "1,000 steps of 7 wrong actions": steps(list(`{"on":{"enter":${list('{"action":7}', 7)}}}`, 1_000)),
  "4,900 unknown members": unknown(4_900),
  "lists in lists, 800 kB": `${"[".repeat(400_000)}${"]".repeat(400_000)}`,
  "2 MB of wrong JSON": list("{}", 666_000),
};

/** Asks to check and to store a tool with this schema. */
async function offerSchema({ attacker }: World, act: Act, tool: object | string) {
  await send(act, "POST", "/api/v1/tools/check", { token: attacker.token, body: tool });
  const { status } = await send(act, "POST", "/api/v1/tools/", { token: attacker.token, body: tool });
  if (status === 200) act.breach("a poisoned schema was stored");
}

export const BODY_ATTACKS: Attack[] = [
  ...Object.entries(BODIES).map(([name, body]) => ({
    name: `a body: ${name}`,
    run: ({ attacker }: World, act: Act) =>
      send(act, "POST", "/api/v1/tools/", { token: attacker.token, body }),
  })),
  {
    name: "a schema that doubles itself",
    run: (world, act) => offerSchema(world, act, toolOf(doubling())),
  },
  {
    name: "a schema 5,000 levels deep",
    run: (world, act) =>
      offerSchema(world, act, JSON.stringify(toolOf({ DEEP: 1 })).replace('{"DEEP":1}', deep)),
  },
  {
    name: "a pattern of 10,000 repetitions",
    run: async (world, act) => {
      await offerSchema(world, act, toolOf(wide));
      const insight = {
        name: `wide-${act.nth}`,
        version: 1,
        insight_tool_definition_id: 5,
        tool_arguments: { pattern: WIDE },
      };
      const options = { token: world.attacker.token, body: insight };
      const { status } = await send(act, "POST", "/api/v1/insights/tool-configurations", options);
      if (status === 200) act.breach("a poisoned pattern was stored");
    },
  },
  {
    name: "a prompt whose script has 500 large patterns",
    run: async ({ attacker }, act) => {
      const prompt = {
        name: `Poisoned ${act.nth}`,
        type: "prompt_v1",
        context: POISONED_PROMPT,
        llm_config: { provider: "openai", model: "scripted" },
        tools: [],
      };
      const options = { token: attacker.token, body: prompt };
      const { status } = await send(act, "POST", "/api/v1/prompts/", options);
      if (status === 200) act.breach("a poisoned script was stored");
    },
  },
  {
    name: "a chat whose script has 500 large patterns",
    run: async ({ attacker }, act) => {
      const from = someAddress(act.nth);
      const opened = await send(act, "POST", "/chat/v1/sessions", {
        from,
        body: { client_id: attacker.poisoned_chat },
      });
      const chat = parsed<{ session_id: string; token: string }>(opened);
      if (!chat?.session_id) return;
      const path = `/chat/v1/sessions/${chat.session_id}/messages?token=${chat.token}`;
      await send(act, "POST", path, { from, body: { text: "ab".repeat(1_900) } });
    },
  },
  {
    name: "searches in every list",
    run: ({ attacker }, act) =>
      Promise.all(
        ["sessions", "events", "audit_entries", "agents", "suppressions", "tools"].map((name) =>
          send(act, "GET", `/api/v1/${name}/?search_fields=source&search_field_values=49151&limit=100`, {
            token: attacker.token,
          }),
        ),
      ),
  },
  {
    name: "wrong passwords for many accounts",
    run: (_world, act) =>
      Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          send(act, "POST", "/api/console/sign-in", {
            from: someAddress(act.nth + n),
            body: { email: `a${act.nth}-${n}@example.com`, password: "wrong" },
          }),
        ),
      ),
  },
  {
    name: "wrong passwords for one account",
    run: ({ victim }, act) =>
      Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          send(act, "POST", "/api/console/sign-in", {
            from: someAddress(10 * act.nth + n),
            body: { email: victim.email, password: `wrong ${n}` },
          }),
        ),
      ),
  },
  {
    name: "guessed codes and tokens",
    run: (_world, act) =>
      Promise.all([
        send(act, "GET", `/sign-in?code=guess-${act.nth}`, { from: someAddress(act.nth) }),
        ...["", "x", "a".repeat(43), "a".repeat(8_000)].map((token) =>
          send(act, "GET", "/api/v1/agents/", { token }),
        ),
      ]),
  },
];
