import type { Examples, Made, Maker } from "./example.ts";
import { session } from "./sessions.ts";

const tools = "/api/v1/insights/tool-configurations";
const workflows = "/api/v1/insights/workflows/";
const folders = "/api/v1/insights/folders/";

const toolInput = (maker: Maker) => ({
  name: `Insight ${maker.next()}`,
  description: "",
  version: 1,
  tool_arguments: { pattern: "refund" },
  insight_tool_definition_id: 5,
});
const tool = (maker: Maker): Promise<Made> => maker.post("/insights/tool-configurations", toolInput(maker));

const workflowInput = async (maker: Maker) => ({
  name: `Workflow ${maker.next()}`,
  source: "agent",
  description: "",
  insight_tool_ids: [(await tool(maker)).id],
  conditions: {},
});
const workflow = async (maker: Maker): Promise<Made> =>
  maker.post("/insights/workflows/", await workflowInput(maker));

/** A workflow whose backfill runs. */
const openBackfill = async (maker: Maker): Promise<number> => {
  const input = await workflowInput(maker);
  const { id, estimate } = await maker.post("/insights/workflows/", {
    ...input,
    start_datetime: "2020-01-01T00:00:00Z",
  });
  // Slow, so that there is something left to pause.
  await maker.send("PUT", `${workflows}${id}/backfill`, { rate_per_minute: 1 });
  await maker.send("PUT", `${workflows}${id}/activate`, { is_acknowledged: true, estimate });
  return id;
};

const folderInput = (maker: Maker) => ({ name: `Folder ${maker.next()}` });
const folder = async (maker: Maker): Promise<number> =>
  (await maker.post("/insights/folders/", folderInput(maker))).id;

/** A tenth of a second of silence, 8,000 samples a second of one byte. */
function silence(): Buffer {
  const samples = 800;
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + samples, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8000, 24);
  header.writeUInt32LE(8000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples, 40);
  return Buffer.concat([header, Buffer.alloc(samples, 128)]);
}

export const INSIGHTS: Examples = {
  "GET /api/v1/insights/": () => ({}),
  "GET /api/v1/insights/tool-definitions": () => ({}),
  [`GET ${tools}`]: () => ({}),
  [`POST ${tools}`]: (maker) => ({ body: toolInput(maker) }),
  [`GET ${tools}/{}`]: async (maker) => ({ at: [(await tool(maker)).id] }),
  [`PUT ${tools}/{}`]: async (maker) => ({ at: [(await tool(maker)).id], body: toolInput(maker) }),
  [`DELETE ${tools}/{}`]: async (maker) => ({ at: [(await tool(maker)).id] }),
  "POST /api/v1/insights/tools-test": async (maker) => ({
    body: { tool_name: (await tool(maker)).name, session_id: (await session(maker)).session_id },
  }),

  [`GET ${workflows}`]: () => ({}),
  [`POST ${workflows}`]: async (maker) => ({ body: await workflowInput(maker) }),
  [`GET ${workflows}{}`]: async (maker) => ({ at: [(await workflow(maker)).id] }),
  [`PUT ${workflows}{}`]: async (maker) => ({
    at: [(await workflow(maker)).id],
    body: await workflowInput(maker),
  }),
  [`DELETE ${workflows}{}`]: async (maker) => ({ at: [(await workflow(maker)).id] }),
  [`PUT ${workflows}{}/activate`]: async (maker) => {
    const { id, estimate } = await workflow(maker);
    return { at: [id], body: { is_acknowledged: true, estimate } };
  },
  [`PUT ${workflows}{}/inactivate`]: async (maker) => {
    const { id, estimate } = await workflow(maker);
    await maker.send("PUT", `${workflows}${id}/activate`, { is_acknowledged: true, estimate });
    return { at: [id] };
  },
  [`POST ${workflows}queue-work`]: async (maker) => ({
    body: {
      workflow_name: (await workflow(maker)).name,
      session_id_list: [(await session(maker)).session_id],
    },
  }),

  [`GET ${workflows}{}/backfill`]: async (maker) => ({ at: [(await workflow(maker)).id] }),
  [`PUT ${workflows}{}/backfill`]: async (maker) => ({
    at: [(await workflow(maker)).id],
    body: { rate_per_minute: 60 },
  }),
  [`POST ${workflows}{}/backfill/pause`]: async (maker) => ({ at: [await openBackfill(maker)] }),
  [`POST ${workflows}{}/backfill/resume`]: async (maker) => {
    const id = await openBackfill(maker);
    await maker.post(`/insights/workflows/${id}/backfill/pause`, {});
    return { at: [id] };
  },
  [`POST ${workflows}{}/retry-failed`]: async (maker) => ({ at: [(await workflow(maker)).id] }),
  [`GET ${workflows}{}/spending`]: async (maker) => ({ at: [(await workflow(maker)).id] }),
  "GET /api/v1/insights/executions/": () => ({}),

  "GET /api/v1/speech_providers/": () => ({}),
  "PUT /api/v1/speech_providers/{}": () => ({ at: ["deepgram"], body: { api_key: "a key" } }),
  "POST /api/v1/speech_providers/{}/test": async (maker) => {
    await maker.send("PUT", "/api/v1/speech_providers/elevenlabs", {
      api_key: "a key",
      base_url: "http://127.0.0.1:9",
    });
    return { at: ["elevenlabs"] };
  },
  "DELETE /api/v1/speech_providers/{}": async (maker) => {
    await maker.send("PUT", "/api/v1/speech_providers/cartesia", { api_key: "a key" });
    return { at: ["cartesia"] };
  },
  "GET /api/v1/transcription_providers/": () => ({}),
  "PUT /api/v1/transcription_providers/{}": () => ({ at: ["openai"], body: { api_key: "a key" } }),
  "DELETE /api/v1/transcription_providers/{}": async (maker) => {
    await maker.send("PUT", "/api/v1/transcription_providers/google", { api_key: "a key" });
    return { at: ["google"] };
  },

  [`GET ${folders}`]: () => ({}),
  [`POST ${folders}`]: (maker) => ({ body: folderInput(maker) }),
  [`GET ${folders}{}`]: async (maker) => ({ at: [await folder(maker)] }),
  [`PUT ${folders}{}`]: async (maker) => ({ at: [await folder(maker)], body: folderInput(maker) }),
  [`DELETE ${folders}{}`]: async (maker) => ({ at: [await folder(maker)] }),
  [`GET ${folders}{}/files`]: async (maker) => ({ at: [await folder(maker)] }),
  [`POST ${folders}{}/upload-file`]: async (maker) => ({
    at: [await folder(maker)],
    query: { call_id: `call-${maker.next()}` },
    form: { file: { filename: "call.wav", content: silence() } },
  }),
  [`DELETE ${folders}{}/files/{}`]: async (maker) => {
    const at = await folder(maker);
    const { id } = await maker.call(`POST ${folders}{}/upload-file`, {
      at: [at],
      query: { call_id: `call-${maker.next()}` },
      form: { file: { filename: "call.wav", content: silence() } },
    });
    return { at: [at, id] };
  },
  [`POST ${folders}{}/move-files`]: async (maker) => {
    const at = await folder(maker);
    const call = `call-${maker.next()}`;
    const file = { filename: "call.wav", content: silence() };
    const { id } = await maker.call(`POST ${folders}{}/upload-file`, {
      at: [at],
      query: { call_id: call },
      form: { file },
    });
    return { at: [at], body: { destination_folder_id: await folder(maker), file_id_list: [id] } };
  },
};
