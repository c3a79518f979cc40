import { IconFlask } from "@tabler/icons-react";
import type { ConsolePage } from "./console-page.ts";

/** Tests of agents. */
export const TESTS_PAGES: ConsolePage[] = [
  {
    path: "/tests",
    title: "Tests",
    permission: "tests_read",
    load: () => import("../tests/tests-page.tsx"),
    menu: { entry: "Tests", icon: IconFlask },
  },
  {
    path: "/tests/replays",
    title: "Replays",
    permission: "tests_read",
    load: () => import("../tests/replays-page.tsx"),
  },
  {
    path: "/tests/replays/$id",
    title: "Replay",
    permission: "tests_read",
    load: () => import("../tests/replay-page.tsx"),
  },
  {
    path: "/tests/judges",
    title: "Judges",
    permission: "tests_read",
    load: () => import("../tests/judges-page.tsx"),
  },
  {
    path: "/tests/judges/$id",
    title: "Judge",
    permission: "tests_read",
    load: () => import("../tests/judge-page.tsx"),
  },
  {
    path: "/tests/judges/$id/label",
    title: "Label sessions",
    permission: "tests_read",
    load: () => import("../tests/label-page.tsx"),
  },
  {
    path: "/tests/$id",
    title: "Suite of tests",
    permission: "tests_read",
    load: () => import("../tests/suite-page.tsx"),
  },
  {
    path: "/tests/runs/$id",
    title: "Test run",
    permission: "tests_read",
    load: () => import("../tests/run-page.tsx"),
  },
];
