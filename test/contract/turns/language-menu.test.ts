import { beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { createGroup, english, type group, spanish, VOICE_GROUPS } from "../../harness/voice-groups.ts";

let app: TestApp;
beforeAll(async () => {
  app = await createTestApp();
});

const create = (...of: Parameters<typeof group>) => createGroup(app, ...of);

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
      app.send("POST", VOICE_GROUPS, { name, language_configs: configs });
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
    const flipped = await app.send("PUT", VOICE_GROUPS, { ...made, skip_current_language_in_message: false });
    expect(skips(flipped.body)).toEqual([false, [false, false]]);
  });

  test("follows the languages when a client changes those", async () => {
    const made = await create("Turned", [english(), spanish()]);
    const [first, second] = made.language_configs;
    const language_configs = [first, { ...second, ...own(false) }];
    const changed = await app.send("PUT", VOICE_GROUPS, { ...made, language_configs });
    expect(skips(changed.body)).toEqual([true, [true, false]]);
    const { skip_current_language_in_message: _, ...alone } = changed.body;
    expect(skips((await app.send("PUT", VOICE_GROUPS, alone)).body)).toEqual([false, [true, false]]);
  });
});
