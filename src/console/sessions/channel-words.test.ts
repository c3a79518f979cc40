import { expect, test } from "vitest";
import { channelWords } from "./channel-words.ts";

test.each([
  ["voice_twilio_v1", true, "call, simulated"],
  ["email_v1", true, "e-mail, simulated"],
  ["voice_twilio_v1", false, "call"],
  ["web_chat_v1", undefined, "web chat"],
  ["fax_v2", null, "fax"],
])("a session of %s, simulated: %s, is shown as %s", (channel_manager_type, simulated, expected) => {
  expect(channelWords({ channel_manager_type, simulated })).toBe(expected);
});
