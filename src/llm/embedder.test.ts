import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { EMBEDDED_TOKENS, FAKE_KEY, type LlmServer, startLlmServer } from "../../test/harness/llm-server.ts";
import { createEmbedder, type EmbeddingChoice } from "./embedder.ts";
import type { ModelError } from "./model.ts";

let server: LlmServer;
beforeAll(async () => {
  server = await startLlmServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
  server.reply({ vector: (text) => [text.length, 1] });
});

const asked = (purpose: "question" | "passage" = "passage", timeout_ms = 5_000) => ({
  purpose,
  timeout_ms,
  signal: new AbortController().signal,
});
const embedderOf = (choice: EmbeddingChoice) => {
  const access = server.settings[choice.provider];
  if (!access) throw new Error("no such provider");
  return createEmbedder(choice, access, null);
};

test.each<[EmbeddingChoice, string, string]>([
  [{ provider: "openai", model: "small" }, "/openai/v1/embeddings", "authorization"],
  [
    { provider: "azure_openai", model: "ours" },
    "/azure/openai/deployments/ours/embeddings?api-version=",
    "api-key",
  ],
  [{ provider: "google", model: "g-1" }, "/google/v1beta/models/g-1:batchEmbedContents", "x-goog-api-key"],
])(
  "%o is asked as its reference says, with its key, and gives a vector for each text in order, with the tokens it counted",
  async (choice, path, header) => {
    const embedder = embedderOf(choice);
    expect(embedder.model).toBe(`${choice.provider}/${choice.model}`);
    expect(await embedder.embed(["one", "seven"], asked())).toEqual({
      vectors: [
        [3, 1],
        [5, 1],
      ],
      tokens: choice.provider === "google" ? null : EMBEDDED_TOKENS,
    });
    const [request] = server.requests;
    expect(request?.path.startsWith(path)).toBe(true);
    expect(request?.headers[header]).toContain(FAKE_KEY);
  },
);

test("Google is told whether a text is a question or what may answer it", async () => {
  const embedder = embedderOf({ provider: "google", model: "g-1" });
  await embedder.embed(["what?"], asked("question"));
  await embedder.embed(["this.", "that."], asked("passage"));
  expect(server.requests[0]).toMatchObject({
    path: "/google/v1beta/models/g-1:embedContent",
    body: { taskType: "RETRIEVAL_QUERY" },
  });
  expect(server.requests[1]?.body).toMatchObject({
    requests: [{ taskType: "RETRIEVAL_DOCUMENT" }, { taskType: "RETRIEVAL_DOCUMENT" }],
  });
});

const failure = (embedding: Promise<unknown>) =>
  embedding.then(
    () => null,
    (error: ModelError) => [error.name, error.kind, error.message],
  );

test("a provider that is silent, and one that answers nonsense, are errors of the model and no more", async () => {
  const embedder = embedderOf({ provider: "openai", model: "small" });
  server.reply({ vector: () => [1], delay_ms: 2_000 });
  expect(await failure(embedder.embed(["a"], asked("question", 100)))).toEqual([
    "ModelError",
    "timeout",
    "OpenAI gave no embeddings within 0.1 s.",
  ]);
  server.reply({ vector: (text) => (text === "a" ? [1, 2] : [1]) });
  expect(await failure(embedder.embed(["a", "b"], asked()))).toEqual([
    "ModelError",
    "broken-answer",
    "OpenAI gave no usable embeddings (2 for 2 texts).",
  ]);
  server.reply({ status: 429, error: { message: "slow down" } });
  expect((await failure(embedder.embed(["a"], asked())))?.slice(0, 2)).toEqual([
    "ModelError",
    "rate-limited",
  ]);
});

test.each([1.5, -1, 1e300])("%s tokens are a count that nobody made", async (input) => {
  const embedder = embedderOf({ provider: "openai", model: "small" });
  server.reply({ vector: () => [1], usage: { input, output: 0, cached: 0 } });
  expect(await embedder.embed(["a"], asked())).toEqual({ vectors: [[1]], tokens: null });
});
