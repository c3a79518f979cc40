import { unreachable } from "../base/errors.ts";
import { tryParseJson } from "../base/parse-json.ts";
import type { EgressOutcome } from "../egress/egress.ts";
import { storable } from "../insights/check-answer.ts";
import { retryAfter } from "../insights/retry-policy.ts";
import { type Spoken, TEXT_TYPES } from "../insights/text-transcript.ts";
import type { TranscriptionArguments } from "../insights/tool-arguments.ts";
import {
  done,
  failed,
  LATER,
  type ToolRun,
  type ToolRunner,
  type ToolRunOutcome,
} from "../insights/tool-run.ts";
import { TRANSCRIPT_KEY, type Transcript } from "../insights/transcript.ts";
import { transcriptionPrice } from "../insights/transcription-prices.ts";
import { estimateTokens } from "../llm/estimate-tokens.ts";
import { ModelError } from "../llm/model.ts";
import { deepgram } from "./transcribe-deepgram.ts";
import { gemini } from "./transcribe-gemini.ts";
import { openai } from "./transcribe-openai.ts";
import { RecordingGone, type TranscriptionAdapter } from "./transcription-adapter.ts";

const ADAPTERS: Record<TranscriptionArguments["provider"], TranscriptionAdapter> = {
  openai,
  deepgram,
  google: gemini,
};

/** An hour of sound takes a service half a minute; six hours some. */
const TIMEOUT_MS = 10 * 60_000;
/** A word with its times is about 100 bytes, and an hour has 10,000. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;

/** What is said in a recording; a transcript that was uploaded as text is taken as it is. */
export async function transcribe(
  runner: ToolRunner,
  run: ToolRun<{ type: "transcription" } & TranscriptionArguments>,
): Promise<ToolRunOutcome> {
  const { tool, file, transcript } = run;
  if (file === null)
    return failed("A session of ours has its transcript already: there is nothing to transcribe.");
  if (TEXT_TYPES.has(file.media_type)) {
    return transcript ? told(spokenOf(transcript)) : failed("The transcript in this file can't be read.");
  }
  const adapter = ADAPTERS[tool.provider];
  const access = await runner.transcriptionAccess(run.sub_organization_id, tool.provider);
  if (!access) {
    return {
      kind: "unsupported",
      message: `No key for ${adapter.name} is configured, so recordings can't be transcribed.`,
    };
  }
  if (file.size_bytes > adapter.max_bytes) {
    return failed(
      `The recording has ${Math.ceil(file.size_bytes / 1e6)} MB; ${adapter.name} takes at most ${Math.floor(adapter.max_bytes / 1e6)} MB.`,
    );
  }
  const open = () => runner.recordings.open(file.object_key);
  const filename = file.object_key.slice(file.object_key.lastIndexOf("/") + 1);
  let request: Awaited<ReturnType<TranscriptionAdapter["request"]>>;
  try {
    request = await adapter.request(tool, { filename, media_type: file.media_type, open }, access);
  } catch (error) {
    if (!(error instanceof RecordingGone)) throw error;
    return failed("The recording's bytes are no longer in the data directory.");
  }
  const { sub_organization_id } = run;
  try {
    await runner.allowance.admit(sub_organization_id, tool.provider);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return failed(error.message, { when: "after", wait_ms: error.retry_after_ms ?? 0 });
  }
  const outcome = await runner.egress.send({
    method: "POST",
    timeout_ms: TIMEOUT_MS,
    max_response_bytes: MAX_RESPONSE_BYTES,
    signal: run.signal,
    ...request,
  });
  const answer = readOutcome(adapter, outcome);
  if ("kind" in answer) return answer;
  const minutes = (file.duration ?? lastSecond(answer.spoken)) / 60;
  const price = transcriptionPrice(tool);
  runner.allowance.count(sub_organization_id, {
    tokens: Math.ceil(answer.spoken.reduce((sum, { content }) => sum + estimateTokens(String(content)), 0)),
    cost_usd: minutes * (price?.minute_usd ?? 0),
  });
  return told(answer.spoken, price && { cost_usd: minutes * price.minute_usd, model: tool.model });
}

const spokenOf = (transcript: Transcript): Spoken[] =>
  transcript.flatMap((entry) =>
    entry.kind === "said" ? [{ role: entry.role, content: entry.text, start_time: entry.start_time }] : [],
  );

const lastSecond = (spoken: Spoken[]): number => {
  const last = spoken.at(-1)?.start_time;
  return typeof last === "number" ? last : 0;
};

/** The words under the key that later tools read a recording's transcript from. */
function told(spoken: Spoken[], paid: { cost_usd: number; model: string } | null = null): ToolRunOutcome {
  const value = spoken.map((entry) => ({
    role: storable(entry.role),
    start_time: entry.start_time,
    content: storable(entry.content),
  }));
  const used = { model: paid?.model ?? null, usage: null, cost_usd: paid?.cost_usd ?? null, parts: 1 };
  return done([{ key: TRANSCRIPT_KEY, type: "array", value }], used);
}

function readOutcome(
  { name, read }: TranscriptionAdapter,
  outcome: EgressOutcome,
): { spoken: Spoken[] } | ToolRunOutcome {
  switch (outcome.kind) {
    case "response":
      break;
    case "redirect":
      return failed(`${name} answered with a redirect (${outcome.status}), which is not followed.`);
    case "refused":
      return failed(`The call to ${name} was refused: ${outcome.reason}`);
    case "timeout":
      return failed(`${name} did not answer within ${outcome.after_ms / 1000} s.`, LATER);
    case "failed":
      return failed(`${name} could not be reached: ${outcome.reason}`, LATER);
    default:
      return unreachable(outcome);
  }
  const { status, headers, body, truncated } = outcome;
  if (status < 200 || status > 299) {
    return failed(
      `${name} answered ${status}: ${body.toString("utf8").slice(0, 300).toWellFormed()}`,
      retryAfter(status, headers),
    );
  }
  const spoken = truncated ? null : read(tryParseJson(body));
  return spoken ? { spoken } : failed(`${name} gave an answer that can't be read.`, LATER);
}
