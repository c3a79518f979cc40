import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { DEMO_TARGET } from "../../src/demo/seed.ts";
import { startProgram } from "../harness/start-program.ts";
import { ATTACKS, shuffled } from "./soak-attacks.ts";
import { seededRandom } from "./soak-random.ts";
import { type Figures, runSoak } from "./soak-run.ts";

/**
 * All attacks, one after the other, beside fifty chats, against a program started for this on loopback:
 *
 *   ./parley attack [--minutes 10] [--seed 1]
 *
 * Prints for each the chats' p95 and the main loop's longest block. Exit code 1 where the program or a chat died.
 */
const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0 && minutes <= 60)) throw new Error("--minutes takes a number up to 60");

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });

/** An address with an agent behind it, so that hostile mails are read and not refused by their address. */
async function createMailbox(url: string, token: string): Promise<string> {
  const call = async (path: string, body?: object) => {
    const answer = await fetch(`${url}/api/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: { "Service-API-Key": token, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const found = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(found)}`);
    return found as { id: number; items: { id: number }[] };
  };
  const domain = "mail.clinic.example";
  const { items } = await call("/agents/");
  const config = { email: { sending_domain: domain } };
  const { id } = await call("/channels/", { name: domain, channel_service: "email", config });
  const target = `support@${domain}`;
  await call(`/channels/${id}/targets`, {
    agent_id: items[0]?.id,
    channel_id: id,
    target,
    target_mode: "email",
  });
  return target;
}

const print = (line: string) => process.stdout.write(`${line}\n`);
const row = ({ name, acts, turns, failed, p95_ms, block_ms }: Figures) =>
  `${name.padEnd(40)}${[acts, turns, failed, p95_ms, block_ms].map((value) => String(value).padStart(10)).join("")}`;

const folder = mkdtempSync(path.join(tmpdir(), "parley-attack-"));
const mailPort = await freePort();
const program = await startProgram(folder, {
  TRUST_PROXY: "1",
  MAIL_PORT: String(mailPort),
  MAIL_CHECK_SENDERS: "off",
  LOG_LEVEL: "silent",
});
let died = false;
try {
  const { url, token = "" } = program.greeting;
  print(
    `${"attack".padEnd(40)}${["acts", "turns", "failed", "p95 ms", "block ms"].map((head) => head.padStart(10)).join("")}`,
  );
  const attacks = shuffled(ATTACKS, seededRandom(Number(values.seed)));
  const victim = { url, token, mailPort, mailbox: await createMailbox(url, token), target: DEMO_TARGET };
  const all = await runSoak(victim, attacks, minutes * 60_000, (figures) => print(row(figures)));
  const ready = (await fetch(`${url}/readyz`)).status === 200;
  died = !ready || all.some(({ failed }) => failed > 0);
  const quiet = all[0]?.p95_ms ?? Number.NaN;
  const worst = Math.max(...all.slice(1).map(({ p95_ms }) => p95_ms));
  print(
    `p95 quiet ${quiet} ms, at worst ${worst} ms (${(worst / quiet).toFixed(1)}×); ${died ? "something died" : "nothing died"}`,
  );
} catch (error) {
  print(`the soak broke off: ${(error as Error).message}`);
  died = true;
} finally {
  await program.end("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
process.exit(died ? 1 : 0);
