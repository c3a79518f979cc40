import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { FAKE_KEY, type LlmServer, type Seen, startLlmServer } from "../../test/harness/llm-server.ts";
import { PROVIDERS, type Provider } from "./catalogue.ts";
import { ModelError, type ModelMessage, type ModelPart, type ModelRequest, readAnswer } from "./model.ts";
import { resolveModel } from "./providers.ts";
import { withRetry } from "./retry.ts";

const MODELS: Record<Provider, string> = {
  openai: "gpt-4.1",
  azure_openai: "gpt-4o",
  anthropic: "claude-haiku-4-5",
  google: "gemini-2.5-flash",
};

const WEATHER = {
  name: "weather",
  description: "The weather of a town.",
  parameters: { type: "object", properties: { town: { type: "string" } }, required: ["town"] },
};

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const modelOf = (provider: Provider, model = MODELS[provider], api_version: string | null = null) =>
  resolveModel({ provider, model, api_version }, server.settings);

const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  messages: [
    { role: "system", text: "You are brief." },
    { role: "user", text: "What is the weather in Paris?" },
  ],
  tools: [WEATHER],
  tool_choice: "auto",
  temperature: null,
  seed: null,
  signal: new AbortController().signal,
  ...more,
});

const lastBody = (): Record<string, unknown> => (server.requests.at(-1) as Seen).body;
const failure = async (work: Promise<unknown>): Promise<ModelError> => {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelError);
  return error as ModelError;
};

/** As the fakes name their answers; Google's names none. */
const ANSWER_IDS: Partial<Record<Provider, string>> = {
  anthropic: "msg_1",
  azure_openai: "chatcmpl-1",
  openai: "chatcmpl-1",
};

