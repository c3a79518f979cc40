import { expect, test } from "vitest";
import { createSocketDoor } from "./socket-door.ts";

test("a name that is looked up for ever is given up after the time to connect", async () => {
  const door = createSocketDoor({
    allow: { hosts: [], networks: [] },
    resolve: () => new Promise(() => {}),
  });
  const listener = { message() {}, closed() {} };
  const request = { url: "wss://speech.example", timeout_ms: 20, max_message_bytes: 1_000 };
  expect(await door.open(request, listener)).toMatchObject({ kind: "failed", status: null });
});
