import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { API_KEY_HEADER } from "../../../src/api/server.ts";
import { createTestApp, type TestApp } from "../../harness/app.ts";
import { insightsOf, runInsights } from "../../harness/insights.ts";
import { createPeer, json, type Peer } from "../../harness/peer.ts";

/*
 * Answers are those of the services' public references: Deepgram "Listen" with utterances and diarize, OpenAI "Create
 * transcription" as verbose_json and diarized_json, Gemini generateContent with a response schema.
 */
const DEEPGRAM = {
  metadata: {
    request_id: "a847f427-4ad5-4d67-9b95-db801e58251c",
    created: "2026-05-12T18:57:13.426Z",
    duration: 25.93,
    channels: 1,
    models: ["30089e05-99d1-4376-b32e-c263170674af"],
  },
  results: {
    channels: [
      {
        alternatives: [
          {
            transcript: "Hello. I want a refund.",
            confidence: 0.99,
            words: [
              {
                word: "hello",
                start: 0.32,
                end: 0.79,
                confidence: 0.98,
                speaker: 0,
                punctuated_word: "Hello.",
              },
            ],
          },
        ],
      },
    ],
    utterances: [
      {
        start: 0.32,
        end: 0.9,
        confidence: 0.98,
        channel: 0,
        transcript: "Hello.",
        words: [],
        speaker: 0,
        id: "u1",
      },
      {
        start: 3.1,
        end: 4.8,
        confidence: 0.97,
        channel: 0,
        transcript: "I want a refund.",
        words: [],
        speaker: 1,
        id: "u2",
      },
    ],
  },
};
const OPENAI_DIARIZED = {
  task: "transcribe",
  duration: 4.8,
  text: "Hello. I want a refund.",
  segments: [
    { type: "transcript.text.segment", id: "seg_001", start: 0.0, end: 0.9, text: " Hello.", speaker: "A" },
    {
      type: "transcript.text.segment",
      id: "seg_002",
      start: 3.1,
      end: 4.8,
      text: " I want a refund.",
      speaker: "B",
    },
  ],
  usage: { type: "duration", seconds: 5 },
};
const OPENAI_VERBOSE = {
  task: "transcribe",
  language: "english",
  duration: 4.8,
  text: "Hello. I want a refund.",
  segments: [
    {
      id: 0,
      seek: 0,
      start: 0.0,
      end: 4.8,
      text: " Hello. I want a refund.",
      tokens: [50364],
      temperature: 0,
      avg_logprob: -0.2,
      compression_ratio: 1.2,
      no_speech_prob: 0.01,
    },
  ],
};
const GEMINI = {
  candidates: [
    {
      content: {
        role: "model",
        parts: [
          {
            text: '[{"speaker": "A", "start_seconds": 0, "text": "Hello."}, {"speaker": "B", "start_seconds": 3, "text": "I want a refund."}]',
          },
        ],
      },
      finishReason: "STOP",
    },
  ],
  usageMetadata: { promptTokenCount: 200, candidatesTokenCount: 40 },
};

let app: TestApp;
let make: ReturnType<typeof insightsOf>;
let peer: Peer;
let folder: { id: number };
beforeAll(async () => {
  app = await createTestApp();
  make = insightsOf(app);
  peer = await createPeer();
  folder = await make.folder();
  for (const provider of ["openai", "deepgram", "google"]) {
    const set = await app.send("PUT", `/api/v1/transcription_providers/${provider}`, {
      api_key: `key-of-${provider}`,
      base_url: `${peer.url}/${provider}`,
    });
    expect(set).toMatchObject({ status: 200, body: { provider, source: "organization" } });
    expect(JSON.stringify(set.body)).not.toContain("key-of");
  }
});
beforeEach(() => {
  peer.requests.length = 0;
});

const WAV = Buffer.concat([Buffer.from("RIFF\x24\x1f\0\0WAVEfmt "), Buffer.alloc(8000, 7)]);
let calls = 0;

