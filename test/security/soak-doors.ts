import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import WebSocket from "ws";
import {
  ACT_MS,
  type Act,
  type Attack,
  HOLD_MS,
  hold,
  parsed,
  send,
  someAddress,
  type World,
} from "./soak-attack.ts";

/* Connections that hold a door open. */

const port = (act: Act): number => Number(new URL(act.target.url).port);

/** Connections that say no more than `first`, and the last code they are told; "held" where they were told none. */
const idle = (act: Act, at: number, count: number, first = "") =>
  Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<void>((resolve) => {
          const socket = connect(at, "127.0.0.1").setEncoding("utf8");
          const isMail = at === act.target.mail_port;
          let told = "";
          socket.on("data", (text: string) => {
            // Who talks to a mail server before its greeting is hung up on.
            if (isMail && told === "" && first) socket.write(first);
            told += text;
          });
          if (!isMail && first) socket.write(first);
          const timer = setTimeout(() => socket.destroy(), HOLD_MS);
          socket.on("error", () => {});
          socket.once("close", () => {
            clearTimeout(timer);
            const status = [...told.matchAll(/^(?:HTTP\/1\.1 )?(\d{3}) /gm)].at(-1)?.[1] ?? "held";
            act.answered(isMail ? `SMTP ${status}` : status);
            resolve();
          });
        }),
    ),
  );

const upload = (path: string, headers: string[]) =>
  [`POST ${path} HTTP/1.1`, "host: x", "content-length: 10000000", ...headers, "", "x"].join("\r\n");

/** A carrier's signature that is not one, on a post of this moment. */
const forged = () => [
  "content-type: multipart/form-data; boundary=b",
  "x-twilio-email-event-webhook-signature: AAAA",
  `x-twilio-email-event-webhook-timestamp: ${Math.floor(Date.now() / 1000)}`,
];

/** 101, or the status that the upgrade was refused with. */
function openSocket(act: Act, path: string, from: string): Promise<WebSocket | null> {
  return new Promise((resolve) => {
    const socket = new WebSocket(act.target.url.replace("http", "ws") + path, {
      headers: { "x-forwarded-for": from },
      handshakeTimeout: 10_000,
    });
    socket.on("error", () => resolve(null));
    socket.on("open", () => {
      act.answered(101);
      resolve(socket);
    });
    socket.on("unexpected-response", (_request, response) => {
      act.answered(response.statusCode ?? "cut off");
      socket.terminate();
      resolve(null);
    });
  });
}

async function openChat({ victim }: World, act: Act, from: string) {
  const opened = await send(act, "POST", "/chat/v1/sessions", { from, body: { client_id: victim.chat } });
  return parsed<{ session_id: string; token: string }>(opened);
}

export const DOOR_ATTACKS: Attack[] = [
  { name: "40 idle SMTP connections", run: (_world, act) => idle(act, act.target.mail_port, 40) },
  {
    name: "40 SMTP connections that stop in a mail",
    run: ({ victim }, act) =>
      idle(
        act,
        act.target.mail_port,
        40,
        `HELO x\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<${victim.mailbox}>\r\nDATA\r\nSubject: x`,
      ),
  },
  { name: "100 idle HTTP connections", run: (_world, act) => idle(act, port(act), 100) },
  {
    name: "100 requests that stop in their headers",
    run: (_world, act) => idle(act, port(act), 100, "GET /chat/v1/sessions/1 HTTP/1.1\r\nhost: x\r\nx-a:"),
  },
  {
    name: "stalled uploads without a signature",
    run: ({ victim }, act) =>
      idle(act, port(act), 20, upload(`/carriers/sendgrid/${victim.sendgrid_channel}/inbound`, [])),
  },
  {
    name: "stalled uploads with a forged signature",
    run: ({ victim }, act) =>
      idle(act, port(act), 20, upload(`/carriers/sendgrid/${victim.sendgrid_channel}/inbound`, forged())),
  },
  {
    name: "a flood of sockets",
    run: async (world, act) => {
      const from = someAddress(act.nth);
      const chats = await Promise.all(
        [0, 1, 2].map((n) => openChat(world, act, someAddress(3 * act.nth + n))),
      );
      const paths = chats.flatMap((chat) =>
        chat?.session_id ? [`/chat/v1/sessions/${chat.session_id}/socket?token=${chat.token}`] : [],
      );
      const sockets = await Promise.all(
        paths.flatMap((path) => Array.from({ length: 15 }, () => openSocket(act, path, from))),
      );
      const [one, ...others] = sockets.filter((socket) => socket !== null);
      one?.send("x".repeat(64 * 1024 + 1));
      for (const socket of others) socket.send("{");
      await hold(act);
      for (const socket of [one, ...others]) socket?.terminate();
    },
  },
  {
    name: "sockets to another's chat",
    run: async ({ victim }, act) => {
      for (const token of ["", "x", victim.user_id]) {
        const path = `/chat/v1/sessions/${victim.session}/socket?token=${token}`;
        const socket = await openSocket(act, path, someAddress(act.nth));
        if (!socket) continue;
        const heard: string[] = [];
        socket.on("message", (data) => heard.push(String(data)));
        socket.send(JSON.stringify({ id: "x", text: "Hi" }));
        const closed = new Promise<true>((resolve) => socket.once("close", () => resolve(true)));
        // It is opened before the chat is looked up, and closed where the token is not the chat's.
        if (!(await Promise.race([closed, sleep(ACT_MS, false)])))
          act.breach("a socket to another's chat stays open");
        if (heard.some((text) => JSON.parse(text).type !== "error"))
          act.breach(`another's chat was heard: ${heard.join(" ").slice(0, 120)}`);
        socket.terminate();
      }
    },
  },
];
