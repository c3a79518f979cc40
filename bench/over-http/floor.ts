import Fastify from "fastify";
import pg from "pg";

/**
 * What somebody writes by hand in an afternoon: a turn with one tool call, stored in two commits, and nothing else. No
 * lease, no second try, no trace, no permission, no streaming to the person; a process that dies in between forgets what
 * the tool did. Started with the services' address and the way to its database; sends its own address.
 */
const [services, database] = process.argv.slice(2) as [string, string];
const pool = new pg.Pool({ ...JSON.parse(database), max: 20 });
await pool.query(`
  create table chats (id bigint generated always as identity primary key);
  create table messages (id bigint generated always as identity primary key,
    chat_id bigint not null references chats, role text not null, content jsonb not null);
  create index on messages (chat_id, id)`);

type Message = {
  role: string;
  content: string | null;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
};
type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

const TOOLS = [
  {
    type: "function",
    function: {
      name: "find",
      description: "Does find",
      parameters: { type: "object", properties: { day: { type: "string" } } },
    },
  },
];

/** One answer of the model, put together from its stream. */
async function ask(messages: Message[]): Promise<Message> {
  const response = await fetch(`${services}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "Bearer sk" },
    body: JSON.stringify({ model: "m", stream: true, messages, tools: TOOLS }),
  });
  let content = "";
  const tool_calls: ToolCall[] = [];
  for (const line of (await response.text()).split("\n")) {
    if (!line.startsWith("data: {")) continue;
    const { choices } = JSON.parse(line.slice(6)) as {
      choices: { delta: { content?: string; tool_calls?: (Partial<ToolCall> & { index: number })[] } }[];
    };
    const delta = choices[0]?.delta;
    content += delta?.content ?? "";
    for (const { index, id, function: part } of delta?.tool_calls ?? []) {
      tool_calls[index] ??= { id: id ?? "", type: "function", function: { name: "", arguments: "" } };
      const call = tool_calls[index];
      call.function.name += part?.name ?? "";
      call.function.arguments += part?.arguments ?? "";
    }
  }
  return tool_calls.length > 0
    ? { role: "assistant", content: null, tool_calls }
    : { role: "assistant", content };
}

async function store(chat: string, messages: Message[]): Promise<void> {
  await pool.query(
    "insert into messages (chat_id, role, content) select $1, m ->> 'role', m from jsonb_array_elements($2::jsonb) m",
    [chat, JSON.stringify(messages)],
  );
}

const server = Fastify();
server.post("/chats", async () => {
  const { rows } = await pool.query("insert into chats default values returning id");
  return rows[0];
});
server.post<{ Params: { id: string }; Body: { text: string } }>("/chats/:id/messages", async (request) => {
  const { id } = request.params;
  await store(id, [{ role: "user", content: request.body.text }]);
  const { rows } = await pool.query("select content from messages where chat_id = $1 order by id", [id]);
  const history: Message[] = [
    { role: "system", content: "You are a test." },
    ...rows.map(({ content }) => content),
  ];
  const added: Message[] = [];
  for (;;) {
    const answer = await ask([...history, ...added]);
    added.push(answer);
    if (!answer.tool_calls) break;
    for (const { id: tool_call_id, function: called } of answer.tool_calls) {
      const { day } = JSON.parse(called.arguments) as { day: string };
      const result = await fetch(`${services}/slots?day=${encodeURIComponent(day)}`);
      added.push({ role: "tool", tool_call_id, content: await result.text() });
    }
  }
  await store(id, added);
  return { text: added.at(-1)?.content };
});
process.send?.(await server.listen({ port: 0, host: "127.0.0.1" }));
process.on("disconnect", () => process.exit());
