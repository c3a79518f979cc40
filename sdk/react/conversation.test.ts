import { expect, onTestFinished, test, vi } from "vitest";
import { createPeer, json } from "../../test/harness/peer.ts";
import { Conversation } from "./conversation.ts";

test("who writes in a chat that their site may not use reads that, and not that a conversation ended", async () => {
  const refusal = "This chat can't be used from https://shop.example.";
  const peer = await createPeer();
  peer.respond((_, response) => json(response, 403, { detail: refusal }));
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  onTestFinished(() => void vi.unstubAllGlobals());

  const chat = new Conversation({ server: peer.url, target: "clinic", memory: null });
  chat.open();
  await expect.poll(() => chat.state().error).toBe(refusal);
  chat.send("hello");
  expect(chat.state()).toMatchObject({ status: "ended", error: refusal, messages: [] });
});
