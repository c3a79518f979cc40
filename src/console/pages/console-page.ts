import type { ComponentType } from "react";
import type { MenuEntry } from "../menu-entries.tsx";

/**
 * Every page of the console: its address below /console, the permission that reading it needs, where its code is, and
 * its place in the menu. Adding a page is adding a row; its code is loaded when it is first opened.
 */
export type ConsolePage = {
  path: string;
  /** The title of the browser's tab. */
  title: string;
  /** The permission that reading the page needs; without it, the menu leaves the page out. */
  permission?: string;
  load(): Promise<{ default: ComponentType }>;
  /** The entry of the menu that it belongs to; pages of one entry stand beside each other as tabs. */
  menu?: { entry: MenuEntry; icon: ComponentType<{ size?: number | string }> };
};
