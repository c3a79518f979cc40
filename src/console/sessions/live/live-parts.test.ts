import fc from "fast-check";
import { expect, test } from "vitest";
import { type LivePart, withAgentWords, withCaption, withNews } from "./live-parts.ts";

const after = (...news: [string, object][]) =>
  news.reduce<readonly LivePart[]>((parts, [event, data]) => withNews(parts, { event, data }), []);

test("words grow as they are written, and what is stored takes their place", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1 }), { minLength: 1 }), fc.string(), (deltas, stored) => {
      const written = after(...deltas.map((text): [string, object] => ["delta", { text }]));
      expect(written).toMatchObject([{ text: deltas.join(""), final: false }]);
      expect(withNews(written, { event: "message", data: { text: stored } })).toMatchObject([
        { text: stored, final: true },
      ]);
    }),
  );
});

test("a tool runs until its result comes, and words after it are words of their own", () => {
  const call = { tool_call_id: "1", tool_name: "find_slots" };
  const running = after(["delta", { text: "One moment." }], ["message", { text: "One moment." }]);
  const called = withNews(running, { event: "tool_call", data: call });
  expect(called.at(-1)).toMatchObject({ kind: "tool", name: "find_slots", duration_ms: null });
  const done = withNews(called, { event: "tool_result", data: { ...call, error: null, duration_ms: 12 } });
  expect(done.at(-1)).toMatchObject({ error: null, duration_ms: 12 });
  expect(withNews(done, { event: "delta", data: { text: "Nine" } })).toHaveLength(3);
  expect(withNews(done, { event: "language", data: { language: "de" } })).toBe(done);
});

test("captions of one side are replaced until they are final, whatever the other side says meanwhile", () => {
  const said = [
    { role: "user", text: "when", final: false },
    { role: "agent", text: "Hello.", final: true },
    { role: "user", text: "when are you open", final: true },
    { role: "user", text: "today", final: false },
  ] as const;
  const parts = said.reduce<readonly LivePart[]>(withCaption, []);
  expect(parts.map((part) => part.kind === "words" && part.text)).toEqual([
    ...["when are you open", "Hello.", "today"],
  ]);
  // "Today" was no word after all.
  const none = withCaption(parts, { role: "user", text: "", final: false });
  expect(none.map((part) => part.kind === "words" && part.text)).toEqual(["when are you open", "Hello."]);
  expect(withCaption(none, { role: "user", text: "", final: false })).toEqual(none);
});

test("the agent's words of a call become what was heard of them, and those of which nothing was heard go", () => {
  const said = [
    { role: "agent", text: "Hello.", final: true },
    { role: "user", text: "when are you open", final: true },
    { role: "agent", text: "We are open.", final: true },
    { role: "agent", text: "On every day.", final: true },
  ] as const;
  const parts = said.reduce<readonly LivePart[]>(withCaption, []);
  const cut = withAgentWords(parts, ([first = ""]) => [first, "We are —", ""]);
  expect(cut.map((part) => part.kind === "words" && part.text)).toEqual([
    ...["Hello.", "when are you open", "We are —"],
  ]);
});
