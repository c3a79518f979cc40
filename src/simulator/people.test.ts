import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PEOPLE, peopleOf, Scenario } from "./people.ts";
import { replyTo } from "./person.ts";

const number = fc.stringMatching(/^\+1[2-9]\d{9}$/);

describe("who has which number", () => {
  test("the last two digits name the people of the table", () => {
    const people = peopleOf(Scenario.parse({}));
    expect(people("+15125550102").name).toBe("busy");
    expect(people("+4915112345604").name).toBe("mailbox");
  });

  test("the same seed gives everybody the same character, another seed others", () => {
    fc.assert(
      fc.property(number, fc.integer(), (each, seed) => {
        const scenario = { seed, people: [] };
        expect(peopleOf(scenario)(each)).toBe(peopleOf(scenario)(each));
      }),
    );
    const crowd = Array.from({ length: 200 }, (_, n) => `+1512555${String(1000 + n)}99`);
    const names = (seed: number) => crowd.map((each) => peopleOf({ seed, people: [] })(each).name).join();
    expect(names(1)).not.toBe(names(2));
  });

  test("a crowd is mostly people who answer, and a bit of everything", () => {
    const people = peopleOf(Scenario.parse({}));
    const counts = new Map<string, number>();
    for (let n = 0; n < 5000; n++) {
      const { name } = people(`+1${5_125_550_000 + n}99`);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    const share = (name: string) => (counts.get(name) ?? 0) / 5000;
    expect(share("answers and books")).toBeGreaterThan(0.45);
    expect(share("mailbox")).toBeGreaterThan(0.1);
    expect(share("wants no more")).toBeGreaterThan(0.002);
    expect(share("never picks up")).toBeGreaterThan(0.08);
  });

  test("a scenario's own people come first, by number or by pattern", () => {
    const people = peopleOf(
      Scenario.parse({
        people: [
          { number: "+15125550102", person: { name: "Ann" } },
          { number: "+1512*", person: { name: "Austin" } },
        ],
      }),
    );
    expect(people("+15125550102").name).toBe("Ann");
    expect(people("+15125550103").name).toBe("Austin");
    expect(people("+14155550103").name).toBe("never picks up");
  });

  test.each([
    [{ people: [{ number: "abc", person: { name: "x" } }] }, ["people", 0, "number"]],
    [
      { people: [{ number: "+1", person: { name: "x", replies: [{ when: "(", say: "y" }] } }] },
      ["people", 0, "person", "replies", 0, "when"],
    ],
    [
      { people: [{ number: "+1", person: { name: "x", call: { outcome: "shouts" } } }] },
      ["people", 0, "person", "call", "outcome"],
    ],
  ])("%j is refused at its place", (scenario, place) => {
    expect(Scenario.safeParse(scenario).error?.issues[0]?.path).toEqual(place);
  });

  test.each([
    [{ poeple: [] }, []],
    [{ people: [{ number: "+1", persons: {}, person: { name: "x" } }] }, ["people", 0]],
    [{ people: [{ number: "+1", person: { name: "x", texts: {} } }] }, ["people", 0, "person"]],
    [
      { people: [{ number: "+1", person: { name: "x", call: { rings_s: 9 } } }] },
      ["people", 0, "person", "call"],
    ],
    [
      { people: [{ number: "+1", person: { name: "x", replies: [{ when: "a", say: "b", leaves: true }] } }] },
      ["people", 0, "person", "replies", 0],
    ],
  ])("a misspelt key in %j is refused at its place, and not passed over", (scenario, place) => {
    expect(Scenario.safeParse(scenario).error?.issues).toMatchObject([
      { path: place, code: "unrecognized_keys" },
    ]);
  });
});

describe("what somebody says", () => {
  const books = PEOPLE["01"]!;
  test("fits what they heard", () => {
    expect(replyTo(books, "May I have your name?", 3)?.say).toContain("Alex");
    expect(replyTo(books, "Something else entirely", 3)?.say).toBe("Yes, please.");
  });

  test("ends after as many turns as they have patience for", () => {
    expect(replyTo(books, "hm", books.call.patience - 1)).toMatchObject({ then_leaves: true });
    expect(replyTo(books, "hm", books.call.patience)).toBeNull();
  });

  test("a mailbox says nothing after its greeting", () => {
    expect(replyTo(PEOPLE["04"]!, "Hello?", 0)).toBeNull();
  });
});
