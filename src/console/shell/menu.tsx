import { NavLink, Text } from "@mantine/core";
import { Link, useLocation } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { MENU, type MenuEntry } from "../menu-entries.tsx";
import type { ConsolePage } from "../pages/console-page.ts";
import { PAGES } from "../pages.tsx";
import { useMay } from "../server/me.tsx";
import classes from "./menu.module.css";

/** Below this width the menu is collapsed behind a button. */
const MENU_STANDS = "(min-width: 48em)";

type MenuPage = ConsolePage & { menu: NonNullable<ConsolePage["menu"]> };

/** The pages of the menu that this person may read, by entry. */
function useEntries(): Map<MenuEntry, MenuPage[]> {
  const may = useMay();
  const pages = PAGES.filter(
    (page): page is MenuPage =>
      page.menu !== undefined && (page.permission === undefined || may(page.permission)),
  );
  return Map.groupBy(pages, ({ menu }) => menu.entry);
}

/** The page of the menu that the open page is or belongs to: of `/agents/7` it is `/agents`. */
function useOpenPage(): ConsolePage | undefined {
  const { pathname } = useLocation();
  return (
    PAGES.find(
      ({ path, menu }) => menu && (pathname === path || (path !== "/" && pathname.startsWith(`${path}/`))),
    ) ??
    PAGES.find(({ path, menu }) => menu && BELONGS.some(([of, to]) => to === path && pathname.startsWith(of)))
  );
}

/** Pages whose address doesn't say which page of the menu they belong to. */
const BELONGS: [address: string, page: string][] = [
  ["/workflows/", "/tools"],
  ["/batches/", "/campaigns"],
  ["/webhook-deliveries/", "/campaigns"],
  ["/export", "/reports"],
];

export function MainMenu() {
  const entries = useEntries();
  const open = useOpenPage();
  // On a low screen the menu scrolls, so the open page's entry is brought into view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for anew on every page
  useEffect(() => {
    if (!window.matchMedia(MENU_STANDS).matches) return;
    const entry = document.querySelector('nav [aria-current="page"]');
    const view = entry?.closest(".mantine-ScrollArea-viewport");
    if (!entry || !view) return;
    // Not scrollIntoView, after which Chromium begins the keyboard's way here, past “Skip to content” and the header.
    const [at, seen] = [entry.getBoundingClientRect(), view.getBoundingClientRect()];
    view.scrollTop += Math.max(0, at.bottom - seen.bottom) - Math.max(0, seen.top - at.top);
  }, [open]);
  return MENU.map(({ group, entries: ofGroup }) => {
    const shown = ofGroup.filter(([entry]) => entries.has(entry));
    if (shown.length === 0) return null;
    return (
      <div key={group} className={classes.group}>
        {group && (
          <Text size="xs" c="dimmed" fw={600} className={classes.groupName}>
            {group}
          </Text>
        )}
        {shown.map(([entry, Icon]) => {
          const isOpen = open?.menu?.entry === entry;
          return (
            <NavLink
              key={entry}
              renderRoot={(root) => <Link to={entries.get(entry)?.[0]?.path ?? "/"} {...root} />}
              label={entry}
              leftSection={<Icon size={16} />}
              active={isOpen}
              aria-current={isOpen ? "page" : undefined}
              className={classes.link}
            />
          );
        })}
      </div>
    );
  });
}

/** The pages that stand beside the open one in the menu's entry; nothing where it is the only one. */
export function PageTabs() {
  const entries = useEntries();
  const open = useOpenPage();
  const entry = open?.menu?.entry;
  const pages = (entry && entries.get(entry)) ?? [];
  const strip = useRef<HTMLElement>(null);
  // On a phone the tabs scroll, and the open page's may be beyond the edge.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked for anew on every page
  useEffect(() => {
    const tab = strip.current?.querySelector<HTMLElement>("[aria-current]");
    if (strip.current && tab) strip.current.scrollLeft = tab.offsetLeft - strip.current.offsetLeft;
  }, [open]);
  if (pages.length < 2) return null;
  return (
    <nav ref={strip} className={classes.tabs} aria-label={`Pages of ${entry}`}>
      {pages.map(({ path, title }) => (
        <Link
          key={path}
          to={path}
          className={classes.tab}
          data-open={path === open?.path || undefined}
          aria-current={path === open?.path ? "page" : undefined}
        >
          {title}
        </Link>
      ))}
    </nav>
  );
}
