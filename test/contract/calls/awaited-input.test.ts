import { expect, test } from "vitest";
import type { CallOutput } from "../../../src/channels/call-socket.ts";
import type { AwaitedInput } from "../../../src/workflows/awaited-input.ts";
import { createTestApp } from "../../harness/app.ts";
import { createNumber, incoming } from "../../harness/phone.ts";

const parameters = { type: "object", properties: {} };
const flow = {
  type: "context",
  tool: { type: "function", function: { name: "flow", description: "flow", parameters } },
  context: {
    task: {
      type: "steps",
      version: "v1alpha",
      id: "booking",
      tool: { name: "submit", description: "Moves on" },
      steps: [
        {
          id: "KIND",
          goal: "Ask what for",
          inputs: [{ name: "kind", type: "string", enum: ["check_up", "cleaning"] }],
          next: ["PHONE"],
        },
        {
          id: "PHONE",
          goal: "Ask for the number",
          inputs: [{ name: "phone", type: "string", pattern: "^\\d{4}$" }],
          next: ["END"],
        },
        { id: "END", goal: "End" },
      ],
    },
  },
};

test("a line that listens by itself is told what the open step waits for: after the greeting, and after each turn", async () => {
  const app = await createTestApp();
  const { number } = await createNumber(app, {
    script:
      'on "cleaning" -> call submit {"kind": "cleaning"}\non "1234" -> call submit {"phone": "1234"}\notherwise -> say "Yes?"',
    greeting: { text: "What for?" },
    tools: [flow as never],
  });
  const answered = await app.voiceCalls.answer(incoming(number));
  if (!answered || "dial" in answered) throw new Error("not answered");
  const awaited: AwaitedInput[] = [];
  const outputs: CallOutput[] = [];
  const call = await app.voiceCalls.open(answered.call_id, answered.token, {
    send: (output) => outputs.push(output),
    close: () => {},
    awaits: (input) => awaited.push(input),
  });
  const says = (text: string) => call?.input({ type: "speech", text, final: true, lang: null });
  call?.input({ type: "open", sid: answered.call_id });
  await expect.poll(() => awaited.at(-1)).toEqual({ kind: "choice", choices: ["check up", "cleaning"] });
  call?.input({ type: "played" });
  says("a cleaning");
  await expect.poll(() => awaited.at(-1)).toEqual({ kind: "dictated", characters: 4 });
  call?.input({ type: "played" });
  says("1234");
  await expect.poll(() => awaited.at(-1)).toEqual({ kind: "free" });
  call?.input({ type: "closed" });
});
