import type { Api } from "../api/server.ts";
import { conversationRoutes } from "./conversation.ts";
import { sessionDebugRoutes } from "./debug.ts";
import { interveneRoutes } from "./live/intervene.ts";
import { liveRoutes } from "./live/live.ts";
import { recordingRoutes } from "./recordings/recording.ts";
import { waveformRoutes } from "./recordings/waveform.ts";
import { sentRecordRoutes } from "./sent/sent-records.ts";
import { sessionRoutes } from "./session.ts";
import { sessionLabelRoutes } from "./session-label.ts";
import { sessionTraceRoutes } from "./session-trace.ts";
import { timelineRoutes } from "./timeline.ts";
import { transcriptRoutes } from "./transcript.ts";

type Deps = Parameters<typeof recordingRoutes>[1] &
  Parameters<typeof liveRoutes>[1] &
  Parameters<typeof interveneRoutes>[1];

/** Sessions and everything that is read of them afterwards. */
export function addSessions(api: Api, deps: Deps): void {
  liveRoutes(api, deps);
  sessionRoutes(api, deps);
  recordingRoutes(api, deps);
  waveformRoutes(api, deps);
  sessionLabelRoutes(api, deps);
  conversationRoutes(api, deps);
  transcriptRoutes(api, deps);
  timelineRoutes(api, deps);
  interveneRoutes(api, deps);
  sessionTraceRoutes(api, deps);
  sentRecordRoutes(api, deps);
  sessionDebugRoutes(api, deps);
}
