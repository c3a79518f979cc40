import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { LANGUAGES, type LanguageCode } from "./languages.ts";
import { offlineArguments, speakOffline } from "./speech-offline.ts";
import type { Speech } from "./speech-service.ts";
import { findVoice } from "./voices.ts";

const folder = mkdtempSync(path.join(tmpdir(), "parley-speech-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** In place of the program, which not every machine has: it tells what it was given. */
function program(script: string): string {
  const file = path.join(folder, `program-${Math.random()}`);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const voice = findVoice("OpenAI", "Alloy");
if (!voice) throw new Error("there is no such voice");
const speech: Speech = {
  text: '$(touch /x) `ls` -w file; "hi"',
  language: "en-US",
  voice,
  speed: null,
  pitch: null,
};

test("every language has a voice, as fast and high as asked within what the program takes", () => {
  for (const language of Object.keys(LANGUAGES) as LanguageCode[]) {
    expect(offlineArguments({ language, voice, speed: null, pitch: null })[1]).toMatch(/^[a-z0-9-]+\+f3$/);
  }
  expect(offlineArguments({ language: "es-US", voice, speed: 4, pitch: 20 })).toEqual([
    "-v",
    "es-419+f3",
    "-s",
    "450",
    "-p",
    "90",
    "--stdin",
    "--stdout",
  ]);
});

test("the text goes in as it is, and no shell or option reads it", async () => {
  const sound = await speakOffline(speech, program('echo "$@"; cat'));
  expect(sound?.bytes.toString()).toBe(`-v en-us+f3 -s 175 -p 50 --stdin --stdout\n${speech.text}`);
  expect(sound?.content_type).toBe("audio/wav");
});

test("a program that is not there is no voice; one that fails or makes no end is told in words", async () => {
  expect(await speakOffline(speech, path.join(folder, "nothing"))).toBeNull();
  await expect(speakOffline(speech, program("cat >/dev/null; exit 1"))).rejects.toThrow("could not speak");
  await expect(speakOffline(speech, program("exit 0"))).rejects.toThrow("could not speak");
  await expect(speakOffline(speech, program("exec cat /dev/zero"))).rejects.toThrow("could not speak");
});
