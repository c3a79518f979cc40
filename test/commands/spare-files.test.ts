import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { parley, send, until, usedFolder } from "./program.ts";

const FILES = 256;
const MOST = 192;

test("where few files may be open, those who are connected are served, others are refused, and the log says so once", async () => {
  const { folder } = await usedFolder();
  const program = parley(["start"], { folder, through: ["sh", "-c", `ulimit -n ${FILES}; exec "$@"`, "sh"] });
  const { url } = await program.ready();
  expect(program.stderr()).toContain(
    `This process may open ${FILES} files, so it takes ${MOST} connections at once. Allow it more files`,
  );

  const { body } = await send("POST", `${url}/chat/v1/sessions`, { client_id: "demo-clinic" });
  const sockets: Socket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  const open = () => sockets.filter((socket) => !socket.destroyed);
  for (let count = 0; count < FILES; count++) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await once(socket, "connect");
  }
  await until(() => open().length <= MOST);
  // The connection that this asks by was there before: it is among those that are kept.
  const path = `${url}/chat/v1/sessions/${body.session_id}/messages?token=${body.token}`;
  expect((await send("POST", path, { id: "1", text: "When are you open?" })).status).toBe(200);
  const refused = `${MOST} connections are open, and others are refused.`;
  expect(program.stderr().split(refused)).toHaveLength(2);
});
