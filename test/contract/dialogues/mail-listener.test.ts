import { connect, type Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log.ts";
import { type MailReceiver, startMailListener } from "../../../src/carriers/smtp/mail-listener.ts";
import { WAITING } from "../../harness/waiting.ts";

const KILO = "x".repeat(1022);
const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map((close) => close())));

/** A listener with room for four kilobytes, whose receiver keeps what it takes until it is let go. */
async function listener() {
  const waiting: (() => void)[] = [];
  const received: { size: number; name: string; address: string }[] = [];
  const receiver: MailReceiver = {
    isKnown: async () => true,
    receive: (raw, _envelope, client) =>
      new Promise<void>((resolve) => {
        received.push({ size: raw.length, ...client });
        waiting.push(resolve);
      }),
  };
  const options = { port: 0, host: "127.0.0.1", log: silentLog, tls: null, most_held_bytes: 4096 };
  const started = await startMailListener(receiver, options);
  closing.push(started.close);
  return { port: started.port, received, letGo: () => waiting.shift()?.() };
}

/** A conversation in SMTP, a line and its answer at a time. */
async function sender(port: number) {
  const socket: Socket = connect(port, "127.0.0.1");
  closing.push(() => socket.destroy());
  const lines: string[] = [];
  let wanted: ((line: string) => void) | null = null;
  let rest = "";
  socket.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\r\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.filter((line) => /^\d{3} /.test(line)));
    const next = wanted && lines.shift();
    if (next && wanted) {
      const tell = wanted;
      wanted = null;
      tell(next);
    }
  });
  const answer = () =>
    new Promise<string>((resolve) => {
      const line = lines.shift();
      if (line === undefined) wanted = resolve;
      else resolve(line);
    });
  const ask = (line: string) => {
    socket.write(`${line}\r\n`);
    return answer();
  };
  await answer();
  await ask("HELO mx.sender.example");
  return {
    /** A mail of so many kilobytes, but for its last dot. */
    async begin(kilobytes: number) {
      await ask("MAIL FROM:<ann@example.com>");
      await ask("RCPT TO:<support@clinic.example>");
      await ask("DATA");
      for (let n = 0; n < kilobytes; n++) socket.write(`${KILO}\r\n`);
    },
    end: () => ask("."),
    answer,
  };
}
const until = async (holds: () => boolean) => {
  const deadline = performance.now() + WAITING.timeout;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error("never came about");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

describe("mails that come in at once", () => {
  test("over the memory they may take are told to come again, and the next one is taken", async () => {
    const { port, received, letGo } = await listener();
    const [first, second] = [await sender(port), await sender(port)];
    await first.begin(3);
    const taken = first.end();
    await until(() => received.length === 1);
    expect(received[0]).toMatchObject({ name: "mx.sender.example", address: "127.0.0.1" });

    await second.begin(2);
    expect(await second.end()).toMatch(/^452 4\.3\.1 /);
    letGo();
    expect(await taken).toMatch(/^250 /);

    // The same connection comes again, and there is room.
    await second.begin(3);
    const later = second.end();
    await until(() => received.length === 2);
    letGo();
    expect(await later).toMatch(/^250 /);
  });

  test("give their room back when their sender hangs up or their mail can't be stored", async () => {
    const { port, received, letGo } = await listener();
    for (let n = 0; n < 3; n++) {
      const socket = connect(port, "127.0.0.1");
      const said = ["HELO x", "MAIL FROM:<a@b.example>", "RCPT TO:<c@d.example>", "DATA"].join("\r\n");
      socket.write(`${said}\r\n${`${KILO}\r\n`.repeat(3)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      socket.destroy();
    }
    const last = await sender(port);
    let answered = "";
    // The hung-up connections are noticed in their own time.
    for (let n = 0; n < 200 && !answered.startsWith("250"); n++) {
      await last.begin(3);
      const answer = last.end();
      await Promise.race([answer, until(() => received.length > 0)]);
      letGo();
      answered = await answer;
    }
    expect(answered).toMatch(/^250 /);
  });
});
