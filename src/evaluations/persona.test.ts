import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type DialogueLine,
  offlinePersonaWords,
  personaMessages,
  personaWords,
  TestPersona,
} from "./persona.ts";

const ADA = TestPersona.parse({
  goal: "I need a cleaning on Thursday",
  manner: "in a hurry",
  facts: { "full name": "Ada Byron", "phone number": "202 555 0147" },
});

test("the offline persona says its goal, tells what it is asked for, takes the first offer, agrees, and goes", () => {
  const dialogue: DialogueLine[] = [{ by: "agent", text: "Hello!" }];
  const hear = (text: string) => {
    dialogue.push({ by: "agent", text });
    return say();
  };
  const say = () => {
    const text = offlinePersonaWords(ADA, dialogue);
    if (text !== null) dialogue.push({ by: "person", text });
    return text;
  };
  expect(say()).toBe("I need a cleaning on Thursday");
  expect(hear("I have 9:00 and 14:45. Which one would you like?")).toBe("The first one");
  expect(hear("What is your full name?")).toBe("Ada Byron");
  expect(hear("And your phone number?")).toBe("202 555 0147");
  expect(hear("Shall I book it?")).toBe("Yes, please");
  expect(hear("What is your insurance?")).toBe("I don't know");
  expect(hear("Done: DC-1A2B.")).toBe("No, thank you. Goodbye");
  expect(hear("Goodbye.")).toBeNull();
});

test("for all that an agent says, the offline persona only says what it was given or a fixed phrase", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" }), { maxLength: 5 }), (heard) => {
      const dialogue = heard.flatMap((text): DialogueLine[] => [
        { by: "person", text: "x" },
        { by: "agent", text },
      ]);
      const words = offlinePersonaWords(ADA, dialogue);
      const known = [ADA.goal, ...Object.values(ADA.facts), "The first one", "Yes, please", "I don't know"];
      if (words !== null) expect([...known, "No, thank you. Goodbye"]).toContain(words);
    }),
  );
});

test("a model is told goal, manner and facts, hears the agent as the other side, and ends with a mark of its own", () => {
  const [system, ...rest] = personaMessages(ADA, [
    { by: "agent", text: "Hello!" },
    { by: "person", text: "Hi" },
  ]);
  expect(system).toMatchObject({
    role: "system",
    text: expect.stringMatching(/in a hurry[\s\S]*phone number: 202/),
  });
  expect(rest.map((message) => message.role)).toEqual(["user", "assistant"]);
  expect(personaMessages(ADA, [])[1]).toMatchObject({ role: "user" });
  expect([personaWords("Yes."), personaWords(" [END] "), personaWords("Thanks! [END]")]).toEqual([
    "Yes.",
    null,
    "Thanks!",
  ]);
});