async function upload(bytes: Buffer | string, filename: string, query: Record<string, string> = {}) {
  const boundary = "----recording";
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n\r\n`;
  const response = await app.api.server.inject({
    method: "POST",
    url: `/api/v1/insights/folders/${folder.id}/upload-file`,
    query: { call_id: `call-${++calls}`, ...query },
    payload: Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { "content-type": `multipart/form-data; boundary=${boundary}`, [API_KEY_HEADER]: app.token },
  });
  return { status: response.statusCode, body: response.json() };
}

const transcribing = (tool_arguments: object, insight_tool_definition_id = 2) =>
  make.tool({ insight_tool_definition_id, tool_arguments });
const looking = (pattern: string) =>
  make.tool({ insight_tool_definition_id: 5, tool_arguments: { pattern } });

/** A workflow over these tools, active on the folder while the work runs. */
async function over(insight_tool_ids: number[], work: (workflow_id: number) => Promise<void>) {
  const { id } = await make.workflow({
    source: "upload",
    insight_tool_ids,
    conditions: { folder_list: [folder.id] },
  });
  expect((await make.activate(id)).status).toBe(200);
  await work(id);
  await app.send("PUT", `/api/v1/insights/workflows/${id}/inactivate`);
}
const executionOf = async (upload_file_id: number) =>
  (
    await app.send(
      "GET",
      `/api/v1/insights/executions/?search_fields=upload_file_id&search_field_values=${upload_file_id}`,
    )
  ).body.items[0];
const outputsOf = async (upload_file_id: number) =>
  (
    await app.send(
      "GET",
      `/api/v1/insights/?search_fields=upload_file_id&search_field_values=${upload_file_id}`,
    )
  ).body.items;

describe("a recording", () => {
  test.each([
    [
      "deepgram",
      { provider: "deepgram", language: "en-US" },
      DEEPGRAM,
      [
        { role: "speaker 0", start_time: 0.32, content: "Hello." },
        { role: "speaker 1", start_time: 3.1, content: "I want a refund." },
      ],
      0.0063,
    ],
    [
      "openai, with speakers",
      { provider: "openai" },
      OPENAI_DIARIZED,
      [
        { role: "speaker A", start_time: 0, content: "Hello." },
        { role: "speaker B", start_time: 3.1, content: "I want a refund." },
      ],
      0.006,
    ],
    [
      "openai, as whisper",
      { provider: "openai", diarize: false },
      OPENAI_VERBOSE,
      [{ role: "speaker", start_time: 0, content: "Hello. I want a refund." }],
      0.006,
    ],
    [
      "google",
      { provider: "google" },
      GEMINI,
      [
        { role: "speaker A", start_time: 0, content: "Hello." },
        { role: "speaker B", start_time: 3, content: "I want a refund." },
      ],
      null,
    ],
  ])(
    "is transcribed by %s, and the tools after it read its words",
    async (_name, given, answer, words, minute_usd) => {
      peer.respond((_request, response) => json(response, 200, answer));
      await over([(await transcribing(given)).id, (await looking("refund")).id], async () => {
        const { body: file } = await upload(WAV, "call.wav", { duration: "120" });
        await runInsights(app);
        const execution = await executionOf(file.id);
        expect(execution).toMatchObject({ status: "COMPLETED", cause: "upload", error_message: null });
        expect(execution.cost_usd).toEqual(minute_usd === null ? null : expect.closeTo(2 * minute_usd, 9));
        const outputs = await outputsOf(file.id);
        expect(
          outputs.find((output: { insight_key: string }) => output.insight_key === "transcript"),
        ).toMatchObject({
          json_value: { transcript: JSON.stringify(words) },
        });
        expect(
          outputs.find((output: { insight_key: string }) => output.insight_key === "value"),
        ).toMatchObject({
          string_value: "refund",
        });
      });
    },
  );

  test("goes out as each service wants it: the bytes, the key, the settings", async () => {
    const settings = { language: "pt-BR", diarize: true };
    for (const [provider, answer] of [
      ["deepgram", DEEPGRAM],
      ["openai", OPENAI_DIARIZED],
      ["google", GEMINI],
    ] as const) {
      peer.respond((_request, response) => json(response, 200, answer));
      const { id, name } = await transcribing({ provider, ...settings });
      expect(id).toBeGreaterThan(0);
      const { body: file } = await upload(WAV, "call.wav");
      const tested = await app.send("POST", "/api/v1/insights/tools-test", {
        tool_name: name,
        upload_file_id: file.id,
      });
      expect(tested, JSON.stringify(tested.body)).toMatchObject({ status: 200 });
    }
    const [deepgram, openai, google] = peer.requests;
    expect(deepgram).toMatchObject({
      method: "POST",
      path: "/deepgram/v1/listen?model=nova-3&smart_format=true&utterances=true&diarize=true&language=pt-BR",
      headers: { authorization: "Token key-of-deepgram", "content-type": "audio/wav" },
    });
    expect(deepgram?.body).toContain("WAVEfmt");
    expect(openai).toMatchObject({
      path: "/openai/audio/transcriptions",
      headers: {
        authorization: "Bearer key-of-openai",
        "content-type": expect.stringContaining("multipart/form-data; boundary="),
      },
    });
    for (const part of [
      'name="model"\r\n\r\ngpt-4o-transcribe-diarize\r\n',
      'name="response_format"\r\n\r\ndiarized_json\r\n',
      'name="chunking_strategy"\r\n\r\nauto\r\n',
      'name="language"\r\n\r\npt\r\n',
      "content-type: audio/wav\r\n\r\nRIFF",
    ]) {
      expect(openai?.body).toContain(part);
    }
    expect(google).toMatchObject({
      path: "/google/models/gemini-3.8-flash:generateContent",
      headers: { "x-goog-api-key": "key-of-google" },
    });
    const asked = JSON.parse(google?.body ?? "");
    expect(asked.contents[0].parts[0]).toEqual({
      inlineData: { mimeType: "audio/wav", data: WAV.toString("base64") },
    });
    expect(asked.generationConfig.responseMimeType).toBe("application/json");
  });

  test.each([
    [401, { err_code: "INVALID_AUTH", err_msg: "Invalid credentials." }, "FAILED", "Deepgram answered 401: "],
    [402, { err_code: "ASR_PAYMENT_REQUIRED" }, "FAILED", "Deepgram answered 402: "],
    [429, {}, "PENDING", "Deepgram answered 429"],
    [503, {}, "PENDING", "Deepgram answered 503"],
    [200, { hello: "world" }, "PENDING", "Deepgram gave an answer that can't be read."],
  ])(
    "that the service answers with %i is told on its execution and on the file, and the others go on",
    async (status, body, left, message) => {
      await over([(await transcribing({}, 3)).id], async () => {
        peer.respond((request, response) => {
          if (request.body.includes("the odd one")) json(response, status, body);
          else json(response, 200, DEEPGRAM);
        });
        const { body: odd } = await upload(Buffer.concat([WAV, Buffer.from("the odd one")]), "odd.wav");
        const { body: fine } = await upload(WAV, "fine.wav");
        await runInsights(app);
        expect(await executionOf(odd.id)).toMatchObject({
          status: left,
          error_message: expect.stringContaining(message),
        });
        expect(await executionOf(fine.id)).toMatchObject({ status: "COMPLETED" });
        const { body: files } = await app.send(
          "GET",
          `/api/v1/insights/folders/${folder.id}/files?limit=1000`,
        );
        const message_of = (id: number) =>
          files.items.find((file: { id: number }) => file.id === id).error_message;
        expect(message_of(odd.id)).toContain(message);
        expect(message_of(fine.id)).toBeNull();
        expect(JSON.stringify(files)).not.toContain("key-of");
      });
    },
  );

  test("larger than the service takes is not sent, and says how large it may be", async () => {
    await over([(await transcribing({ provider: "google" })).id], async () => {
      const { body: file } = await upload(Buffer.concat([WAV, Buffer.alloc(15_000_000)]), "long.wav");
      await runInsights(app);
      expect(await executionOf(file.id)).toMatchObject({
        status: "FAILED",
        error_message: "The recording has 16 MB; Google takes at most 14 MB.",
      });
      expect(peer.requests).toEqual([]);
    });
  });

  test("that was deleted while it waited, or whose bytes are gone, says so; its words go with it", async () => {
    peer.respond((_request, response) => json(response, 200, DEEPGRAM));
    const { id: tool_id } = await transcribing({ provider: "deepgram" });
    await over([tool_id], async () => {
      const { body: kept } = await upload(WAV, "kept.wav");
      await runInsights(app);
      const { body: file } = await upload(WAV, "gone.wav");
      const path = `/api/v1/insights/folders/${folder.id}/files`;
      expect(await app.send("DELETE", `${path}/${file.id}`)).toMatchObject({
        status: 200,
        body: { success: true },
      });
      expect((await app.send("DELETE", `${path}/${file.id}`)).status).toBe(404);
      await runInsights(app);
      expect(await executionOf(file.id)).toMatchObject({
        status: "FAILED",
        error_message: "The recording was deleted before it was analysed.",
      });
      expect(await outputsOf(kept.id)).toHaveLength(1);
      await app.send("DELETE", `${path}/${kept.id}`);
      expect(await outputsOf(kept.id)).toEqual([]);
    });
  });

  test("that is deleted while it is transcribed leaves no word of it", async () => {
    const { id: tool_id } = await transcribing({ provider: "deepgram" });
    await over([tool_id, (await looking("refund")).id], async () => {
      const { body: file } = await upload(WAV, "call.wav");
      peer.respond(async (_request, response) => {
        await app.send("DELETE", `/api/v1/insights/folders/${folder.id}/files/${file.id}`);
        json(response, 200, DEEPGRAM);
      });
      await runInsights(app);
      expect(await executionOf(file.id)).toMatchObject({ status: "COMPLETED" });
      const outputs: { insight_key: string }[] = await outputsOf(file.id);
      expect(outputs.map(({ insight_key }) => insight_key).toSorted()).toEqual(["matched", "value"]);
    });
  });

  test("past the days that it is kept goes with its words", async () => {
    peer.respond((_request, response) => json(response, 200, DEEPGRAM));
    await over([(await transcribing({ provider: "deepgram" })).id], async () => {
      const { body: file } = await upload(WAV, "call.wav");
      await runInsights(app);
      expect(await outputsOf(file.id)).toHaveLength(1);
      const keep = (recording: number | null) =>
        app.send("PUT", "/api/v1/organizations/privacy", { retention: { recording } });
      expect((await keep(1)).status).toBe(200);
      const created_at = new Date(app.clock.now().getTime() - 25 * 3_600_000).toISOString();
      await app.db.updateTable("insight_files").set({ created_at }).where("id", "=", file.id).execute();
      const expire = app.jobs.find(({ job }) => job.name === "delete-expired")!;
      await expire.run({}, { stopping: new AbortController().signal } as never);
      expect(existsSync(path.join(app.config.data_dir, file.object_key))).toBe(false);
      expect(await outputsOf(file.id)).toEqual([]);
      await keep(null);
    });
  });
});

describe("a transcript that comes as text", () => {
  test("and can't be read is tried again later, and holds up no other", async () => {
    await over([(await looking("refund")).id], async () => {
      const { body: broken } = await upload("User: I want a refund.", "broken.txt");
      const { body: next } = await upload("User: I want a refund.", "next.txt");
      const file = path.join(app.config.data_dir, broken.object_key);
      rmSync(file);
      mkdirSync(file);
      await runInsights(app);
      expect(await executionOf(next.id)).toMatchObject({ status: "COMPLETED" });
      expect(await executionOf(broken.id)).toMatchObject({
        status: "PENDING",
        error_message: expect.stringContaining("could not be read"),
      });
      rmSync(file, { recursive: true });
      writeFileSync(file, "User: I want a refund.");
      app.clock.advance(60_000);
      await runInsights(app);
      expect(await executionOf(broken.id)).toMatchObject({ status: "COMPLETED", error_message: null });
    });
  });

  test.each([
    ["call.txt", "Agent: Hello\nUser: I want a refund."],
    ["call.json", '[{"role": "Agent", "content": "Hello"}, {"role": "User", "content": "I want a refund."}]'],
    [
      "call.vtt",
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Agent>Hello\n\n00:03.000 --> 00:04.000\n<v User>I want a refund.",
    ],
    [
      "call.srt",
      "1\n00:00:01,000 --> 00:00:02,000\nAgent: Hello\n\n2\n00:00:03,000 --> 00:00:04,000\nUser: I want a refund.",
    ],
  ])("is taken as it is, without any service: %s", async (filename, text) => {
    await over(
      [(await transcribing({ provider: "deepgram" })).id, (await looking("refund")).id],
      async () => {
        const { status, body: file } = await upload(text, filename);
        expect(status).toBe(200);
        await runInsights(app);
        expect(await executionOf(file.id)).toMatchObject({ status: "COMPLETED", cost_usd: null });
        const outputs = await outputsOf(file.id);
        const transcript = JSON.parse(outputs.at(-1).json_value.transcript);
        expect(
          transcript.map(({ role, content }: { role: string; content: string }) => `${role}: ${content}`),
        ).toEqual(["Agent: Hello", "User: I want a refund."]);
        expect(peer.requests).toEqual([]);
      },
    );
  });

  test("needs no transcribe tool, and one that can't be read fails alone", async () => {
    await over([(await looking("refund")).id], async () => {
      const { body: good } = await upload("User: I want a refund.", "good.txt");
      const { body: bad } = await upload('{"transcript": "no list"}', "bad.json");
      await runInsights(app);
      expect(await executionOf(good.id)).toMatchObject({ status: "COMPLETED" });
      expect(await executionOf(bad.id)).toMatchObject({
        status: "FAILED",
        error_message: expect.stringContaining("no transcript yet"),
      });
    });
  });

  test("has to be text, and to be named as such", async () => {
    for (const [bytes, filename] of [
      [Buffer.from([0x41, 0x00, 0x42]), "call.txt"],
      [Buffer.from([0xc3, 0x28, 0x41]), "call.txt"],
      ["", "call.txt"],
      ["name,number\nA,1", "list.csv"],
      ["<!DOCTYPE html>", "page.html"],
      [Buffer.concat([Buffer.from("Agent: Hello\n".repeat(10_000)), Buffer.from([0xff])]), "late.txt"],
    ] as const) {
      expect(await upload(bytes as string, filename)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "file"] }] },
      });
    }
  });
});

describe("keys for transcription", () => {
  test("are an organization's own, else the one its models use, and none can be read", async () => {
    const neighbour = await app.createNeighbour();
    const sources = async () =>
      (await neighbour.send("GET", "/api/v1/transcription_providers/")).body.map(
        ({ provider, source }: { provider: string; source: string }) => [provider, source],
      );
    expect(await sources()).toEqual([
      ["openai", "none"],
      ["deepgram", "none"],
      ["google", "none"],
    ]);
    await neighbour.send("PUT", "/api/v1/llm_providers/google", { api_key: "a key" });
    expect(await sources()).toContainEqual(["google", "llm_provider"]);
    expect((await neighbour.send("DELETE", "/api/v1/transcription_providers/google")).status).toBe(404);
    expect((await neighbour.send("PUT", "/api/v1/transcription_providers/deepgram", {})).status).toBe(422);
    expect(
      (await neighbour.send("PUT", "/api/v1/transcription_providers/other", { api_key: "x" })).status,
    ).toBe(422);
    expect((await app.send("DELETE", "/api/v1/transcription_providers/google")).status).toBe(200);
  });
});

test("a transcript counts to the models' allowance, and waits for the next day once that is used up", async () => {
  const { sub_organization_id } = app.admin;
  const spent = async () =>
    Number(
      (
        await app.db
          .selectFrom("allowances")
          .select((eb) => eb.fn.sum("used").as("used"))
          .where("sub_organization_id", "=", sub_organization_id)
          .where("name", "=", "model-cost")
          .executeTakeFirstOrThrow()
      ).used,
    );
  peer.respond((_request, response) => json(response, 200, DEEPGRAM));
  await over([(await transcribing({ provider: "deepgram" })).id], async () => {
    const before = await spent();
    await upload(WAV, "call.wav", { duration: "120" });
    await runInsights(app);
    await expect.poll(spent).toBe(before + 12_600);

    app.engine.allowance.count(sub_organization_id, { tokens: 2e9, cost_usd: 0 });
    const asked = peer.requests.length;
    const { body: late } = await upload(WAV, "late.wav");
    await runInsights(app);
    expect(await executionOf(late.id)).toMatchObject({
      status: "PENDING",
      error_message: expect.stringContaining("model tokens a day is used up"),
    });
    expect(peer.requests).toHaveLength(asked);
  });
});