describe.each(PROVIDERS)("%s", (provider) => {
  test("text arrives whole and in its order, with usage and the provider's id of the answer", async () => {
    server.reply({ text: ["Sun", "ny", " in Paris"] });
    const parts: ModelPart[] = [];
    for await (const part of modelOf(provider).stream(request())) parts.push(part);
    // Deltas that arrive in one piece may be passed on as one.
    const texts = parts.slice(0, -1).filter(({ type }) => type !== "text_end");
    expect(new Set(texts.map(({ type }) => type))).toEqual(new Set(["text"]));
    expect(texts.map((part) => (part.type === "text" ? part.delta : "")).join("")).toBe("Sunny in Paris");
    expect(parts.at(-1)).toEqual({
      type: "done",
      finish: "stop",
      usage: { input_tokens: 11, output_tokens: 7, cached_input_tokens: 3 },
      warnings: [],
      request_id: ANSWER_IDS[provider] ?? null,
    });
  });

  test("the end of the words before a call is told while the call is still being written", async () => {
    const calls = [{ id: "a", name: "weather", arguments: '{"town":"Paris"}' }];
    const events = { openai: 4, azure_openai: 4, anthropic: 5, google: 3 }[provider];
    server.reply({ text: ["One ", "moment."], calls, after: { events, comes: "hang" } });
    const parts: string[] = [];
    for await (const part of modelOf(provider).stream(request())) {
      parts.push(part.type === "text" ? part.delta : part.type);
      if (part.type === "text_end") break;
    }
    expect(parts.join("")).toBe("One moment.text_end");
  });

  test("parallel calls come whole, and their results go back in the provider's shape", async () => {
    server.reply({
      text: ["One moment."],
      calls: [
        { id: "a", name: "weather", arguments: '{"town":"Paris"}' },
        { id: "b", name: "weather", arguments: '{"town":"Rome"}' },
      ],
    });
    const first = await readAnswer(modelOf(provider), request());
    expect(first).toMatchObject({ text: "One moment.", finish: "tool-calls" });
    expect(first.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["weather", { town: "Paris" }],
      ["weather", { town: "Rome" }],
    ]);

    server.reply({ text: ["Sunny, and rain."] });
    const messages: ModelMessage[] = [
      ...request().messages,
      { role: "assistant", text: first.text, calls: first.calls },
      ...first.calls.map((call, index) => ({
        role: "tool" as const,
        call_id: call.id,
        tool_name: call.name,
        result: { sky: ["sun", "rain"][index] },
        is_error: false,
      })),
    ];
    await readAnswer(modelOf(provider), request({ messages }));
    const sent = JSON.stringify(lastBody());
    for (const word of ["One moment.", "Rome", "sun", "rain"]) expect(sent).toContain(word);
    if (provider === "google") expect(sent).toContain("signature-of-weather");
  });

  test("a tool's failure reaches the provider as the JSON it is, once encoded", async () => {
    server.reply({ text: ["Sorry."] });
    const result = { error: { status: 409, body: { taken: ['"9:00"'] } } };
    const call = { id: "a", name: "weather", arguments: {} };
    const messages: ModelMessage[] = [
      ...request().messages,
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", call_id: "a", tool_name: "weather", result, is_error: true },
    ];
    await readAnswer(modelOf(provider), request({ messages }));
    type Wire = {
      messages?: { role: string; content: unknown }[];
      contents?: { parts: { functionResponse?: { response: { content: unknown } } }[] }[];
    };
    const body = lastBody() as Wire;
    switch (provider) {
      case "google": {
        const answers = body.contents?.flatMap(({ parts }) => parts.map((part) => part.functionResponse));
        expect(answers?.find((answer) => answer)?.response.content).toEqual(result);
        break;
      }
      case "anthropic": {
        const content = body.messages?.at(-1)?.content as { content: string; is_error: boolean }[];
        expect(content[0]).toMatchObject({ content: JSON.stringify(result), is_error: true });
        break;
      }
      default:
        expect(body.messages?.at(-1)).toMatchObject({ role: "tool", content: JSON.stringify(result) });
    }
  });

  test("a rate limit is waited out once, for as long as the provider asks", async () => {
    server.reply({ status: 429, headers: { "retry-after": "0.05" } }, { text: ["fine"] });
    const started = performance.now();
    const answer = await readAnswer(withRetry(modelOf(provider), { wait_ms: 10_000 }), request());
    expect(answer.text).toBe("fine");
    expect(performance.now() - started).toBeGreaterThanOrEqual(49);
    expect(server.requests).toHaveLength(2);
  });

  test("a second 500 is the caller's to handle", async () => {
    server.reply({ status: 500, error: { message: "database on fire" } });
    const error = await failure(readAnswer(withRetry(modelOf(provider), { wait_ms: 1 }), request()));
    expect(error).toMatchObject({ kind: "unavailable", status: 500, retryable: true, provider });
    expect(error.message).toMatch(/has a fault of its own: database on fire \(HTTP 500\)$/);
    expect(server.requests).toHaveLength(2);
  });

  test("an answer cut in mid stream fails after what was said, and is not asked for again", async () => {
    const text = ["one ", "two ", "three ", "four ", "five ", "six "];
    server.reply({ text, after: { events: 4, comes: "cut" }, delay_ms: 15 });
    let heard = "";
    const read = async () => {
      for await (const part of withRetry(modelOf(provider)).stream(request())) {
        if (part.type === "text") heard += part.delta;
      }
    };
    const error = await failure(read());
    expect(error).toMatchObject({ kind: "broken-answer", retryable: true });
    expect(error.message).toMatch(/broke off\.$/);
    expect(heard).toMatch(/^one two /);
    expect(server.requests).toHaveLength(1);
  });

  test.each([-1, 1.5, 20_000_000])("%d tokens can't be a count, so nobody counted", async (tokens) => {
    server.reply({ text: ["Sunny"], usage: { input: tokens, output: tokens, cached: tokens } });
    const { text, usage } = await readAnswer(modelOf(provider), request());
    expect(text).toBe("Sunny");
    expect(Object.values(usage)).toEqual([null, null, null]);
  });

  test("what a model thinks aloud before it answers is not part of the answer", async () => {
    server.reply({ text: ["<th", "ink>They ask for ", "the weather.</think>\n", "\nSunny", "."] });
    expect((await readAnswer(modelOf(provider), request())).text).toBe("Sunny.");
  });

  test("an answer that ends without its end is not taken for whole", async () => {
    server.reply({ text: ["one ", "two "], after: { events: 2, comes: "end" } });
    expect(await failure(readAnswer(modelOf(provider), request()))).toMatchObject({ kind: "broken-answer" });
  });

  test("an answer without end is not read on", async () => {
    server.reply({ text: Array(12).fill("x".repeat(100_000)) });
    const error = await failure(readAnswer(modelOf(provider), request()));
    expect([error.kind, error.retryable]).toEqual(["broken-answer", false]);
    expect(error.message).toMatch(/longer than 1000000 characters/);
    await server.left;
  });

  test("invalid JSON from the provider is a broken answer", async () => {
    server.reply({ text: ["one ", "two "], after: { events: 1, comes: "garbage" } });
    const error = await failure(readAnswer(modelOf(provider), request()));
    expect(error).toMatchObject({ kind: "broken-answer", retryable: false });
    expect(error.message).toMatch(/could not be read/);
  });

  test("leaving the stream after three deltas closes the connection to the provider", async () => {
    const own = await startLlmServer();
    own.reply({ text: Array.from({ length: 500 }, () => "word "), delay_ms: 5 });
    const model = resolveModel({ provider, model: MODELS[provider], api_version: null }, own.settings);
    let heard = 0;
    for await (const _ of model.stream(request())) {
      heard += 1;
      if (heard === 3) break;
    }
    await own.left;
    await own.close();
  });

  test("raising the signal ends the answer and closes the connection", async () => {
    const own = await startLlmServer();
    own.reply({ text: Array.from({ length: 500 }, () => "word "), delay_ms: 5 });
    const model = resolveModel({ provider, model: MODELS[provider], api_version: null }, own.settings);
    const abort = new AbortController();
    const read = async () => {
      for await (const _ of model.stream(request({ signal: abort.signal }))) abort.abort();
    };
    expect(await failure(read())).toMatchObject({ kind: "aborted", retryable: false });
    await own.left;
    await own.close();
  });

  test("no message about a failure holds the key", async () => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      server.reply({ status, error: { message: `wrong key ${FAKE_KEY} given` } });
      const error = await failure(readAnswer(modelOf(provider), request()));
      expect(error.message).not.toContain(FAKE_KEY);
      expect(error.status).toBe(status);
    }
  });

  test("a forced tool and a JSON schema reach the provider", async () => {
    server.reply({ text: ['{"ok":true}'] });
    const schema = {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
      additionalProperties: false,
    };
    await readAnswer(modelOf(provider), request({ tools: [], output_schema: { name: "verdict", schema } }));
    expect(JSON.stringify(lastBody())).toContain('"ok":{"type":"boolean"}');
    await readAnswer(modelOf(provider), request({ tool_choice: { tool: "weather" } }));
    expect(JSON.stringify(lastBody())).toMatch(/"(tool_choice|toolConfig)":\{[^}]*("weather"|weather)/);
  });
});

