import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorMs } from "../../test/harness/processor-time.ts";
import { readTextTranscript, textType } from "./text-transcript.ts";

const read = (text: string, filename: string) =>
  readTextTranscript(text, textType(filename)?.media_type ?? "");

describe("a transcript that comes as text", () => {
  test("as JSON is taken line by line, alone or under transcript, with times or without", () => {
    const lines = [
      { role: "agent", content: "Hello", start_time: 0.5 },
      { role: "user", content: "Hi" },
    ];
    const expected = [lines[0], { ...lines[1], start_time: null }];
    expect(read(JSON.stringify(lines), "a.json")).toEqual(expected);
    expect(read(` \n${JSON.stringify({ call: "7", transcript: lines })}`, "a.JSON")).toEqual(expected);
    for (const wrong of ["[1]", "{", '{"transcript": "Hello"}', '[{"role": "agent"}]'])
      expect(read(wrong, "a.json")).toBeNull();
  });

  test("as WebVTT or SubRip has the cues' times and speakers", () => {
    const vtt = [
      "WEBVTT - a call",
      "",
      "NOTE made by hand",
      "",
      "1",
      "00:01.500 --> 00:03.000 align:start",
      "<v Agnes>Good <b>morning</b></v>",
      "",
      "01:02:03.000 --> 01:02:04.000",
      "Customer: I have",
      "a question",
    ].join("\n");
    const expected = [
      { role: "Agnes", content: "Good morning", start_time: 1.5 },
      { role: "Customer", content: "I have a question", start_time: 3723 },
    ];
    expect(read(vtt, "a.vtt")).toEqual(expected);
    const srt =
      "1\r\n00:00:01,500 --> 00:00:03,000\r\nAgnes: Good morning\r\n\r\n2\r\n01:02:03,000 --> 01:02:04,000\r\nCustomer: I have\r\na question\r\n";
    expect(read(srt, "a.srt")).toEqual(expected);
  });

  test("as plain lines has who speaks where that is named, and when where that stands before it", () => {
    expect(
      read(
        "[0:00] Agent: Hello\n\n[2:12] User: My order is late,\nmore than a week\n1:02:05 Agent: Sorry\nand: that is not a name (",
        "a.txt",
      ),
    ).toEqual([
      { role: "Agent", content: "Hello", start_time: 0 },
      { role: "User", content: "My order is late,\nmore than a week", start_time: 132 },
      { role: "Agent", content: "Sorry", start_time: 3725 },
      { role: "and", content: "that is not a name (", start_time: null },
    ]);
    expect(read("just words\nand more", "a.txt")).toEqual([
      { role: "speaker", content: "just words\nand more", start_time: null },
    ]);
    expect(read("", "a.txt")).toEqual([]);
  });

  test("has a speaker in every script, with marks and an apostrophe in their name", () => {
    const lines = [
      ["मीरा", ": ", "नमस्ते"],
      ["สมหญิง", ": ", "สวัสดี"],
      ["Jose\u0301 D’Angelo", ": ", "hola"],
      ["客服", "：", "您好"],
    ];
    const text = lines.map((line) => line.join("")).join("\n");
    const expected = lines.map(([role, , content]) => ({ role, content, start_time: null }));
    expect(read(text, "a.txt")).toEqual(expected);
  });

  test("is told by its name; anything else is no transcript", () => {
    expect(textType("call.SRT")).toEqual({ extension: "srt", media_type: "text/vtt" });
    for (const name of ["call.wav", "list.csv", "json", "call.txt.exe", ""])
      expect(textType(name)).toBeNull();
  });

  test.each([
    ["tags that never end", "vtt", `WEBVTT\n\n00:01.000 --> 00:02.000\n${"<".repeat(2_000_000)}`],
    ["a name that never ends", "vtt", `WEBVTT\n\n00:01.000 --> 00:02.000\n<v${" ".repeat(2_000_000)}x`],
    ["empty lines", "txt", "\n".repeat(4_000_000)],
    ["digits", "txt", "1".repeat(2_000_000)],
  ])("takes time in proportion to its length: %s", (_, extension, text) => {
    // Some 50 ms; taken anew from every sign on it would be an hour.
    expect(processorMs(() => read(text, `a.${extension}`))).toBeLessThan(20_000);
  });

  test("of any kind at all is read or refused, never thrown at", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map((text) => `WEBVTT\n\n${text}`),
        ),
        (text) => {
          for (const extension of ["json", "vtt", "srt", "txt"]) read(text, `a.${extension}`);
        },
      ),
    );
  });
});
