import { IconFileText, IconRobot, IconTool } from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** Agents, and what they are made of. */
export const AGENTS_PAGES: ConsolePage[] = [
  {
    path: "/agents",
    title: "Agents",
    permission: "agents_read",
    load: () => import("../agents/agents-page.tsx"),
    menu: { entry: "Agents", icon: IconRobot },
  },
  {
    path: "/agents/$id",
    title: "Agent",
    permission: "agents_read",
    load: () => import("../agents/agent-page.tsx"),
  },
  {
    path: "/agents/$id/versions",
    title: "Versions",
    permission: "agents_read",
    load: () => import("../agents/versions-page.tsx"),
  },
  {
    path: "/agents/$id/versions/compare",
    title: "Compare versions",
    permission: "agents_read",
    load: () => import("../agents/compare-page.tsx"),
  },
  {
    path: "/agents/$id/experiments",
    title: "Experiments",
    permission: "experiments_read",
    load: () => import("../experiments/experiments-page.tsx"),
  },
  {
    path: "/agents/$id/experiments/$experiment",
    title: "Experiment",
    permission: "experiments_read",
    load: () => import("../experiments/experiment-page.tsx"),
  },

  {
    path: "/prompts",
    title: "Prompts",
    permission: "prompts_read",
    load: () => import("../prompts/prompts-page.tsx"),
    menu: { entry: "Agents", icon: IconFileText },
  },
  {
    path: "/prompts/$id",
    title: "Prompt",
    permission: "prompts_read",
    load: () => import("../prompts/prompt-page.tsx"),
  },

  {
    path: "/tools",
    title: "Tools",
    permission: "tools_read",
    load: () => import("../tools/tools-page.tsx"),
    menu: { entry: "Tools", icon: IconTool },
  },
  {
    path: "/workflows/new",
    title: "New workflow",
    permission: "tools_read",
    load: () => import("../agents/new-workflow-page.tsx"),
  },
  {
    path: "/tools/$id",
    title: "Tool",
    permission: "tools_read",
    load: () => import("../tools/tool-page.tsx"),
  },
];