test("seed and temperature are on the wire where they are supported, else dropped with a warning", async () => {
  server.reply({ text: ["ok"] });
  const settings = { temperature: 0.3, seed: 42 };
  for (const provider of ["openai", "azure_openai"] as const) {
    expect((await readAnswer(modelOf(provider), request(settings))).warnings).toEqual([]);
    expect(lastBody()).toMatchObject(settings);
  }
  expect((await readAnswer(modelOf("google"), request(settings))).warnings).toEqual([]);
  expect(lastBody()).toMatchObject({ generationConfig: settings });

  const claude = await readAnswer(modelOf("anthropic"), request(settings));
  expect(claude.warnings).toEqual(["claude-haiku-4-5 takes no seed; it was left out."]);
  expect(lastBody()).toMatchObject({ temperature: 0.3 });
  expect(lastBody()).not.toHaveProperty("seed");

  const gpt5 = await readAnswer(modelOf("openai", "gpt-5.1"), request(settings));
  expect(gpt5.warnings).toEqual(["gpt-5.1 takes no temperature; it was left out."]);
  expect(lastBody()).toMatchObject({ seed: 42 });
  expect(lastBody()).not.toHaveProperty("temperature");
});

test("Azure is asked under the deployment's path with the prompt's API version, else with ours", async () => {
  server.reply({ text: ["ok"] });
  await readAnswer(modelOf("azure_openai", "our-gpt", "2024-05-13"), request());
  await readAnswer(modelOf("azure_openai"), request());
  expect(server.requests.map(({ path }) => path)).toEqual([
    "/azure/openai/deployments/our-gpt/chat/completions?api-version=2024-05-13",
    "/azure/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21",
  ]);
  expect(server.requests[0]?.headers["api-key"]).toBe(FAKE_KEY);
});

test("a server of one's own is sent what the strictest templates take, OpenAI's the conversation as it is", async () => {
  server.reply({ text: ["ok"] });
  const greeted: ModelMessage[] = [
    { role: "system", text: "You are brief." },
    { role: "assistant", text: "Hello!", calls: [] },
    { role: "user", text: "Hi." },
  ];
  const sentTo = async (model: string) => {
    await readAnswer(modelOf("openai", model), request({ messages: greeted }));
    return (lastBody().messages as { role: string }[]).map(({ role }) => role);
  };
  expect(await sentTo("mistral-small")).toEqual(["system", "user", "assistant", "user"]);
  expect(await sentTo("gpt-4.1")).toEqual(["system", "assistant", "user"]);
});

