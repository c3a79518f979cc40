import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../harness/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const path = "/api/v1/voice_groups/";
const english = (more: object = {}) => ({
  language_code: "en-US",
  voice_provider: "ElevenLabs",
  voice_display_name: "Alice",
  dtmf_code: 1,
  ...more,
});
const spanish = (more: object = {}) => ({
  language_code: "es-US",
  voice_provider: "Google",
  voice_display_name: "Kore (Spanish)",
  dtmf_code: 2,
  ...more,
});
const group = (name: string, language_configs: object[] = [english()], more: object = {}) => ({
  name,
  language_configs,
  skip_current_language_in_message: true,
  ...more,
});
const create = async (...of: Parameters<typeof group>) => {
  const answer = await app.send("POST", path, group(...of));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
};

describe("whether the menu leaves out the language being spoken", () => {
  const skips = (body: {
    skip_current_language_in_message: boolean;
    language_configs: { skip_current_language_in_message: boolean }[];
  }) => [
    body.skip_current_language_in_message,
    body.language_configs.map((config) => config.skip_current_language_in_message),
  ];
  const own = (flag: boolean) => ({ skip_current_language_in_message: flag });

  test("is the group's to say, and a language's where it says so itself", async () => {
    expect(skips(await create("Group says", [english(), spanish()]))).toEqual([true, [true, true]]);
    expect(skips(await create("One differs", [english(), spanish(own(false))]))).toEqual([
      true,
      [true, false],
    ]);
  });

  test("may be said by every language alone, and is missing when one does not", async () => {
    const send = (name: string, configs: object[]) =>
      app.send("POST", path, { name, language_configs: configs });
    const both = await send("Each says", [english(own(true)), spanish(own(false))]);
    expect(skips(both.body)).toEqual([false, [true, false]]);
    for (const configs of [[], [english(own(true)), spanish()]]) {
      expect((await send("Nobody says", configs)).body.detail).toEqual([
        { loc: ["body", "skip_current_language_in_message"], msg: "Field required", type: "missing" },
      ]);
    }
  });

  test("follows the group when a client changes that and sends the languages back as they came", async () => {
    const made = await create("Echo", [english(), spanish(own(false))]);
    const flipped = await app.send("PUT", path, { ...made, skip_current_language_in_message: false });
    expect(skips(flipped.body)).toEqual([false, [false, false]]);
  });

  test("follows the languages when a client changes those", async () => {
    const made = await create("Turned", [english(), spanish()]);
    const [first, second] = made.language_configs;
    const language_configs = [first, { ...second, ...own(false) }];
    const changed = await app.send("PUT", path, { ...made, language_configs });
    expect(skips(changed.body)).toEqual([true, [true, false]]);
    const { skip_current_language_in_message: _, ...alone } = changed.body;
    expect(skips((await app.send("PUT", path, alone)).body)).toEqual([false, [true, false]]);
  });
});
