import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { type PrintedTrace, traceLines } from "../../src/commands/trace-lines.ts";
import { converse, createAgent } from "../harness/agent.ts";
import { createTestApp, type TestApp } from "../harness/app.ts";

/** The worked example of docs/workflows.md: what stands there is saved, talked through and compared, line by line. */
const page = readFileSync(new URL("../../docs/workflows.md", import.meta.url), "utf8");
const example = page.slice(page.indexOf("## A worked example"));
const blocks = (language: string) =>
  [...example.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "gs"))].map(
    ([, text]) => text as string,
  );

const transcripts = blocks("text");

let app: TestApp;
let agent_id: number;
beforeAll(async () => {
  app = await createTestApp();
  const [definition] = blocks("json");
  const [script] = blocks("script");
  ({ agent_id } = await createAgent(app, {
    script: script as string,
    tools: [JSON.parse(definition as string)],
    greeting: { text: "Hello. What is your e-mail address?" },
  }));
});

test("the documentation shows the example and two conversations with it", () => {
  expect([blocks("json"), blocks("script"), transcripts].map((found) => found.length)).toEqual([1, 1, 2]);
});

test.each(transcripts)(
  "the documented conversation is what the platform says and does: %#",
  async (shown) => {
    const say = converse(app, agent_id);
    const lines: string[] = [];
    let after = 0;
    const show = async ({ text, content }: Awaited<ReturnType<typeof say>>) => {
      const path = `/api/v1/sessions/${content.session_id}/trace?after=${after}`;
      const entries: PrintedTrace[] = (await app.send("GET", path)).body.entries;
      after = entries.at(-1)?.id ?? after;
      for (const entry of entries.filter(({ category }) => category !== "turn")) {
        lines.push(...traceLines({ ...entry, duration_ms: null }).map((line) => `  ${line}`));
      }
      if (text) lines.push(...`agent › ${text}`.split("\n").filter((line) => line !== ""));
    };
    await show(await say(""));
    for (const [, text] of shown.matchAll(/^you › (.*)$/gm)) {
      lines.push(`you › ${text}`);
      await show(await say(text as string));
    }
    expect(lines.join("\n")).toBe(shown);
  },
);
