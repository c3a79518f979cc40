import { expect, test } from "vitest";
import { type AudioTurn, callDemo } from "../../src/commands/simulate/simulate-audio.ts";
import { wordsApart } from "../../src/simulator/caller-ear.ts";
import { findSphinx } from "../../src/speech/local/sphinx.ts";
import { newFolder, run } from "../commands/program.ts";
import { sphinxFiles } from "../harness/sphinx.ts";

test("simulate --audio without anything to hear with says in a sentence what to install", async (context) => {
  if (findSphinx()) return context.skip();
  const { code, stdout, stderr } = await run(["simulate", "--audio"], { folder: newFolder() });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^parley: .*sudo apt install libpocketsphinx3 pocketsphinx-en-us\n$/);
});

test("a simulated person who only hears the agent is understood, answered, and hears what was written", async (context) => {
  const sphinx = await sphinxFiles();
  if (!sphinx) return context.skip();
  const shown: AudioTurn[] = [];
  const stop = new AbortController();
  // Three turns tell enough; the whole call takes a minute and more.
  const { person, agent } = await callDemo({ seed: 1, sphinx }, stop.signal, (turn) => {
    shown.push(turn);
    if (shown.length === 3) stop.abort();
  });
  const [greeting, first] = shown;
  expect(greeting).toMatchObject({ person: null, latency_ms: null });
  expect(first?.person?.said).not.toBe("");
  // Where a busy machine makes a pause in what they say, the agent begins before their last sound, and there is none.
  expect(Math.max(...shown.map(({ latency_ms }) => latency_ms ?? 0))).toBeGreaterThan(0);
  // Later ones may be spoken over, or come late on a busy machine: then what was heard is less than what was written.
  const { written = "", heard = "" } = greeting ?? {};
  expect(wordsApart(heard, written)).toBeLessThanOrEqual(Math.ceil(written.split(" ").length / 4));
  for (const turn of shown) expect(turn.heard).not.toBe("");
  expect(Math.abs(person.length - agent.length)).toBeLessThanOrEqual(320);
});
