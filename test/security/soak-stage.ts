import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Connection, openDatabase } from "../../src/db/database.ts";
import { freePort } from "../harness/free-port.ts";
import { type StartedProgram, startProgram } from "../harness/start-program.ts";
import type { World } from "./soak-attack.ts";
import { startDoubles } from "./soak-doubles.ts";
import { createWorld, DOMAIN, victimsRecords } from "./soak-world.ts";

/** Few enough that a flood from one address meets the cap. */
const SOCKETS_PER_ADDRESS = 40;

const urlOf = ({ host = "", port, user = "", database }: Connection): string =>
  `postgresql:///${database}?${new URLSearchParams({ host, port: String(port), user })}`;

export type Stage = {
  world: World;
  /** What happened to the victim that may not: told when everything has been tried. */
  end(): Promise<{ died: string[]; breaches: string[] }>;
  /** The programs that are no longer there. */
  died(): string[];
  idleBlock(): Promise<number>;
  close(): Promise<void>;
};

/** So many programs on one empty database, with two organizations in them and an outside world on loopback. */
export async function setStage(connection: Connection, processes: number): Promise<Stage> {
  const folder = mkdtempSync(path.join(tmpdir(), "parley-attack-"));
  const closing: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const breaches: string[] = [];
    const doubles = await startDoubles(DOMAIN, (what) => breaches.push(what));
    closing.push(doubles.close);
    const idle = fork(path.join(import.meta.dirname, "soak-idle.ts"));
    closing.push(() => idle.kill());

    const programs: (StartedProgram & { mail_port: number })[] = [];
    for (let n = 0; n < processes; n++) {
      const own = path.join(folder, String(n));
      mkdirSync(own);
      const mail_port = await freePort();
      const program = await startProgram(own, {
        DATABASE_URL: urlOf(connection),
        SECRET_KEY: "a key that seals only what is attacked here",
        LOG_LEVEL: "silent",
        TRUST_PROXY: "1",
        EGRESS_ALLOW: "127.0.0.1",
        MAIL_PORT: String(mail_port),
        MAIL_CHECK_SENDERS: "off",
        MAIL_FROM: "parley@operator.example",
        SMTP_URL: `smtp://127.0.0.1:${doubles.smtp_port}`,
        SOCKETS_PER_ADDRESS: String(SOCKETS_PER_ADDRESS),
        TWILIO_ACCOUNT_SID: "ACoperator",
        TWILIO_AUTH_TOKEN: "the operator's token",
        TWILIO_BASE_URL: doubles.carrier_url,
      });
      closing.push(() => (program.ended() === null ? program.end("SIGTERM") : undefined));
      programs.push(Object.assign(program, { mail_port }));
    }
    const died = () =>
      programs.flatMap((program, n) => {
        const end = program.ended();
        return end === null ? [] : [`program ${n + 1} died (${end})`];
      });

    const database = openDatabase(connection);
    closing.push(database.close);
    const targets = programs.map(({ greeting, mail_port }) => ({ url: greeting.url, mail_port }));
    const operator = programs[0]?.greeting.token;
    if (operator === undefined) throw new Error("the database was not empty");
    const world = await createWorld(database.db, targets, operator, doubles);
    const before = await victimsRecords(world);
    return {
      world,
      died,
      close,
      async end() {
        const dead = died();
        for (const [n, { url }] of targets.entries()) {
          const ready = await fetch(`${url}/readyz`).catch(() => null);
          if (ready?.status !== 200) dead.push(`program ${n + 1} is not ready at the end`);
        }
        if (dead.length === 0 && (await victimsRecords(world)) !== before)
          breaches.push("records of the victim were changed");
        return { died: dead, breaches: [...new Set(breaches)] };
      },
      async idleBlock() {
        const answer = once(idle, "message");
        idle.send("");
        return Number((await answer)[0]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
