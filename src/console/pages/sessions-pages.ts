import { IconMessages } from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** Conversations. */
export const SESSIONS_PAGES: ConsolePage[] = [
  {
    path: "/sessions",
    title: "Sessions",
    permission: "sessions_read",
    load: () => import("../sessions/sessions-page.tsx"),
    menu: { entry: "Sessions", icon: IconMessages },
  },
  {
    path: "/sessions/$id",
    title: "Session",
    permission: "sessions_read",
    load: () => import("../sessions/session-page.tsx"),
  },
  {
    path: "/sessions/$id/debug",
    title: "Debug a turn",
    permission: "sessions_debug",
    load: () => import("../debugger/debug-page.tsx"),
  },
];
