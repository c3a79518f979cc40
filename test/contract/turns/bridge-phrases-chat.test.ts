import { beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { endpointTool } from "../../harness/endpoint-tool.ts";
import { createPeer, json } from "../../harness/peer.ts";
import { WAITING } from "../../harness/waiting.ts";

let app: TestApp;
let url: string;
beforeAll(async () => {
  app = await createTestApp();
  url = await app.listen();
});

test("a chat whose answer takes long gets the agent's bridge phrases in the visitor's language, and the model never reads them", async () => {
  const config = {
    phrases: {
      messages: ["One moment.", "Still there?"],
      localized: { en: { messages: ["A moment, please."] } },
    },
    smart_turn_timeout_seconds: 1,
  };
  const phrases = await app.send("POST", "/api/v1/bridge_phrases/", { name: "Chat", config });
  const peer = await createPeer();
  const told = Promise.withResolvers<void>();
  peer.respond((_, response) => void told.promise.then(() => json(response, 200, {})));
  const { target } = await createAgent(app, {
    script: 'otherwise -> call look_up {}\nafter look_up -> say "Here it is."',
    tools: [endpointTool("look_up", `${peer.url}/look-up`)],
    agent: { bridge_phrases_id: phrases.body.id },
  });
  const opened = await app.sendAs(null)("POST", "/chat/v1/sessions", { client_id: target });
  const { session_id, token } = opened.body;
  const socket = new WebSocket(
    `${url.replace("http", "ws")}/chat/v1/sessions/${session_id}/socket?token=${token}`,
  );
  const events: { type: string; text?: string }[] = [];
  socket.on("message", (frame) => events.push(JSON.parse(String(frame))));
  await new Promise((resolve) => socket.on("open", resolve));
  socket.send(JSON.stringify({ text: "find it", id: "1" }));

  await vi.waitFor(async () => {
    const { lease_owner } = await app.db
      .selectFrom("sessions")
      .select("lease_owner")
      .where("id", "=", Number(session_id))
      .executeTakeFirstOrThrow();
    expect(lease_owner).not.toBeNull();
  }, WAITING);
  // No faster than a lease is renewed.
  await vi.waitFor(() => {
    app.clock.advance(20);
    expect(events).toContainEqual({ type: "aside", text: "A moment, please." });
  }, WAITING);
  told.resolve();
  await vi.waitFor(() => expect(events.at(-1)).toEqual({ type: "answered", id: "1" }), WAITING);
  socket.close();

  const said = await app.send("GET", `/api/v1/sessions/transcript/${session_id}`);
  const texts = said.body.transcription.map(({ text }: { text: string }) => text);
  expect(texts.slice(0, 2)).toEqual(["find it", "A moment, please."]);
  expect(texts.at(-1)).toBe("Here it is.");
  const again = await app.sendAs(null)("GET", `/chat/v1/sessions/${session_id}?token=${token}`);
  expect(again.body.messages.map(({ text }: { text: string }) => text)).toEqual(["find it", "Here it is."]);
});
