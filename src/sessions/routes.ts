import type { Api } from "../api/server.ts";
import { conversationRoutes } from "./conversation.ts";
import { sessionDebugRoutes } from "./debug.ts";
import { recordingRoutes } from "./recording.ts";
import { sentRecordRoutes } from "./sent-records.ts";
import { sessionRoutes } from "./session.ts";
import { sessionLabelRoutes } from "./session-label.ts";
import { sessionTraceRoutes } from "./session-trace.ts";
import { timelineRoutes } from "./timeline.ts";
import { transcriptRoutes } from "./transcript.ts";
import { waveformRoutes } from "./waveform.ts";

type Deps = Parameters<typeof recordingRoutes>[1];

/** Sessions and everything that is read of them afterwards. */
export function addSessions(api: Api, deps: Deps): void {
  sessionRoutes(api, deps);
  recordingRoutes(api, deps);
  waveformRoutes(api, deps);
  sessionLabelRoutes(api, deps);
  conversationRoutes(api, deps);
  transcriptRoutes(api, deps);
  timelineRoutes(api, deps);
  sessionTraceRoutes(api, deps);
  sentRecordRoutes(api, deps);
  sessionDebugRoutes(api, deps);
}
