import { expect, test } from "vitest";
import type { CallInput, CallOutput } from "../../channels/call-socket.ts";
import type { PronunciationOverride } from "../../speech/pronunciation-file.ts";
import { spokenForm } from "../../speech/spoken-form.ts";
import { CallCaptions, type Caption } from "./call-captions.ts";

const say = (text: string): CallOutput => ({
  type: "say",
  text,
  last: true,
  lang: null,
  interruptible: true,
});
const SIOBHAN: PronunciationOverride = {
  text: "Siobhan",
  replacement: "shiv awn",
  languages: [],
  provider: "",
  voice: "",
  match_type: "exact",
  match_options: [],
  enabled: true,
  notes: "",
};
const key = (digit: string): CallInput => ({ type: "digit", digit });
const speech = (text: string, final = true): CallInput => ({ type: "speech", text, final, lang: null });
const interrupted = (heard: string): CallInput => ({ type: "interrupted", heard });

const shown = (...events: (CallInput | CallOutput)[]): Caption[] => {
  const all: Caption[] = [];
  const captions = new CallCaptions((caption) => all.push(caption));
  for (const event of events) {
    if (event.type === "say") captions.says(event);
    else captions.hears(event as CallInput);
  }
  return all;
};
const agent = (text: string): Caption => ({ type: "words", role: "agent", text, final: true });
const user = (text: string, final: boolean): Caption => ({ type: "words", role: "user", text, final });
const unheard = (text: string): Caption => ({ type: "unheard", text });

test("an interruption tells which of the agent's last words were not heard, also over several sentences", () => {
  expect(shown(say("Good  morning."), say("How can I help?"), interrupted("Good morning. How"))).toEqual([
    agent("Good  morning."),
    agent("How can I help?"),
    unheard("can I help?"),
  ]);
  expect(shown(say("Hello."), say("We are open."), interrupted("")).at(-1)).toEqual(
    unheard("Hello. We are open."),
  );
});

test("words that were heard to their end are not cut, and nothing is cut where all was heard", () => {
  const before = [say("Hello."), { type: "played" } as const, say("We are open from eight.")];
  expect(shown(...before, interrupted("We are")).at(-1)).toEqual(unheard("open from eight."));
  expect(shown(...before, interrupted("We are open from eight.")).at(-1)).toEqual(
    agent("We are open from eight."),
  );
});

test("keys grow while they are pressed, and are what the caller said once somebody speaks", () => {
  expect(
    shown(key("4"), key("2"), say(""), say("You pressed 42."), key("#"), speech("hello", false)),
  ).toEqual([
    user("4", false),
    user("42", false),
    user("42", true),
    agent("You pressed 42."),
    user("#", false),
    user("#", true),
    user("hello", false),
  ]);
});

test("a page takes what was not heard off the agent's last texts, with a dash where they broke off", async () => {
  const page: string = "../../../public/chat/call-line.js";
  const { withoutUnheard }: { withoutUnheard(texts: string[], unheard: string): string[] } = await import(
    page
  );
  const texts = ["Hello.", "We are open.", "On every day."];
  expect(withoutUnheard(texts, "open. On every day.")).toEqual(["Hello.", "We are —", ""]);
  expect(withoutUnheard(texts, "On every day.")).toEqual(["Hello.", "We are open.", ""]);
  expect(withoutUnheard(["Hello. We are open."], "open.")).toEqual(["Hello. We are —"]);
  expect(withoutUnheard(texts, "of another call")).toEqual(texts);
});

test("words show as they are written, and are cut there, whatever the voice was given in their place", () => {
  const text = "Ask **Siobhan** at nine.";
  const how = { pronunciations: [SIOBHAN], speakers: [] };
  const output = { ...say(text), spoken: spokenForm(text, how, "en-US") } as CallOutput;
  expect(shown(output, interrupted("Ask shiv awn at"))).toEqual([agent(text), unheard("nine.")]);
  expect(shown(output, interrupted("Ask shiv")).at(-1)).toEqual(unheard("Siobhan** at nine."));
});