test("Azure with a key but no address says what to configure", async () => {
  const model = resolveModel(
    { provider: "azure_openai", model: "gpt-4o", api_version: null },
    { azure_openai: { api_key: FAKE_KEY } },
  );
  expect((await failure(readAnswer(model, request()))).message).toMatch(/configure its base URL/);
});

test.each(["openai", "azure_openai", "anthropic"] as const)(
  "%s: arguments that are no JSON object are reported with the call, not thrown",
  async (provider) => {
    server.reply({ calls: [{ id: "a", name: "weather", arguments: '{"town": Par' }] });
    const { calls } = await readAnswer(modelOf(provider), request());
    expect(calls[0]).toMatchObject({ name: "weather", arguments: {} });
    expect(calls[0]?.arguments_error).toMatch(/JSON/);
    server.reply({
      calls: [{ id: "a", name: "weather", arguments: `{"a":${"[".repeat(9_999)}${"]".repeat(9_999)}}` }],
    });
    const deep = (await readAnswer(modelOf(provider), request())).calls;
    expect(deep).toMatchObject([{ arguments: {}, arguments_error: "The arguments are nested too deeply." }]);
  },
);

test.each(
  (["openai", "azure_openai", "anthropic"] as const).flatMap((provider) =>
    (["length", "content-filter"] as const).map((finish) => ({ provider, finish })),
  ),
)(
  "$provider: a call is not made without arguments because the answer ended before they were written ($finish)",
  async ({ provider, finish }) => {
    const bare = { id: "a", name: "weather", arguments: "" };
    server.reply({ calls: [bare], finish });
    const answer = await readAnswer(modelOf(provider), request());
    expect(answer).toMatchObject({ finish, calls: [{ arguments_error: "The arguments were cut off." }] });
    server.reply({ calls: [bare] });
    expect((await readAnswer(modelOf(provider), request())).calls[0]).not.toHaveProperty("arguments_error");
  },
);

test("a thought whose opening tag the operator's own server wrote into the question is not part of the answer", async () => {
  const own = () => modelOf("openai", "qwq-32b");
  for (const said of ["Sunny.", "Rain."]) {
    server.reply({ text: ["They ask for ", "the weather.</th", "ink>\n\n", said] });
    expect((await readAnswer(own(), request())).text).toBe(said);
  }
});

test("Anthropic's signed thinking goes back with the call it led to, and to no other provider", async () => {
  server.reply({
    thinking: { text: "Paris it is.", signature: "c2lnbmVk" },
    calls: [{ id: "a", name: "weather", arguments: '{"town":"Paris"}' }],
  });
  const { calls } = await readAnswer(modelOf("anthropic", "claude-sonnet-5-5"), request());
  const messages: ModelMessage[] = [
    ...request().messages,
    { role: "assistant", text: "", calls },
    { role: "tool", call_id: "a", tool_name: "weather", result: "sun", is_error: false },
  ];
  server.reply({ text: ["ok"] });
  await readAnswer(modelOf("anthropic", "claude-sonnet-5-5"), request({ messages }));
  expect(JSON.stringify(lastBody())).toContain(
    '{"type":"thinking","thinking":"Paris it is.","signature":"c2lnbmVk"}',
  );
  await readAnswer(modelOf("openai"), request({ messages }));
  expect(JSON.stringify(lastBody())).not.toContain("c2lnbmVk");
});

test("a server nobody listens on is unavailable, and may be tried again", async () => {
  const gone = await startLlmServer();
  await gone.close();
  const model = resolveModel({ provider: "openai", model: "gpt-4.1", api_version: null }, gone.settings);
  const error = await failure(readAnswer(model, request()));
  expect(error).toMatchObject({ kind: "unavailable", retryable: true, status: null });
  expect(error.message).toBe("OpenAI could not be reached (ECONNREFUSED).");
});

test("without a key, or under the name scripted, the offline model answers and says so", async () => {
  const { openai } = server.settings;
  const keyless = resolveModel({ provider: "google", model: "gemini-2.5-flash", api_version: null }, {});
  const named = resolveModel({ provider: "openai", model: "scripted", api_version: null }, { openai });
  expect([keyless.scripted, named.scripted, modelOf("openai").scripted]).toEqual([true, true, false]);
  expect((await readAnswer(keyless, request({ tools: [] }))).text).toContain("scripted offline model");
  expect(server.requests).toHaveLength(0);
});
