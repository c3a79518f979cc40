import { IconHome } from "@tabler/icons-react";
import { AGENTS_PAGES } from "./pages/agents-pages.ts";
import { ANALYSIS_PAGES } from "./pages/analysis-pages.ts";
import type { ConsolePage } from "./pages/console-page.ts";
import { LIBRARY_PAGES } from "./pages/library-pages.ts";
import { OPERATION_PAGES } from "./pages/operation-pages.ts";
import { OUTREACH_PAGES } from "./pages/outreach-pages.ts";
import { SESSIONS_PAGES } from "./pages/sessions-pages.ts";
import { SETTINGS_PAGES } from "./pages/settings-pages.ts";
import { TESTS_PAGES } from "./pages/tests-pages.ts";

/** All pages, in the order of the menu and its tabs. */
export const PAGES: ConsolePage[] = [
  {
    path: "/",
    title: "Home",
    load: () => import("./home/home-page.tsx"),
    menu: { entry: "Home", icon: IconHome },
  },

  ...AGENTS_PAGES,
  ...TESTS_PAGES,
  ...LIBRARY_PAGES,
  ...SESSIONS_PAGES,
  ...OUTREACH_PAGES,
  ...ANALYSIS_PAGES,
  ...OPERATION_PAGES,
  ...SETTINGS_PAGES,
];
