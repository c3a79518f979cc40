import { connect } from "node:net";

/** Where the program under attack is: on loopback only. */
export type Victim = { url: string; token: string; mailPort: number; mailbox: string; target: string };

/** One hostile act, bounded in bytes and time. It may be refused in any way; the program must only go on. */
export type Attack = { name: string; run(victim: Victim, nth: number): Promise<unknown> };

const ACT_MS = 20_000;
const post = (victim: Victim, path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(`${victim.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
    signal: AbortSignal.timeout(ACT_MS),
  }).then((answer) => answer.arrayBuffer());
const asTenant = (victim: Victim, path: string, body: string) =>
  post(victim, path, body, { "Service-API-Key": victim.token });
const read = (victim: Victim, path: string) =>
  fetch(`${victim.url}${path}`, {
    headers: { "Service-API-Key": victim.token },
    signal: AbortSignal.timeout(ACT_MS),
  }).then((answer) => answer.arrayBuffer());

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

const toolOf = (parameters: object) =>
  JSON.stringify({
    name: "attack",
    definition: {
      type: "endpoint",
      tool: { type: "function", function: { name: "attack", description: "x", parameters } },
      endpoint: { url: "http://127.0.0.1:9/x", method: "POST" },
    },
  });
const wide = { type: "object", properties: { a: { type: "string", pattern: "[ab]{0,1000}".repeat(10) } } };
const wrongSteps = `{"name":"x","definition":{"type":"context","context":{"task":{"type":"steps","steps":[${Array(60_000).fill("{}").join(",")}]}}}}`;
const html = (text: string, count: number) =>
  `From: Eve <eve@evil.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${text.repeat(count).replace(/.{900}/g, "$&\r\n")}\r\n`;
const MAILS = {
  "a mail of 1 MB of <div>": html("<div>", 200_000),
  "a mail of tables in tables": html("<table><tr><td>", 60_000),
  "a mail of 20,000 parts in each other": Array.from(
    { length: 20_000 },
    (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
  ).join(""),
};

/** Speaks SMTP as far as it is let, then hangs up. */
function mail(victim: Victim, raw: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(victim.mailPort, "127.0.0.1").setEncoding("utf8");
    const lines = [
      "HELO evil.example",
      "MAIL FROM:<eve@evil.example>",
      `RCPT TO:<${victim.mailbox}>`,
      "DATA",
      raw,
      ".",
    ];
    socket.setTimeout(ACT_MS, () => socket.destroy());
    socket.on("data", () => {
      const line = lines.shift();
      if (line === undefined) socket.end();
      else socket.write(`${line}\r\n`);
    });
    socket.on("error", () => {});
    socket.once("close", () => resolve());
  });
}

/** Connections that say nothing, for two seconds. */
const idle = (port: number, many: number): Promise<unknown> =>
  Promise.all(
    Array.from(
      { length: many },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(port, "127.0.0.1");
          socket.setTimeout(2_000, () => socket.destroy());
          socket.on("error", () => {});
          socket.once("close", () => resolve());
        }),
    ),
  );

const at = (url: string): number => Number(new URL(url).port);

export const ATTACKS: Attack[] = [
  ...Object.entries(MAILS).map(([name, raw]) => ({ name, run: (victim: Victim) => mail(victim, raw) })),
  { name: "idle SMTP connections", run: (victim) => idle(victim.mailPort, 40) },
  { name: "idle HTTP connections", run: (victim) => idle(at(victim.url), 100) },
  {
    name: "a schema that doubles itself",
    run: (victim) => asTenant(victim, "/api/v1/tools/check", toolOf(doubling())),
  },
  { name: "ten wide patterns", run: (victim) => asTenant(victim, "/api/v1/tools/check", toolOf(wide)) },
  { name: "sixty thousand wrong steps", run: (victim) => asTenant(victim, "/api/v1/tools/", wrongSteps) },
  {
    name: "1 MB of lists in lists",
    run: (victim) => asTenant(victim, "/api/v1/agents/", `${"[".repeat(400_000)}${"]".repeat(400_000)}`),
  },
  {
    name: "searches for a number in every list",
    run: (victim) =>
      Promise.all(
        ["sessions", "events", "audit_entries", "session_labels"].map((list) =>
          read(victim, `/api/v1/${list}/?search_fields=source&search_field_values=49151&limit=100`),
        ),
      ),
  },
  {
    name: "wrong passwords",
    run: (victim, nth) =>
      Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          post(
            victim,
            "/api/console/sign-in",
            JSON.stringify({ email: `a${nth}-${n}@example.com`, password: "x" }),
            {
              "x-forwarded-for": `203.0.113.${(nth + n) % 250}`,
            },
          ),
        ),
      ),
  },
  {
    name: "forged identities of visitors",
    run: (victim, nth) =>
      post(
        victim,
        "/chat/v1/sessions",
        JSON.stringify({ client_id: victim.target, user_id: "+15550100", identity_token: "x.y.z" }),
        {
          "x-forwarded-for": `198.51.100.${nth % 250}`,
        },
      ),
  },
  {
    name: "stalled uploads",
    run: (victim) =>
      new Promise<void>((resolve) => {
        const socket = connect(at(victim.url), "127.0.0.1");
        socket.write(
          "POST /carriers/sendgrid/1/inbound HTTP/1.1\r\nhost: x\r\ncontent-length: 10000000\r\n\r\n",
        );
        socket.setTimeout(2_000, () => socket.destroy());
        socket.on("error", () => {});
        socket.once("close", () => resolve());
      }),
  },
];

/** The same order for the same seed, so that a finding can be had again. */
export function shuffled(attacks: Attack[], random: () => number): Attack[] {
  return attacks
    .map((attack) => ({ attack, key: random() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ attack }) => attack);
}
