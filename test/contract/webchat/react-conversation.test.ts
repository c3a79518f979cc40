import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createAgent } from "../../harness/agent.ts";
import { createTestApp } from "../../harness/app.ts";

/** The conversation of `@parley/react`, without React and a browser. Its types are those of a page, so none are read here. */
const SOURCE = path.resolve(import.meta.dirname, "../../../sdk/react/conversation.ts");
type State = { isAnswering: boolean; messages: { role?: string; text?: string }[] };

let server: string;
let target: string;
beforeAll(async () => {
  const app = await createTestApp();
  server = await app.listen();
  ({ target } = await createAgent(app, { script: 'on /.*/ -> say "You said: {user.text}"' }));
});

test("what a visitor writes first is answered, though the browser remembers another's conversation", async () => {
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", new EventTarget());
  onTestFinished(() => void vi.unstubAllGlobals());
  const { Conversation } = await import(SOURCE);
  const session = { id: "1", token: "of-ada", user: "ada" };
  let kept = JSON.stringify({ session, outbox: [{ id: "m1", text: "Ada's own words" }] });
  const memory = {
    read: () => kept,
    keep(text: string) {
      kept = text;
    },
  };
  const conversation = new Conversation({ server, target, memory });
  onTestFinished(() => conversation.close());
  const shown = new Promise<State>((resolve) =>
    conversation.subscribe(() => {
      const state: State = conversation.state();
      if (!state.isAnswering && state.messages.at(-1)?.role === "agent") resolve(state);
    }),
  );
  conversation.send("hello");
  const { messages } = await shown;
  expect(messages.map(({ text }) => text)).toEqual(["hello", "You said: hello"]);
});
