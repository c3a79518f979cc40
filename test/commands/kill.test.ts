import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRandom } from "../harness/fuzz/random.ts";
import { rounds, SEED } from "../harness/seed.ts";
import { type Answer, type Program, parley, send, usedFolder } from "./program.ts";

const ROUNDS = rounds(1, 20);
const random = createRandom(SEED);
/** A session takes 120 messages a minute. */
const MESSAGES = ROUNDS * 15;

test(`kill -9 at random moments loses no acknowledged chat message and doubles none (seed ${SEED})`, async () => {
  const { folder } = await usedFolder();
  let program = parley(["start"], { folder });
  const { url } = await program.ready();
  const env = { PORT: new URL(url).port };
  const { body: chat } = await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" });
  const path = `${url}/chat/v1/sessions/${chat.session_id}`;

  const acknowledged: string[] = [];
  let resent = 0;
  let done = false;
  /** As the page does: each message until it is answered, always under its own number. */
  const talk = async () => {
    for (let n = 1; n <= MESSAGES; n++) {
      const id = `message-${n}`;
      const message = { text: `When are you open? (${n})`, id };
      for (let answer = await trySend(path, chat.token, message); answer?.status !== 200; resent++) {
        if (answer) expect([503, 429]).toContain(answer.status);
        // Below the session's limit also where a turn takes a second.
        await sleep(answer ? 500 : 50);
        answer = await trySend(path, chat.token, message);
      }
      acknowledged.push(id);
    }
    done = true;
  };
  const killAndStart = async (): Promise<void> => {
    for (let round = 0; round < ROUNDS && !done; round++) {
      const reached = acknowledged.length;
      while (acknowledged.length < reached + 4 && !done) await sleep(5);
      await sleep(random.int(200));
      await program.end("SIGKILL");
      program = await startAgain(folder, env);
    }
  };
  await Promise.all([talk(), killAndStart()]);

  const { body } = await send("GET", `${path}?token=${chat.token}`);
  const said = body.messages as { role: string; text: string; id: string | null }[];
  expect(said[0]).toMatchObject({ role: "agent", text: chat.greeting });
  const expected = acknowledged.flatMap((id, n) => [
    { role: "user", text: `When are you open? (${n + 1})`, id },
    { role: "agent", text: expect.stringContaining("Monday to Friday"), id: null },
  ]);
  expect(said.slice(1).map(({ role, text, id }) => ({ role, text, id }))).toEqual(expected);
  expect(resent).toBeGreaterThan(0);
});

async function trySend(path: string, token: string, message: object): Promise<Answer | null> {
  return send("POST", `${path}/messages?token=${token}`, message).catch(() => null);
}

async function startAgain(folder: string, env: Record<string, string>): Promise<Program> {
  const program = parley(["start"], { folder, env });
  await program.ready();
  return program;
}
