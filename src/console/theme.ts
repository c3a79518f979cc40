import { type CSSVariablesResolver, createTheme } from "@mantine/core";

/** Calm and dense: one accent, thin edges, no shadows on the page, small type that stays above 12 px. */
export const theme = createTheme({
  primaryColor: "ink",
  primaryShade: { light: 7, dark: 6 },
  colors: {
    dark: [
      "#dfe3e9",
      "#c3c9d2",
      "#a5adba",
      "#7d8794",
      "#3c444f",
      "#343b45",
      "#21262e",
      "#191d23",
      "#14181d",
      "#0f1216",
    ],
    ink: [
      "#eef3ff",
      "#dbe4fb",
      "#b5c6f3",
      "#8ca6ec",
      "#7a99ee",
      "#5378dc",
      "#3f65cd",
      "#2f53b5",
      "#264592",
      "#1b3370",
    ],
  },
  defaultRadius: "sm",
  cursorType: "pointer",
  respectReducedMotion: true,
  // public/home/typeface.css; other scripts come from what the machine has.
  fontFamily: 'Inter, "Inter until loaded", system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: "0.78rem", sm: "0.875rem", md: "0.9375rem", lg: "1.0625rem", xl: "1.25rem" },
  headings: {
    fontWeight: "620",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.3" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.4" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
    },
  },
  components: {
    ActionIcon: { defaultProps: { variant: "subtle", color: "gray" } },
    Alert: { defaultProps: { variant: "light" } },
    Anchor: { defaultProps: { underline: "hover" } },
    Badge: {
      defaultProps: { variant: "light", radius: "sm", size: "md" },
      styles: { root: { textTransform: "none", fontWeight: 550 } },
    },
    // What stands beside a button gives way, not its words.
    Button: {
      defaultProps: { size: "sm" },
      styles: { root: { fontWeight: 550, flexShrink: 0 } },
      // 24 px, so that a finger meets it (WCAG 2.2, 2.5.8); Mantine's smallest has 22.
      vars: (_theme: unknown, { size }: { size?: unknown }) => ({
        root: size === "compact-xs" ? { "--button-height": "1.5rem" } : {},
      }),
    },
    // People write from the right, too; `dir` of a field itself would stand at the frame around it and change nothing.
    Input: { defaultProps: { attributes: { input: { dir: "auto" } } } },
    // Otherwise every closed list of options is rendered, and again on each key press: half of a form's components.
    Combobox: { defaultProps: { keepMounted: false } },
    // Otherwise a search that finds nothing closes the list without a word.
    Select: { defaultProps: { nothingFoundMessage: "No results" } },
    MultiSelect: { defaultProps: { nothingFoundMessage: "No results" } },
    // Otherwise an empty element has the focus of a menu that opens, and a screen reader says no entry.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Drawer: { defaultProps: { closeButtonProps: { "aria-label": "Close" } } },
    // Otherwise a window's header would be a second banner landmark.
    DrawerHeader: { defaultProps: { role: "presentation" } },
    // With a paper's own padding, what is scrolled would show above the title.
    ModalContent: { defaultProps: { p: 0 } },
    ModalHeader: { defaultProps: { role: "presentation" } },
    Modal: {
      defaultProps: { closeButtonProps: { "aria-label": "Close" }, centered: true },
      // Its way out stays in reach beside a name of one long word.
      styles: {
        title: { fontWeight: 620, fontSize: "1.0625rem", minWidth: 0, overflowWrap: "anywhere" },
        close: { flexShrink: 0 },
      },
    },
    Notification: { defaultProps: { closeButtonProps: { "aria-label": "Dismiss" } } },
    Paper: { defaultProps: { withBorder: true, radius: "md", p: "md" } },
    // A long name is read to its end, on a telephone too; Mantine's ends in dots.
    Pill: {
      styles: {
        root: { flex: "0 1 auto", height: "auto", minHeight: "var(--pill-height)" },
        label: { whiteSpace: "normal", overflowWrap: "anywhere", lineHeight: 1.4, height: "auto" },
        remove: { flex: "0 0 2em", width: "2em" },
      },
    },
    Table: { defaultProps: { verticalSpacing: 7, horizontalSpacing: "sm" } },
    Tooltip: {
      defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: true } },
    },
  },
});

/** Mantine's dimmed text is too faint for many; these colours have a contrast of 4.5 : 1 or more on every surface. */
export const variables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#566072",
    "--mantine-color-placeholder": "#6b7484",
    "--mantine-color-body": "#ffffff",
    "--mantine-color-error": "#c0271e",
    "--mantine-color-red-filled": "#c0271e",
    "--mantine-color-red-filled-hover": "#a3201a",
    "--mantine-color-default-border": "#d9dee6",
    "--mantine-color-green-light-color": "#14532b",
    "--mantine-color-red-light-color": "#9b1c14",
    "--mantine-color-yellow-light-color": "#6b4400",
    "--mantine-color-gray-light-color": "#3a424e",
    "--parley-canvas": "#f6f7f9",
    "--parley-sunken": "#f3f5f8",
  },
  dark: {
    "--mantine-color-dimmed": "#a5adba",
    "--mantine-color-placeholder": "#8f98a6",
    "--mantine-color-body": "#191d23",
    "--mantine-color-text": "#dfe3e9",
    "--mantine-color-error": "#ff8f86",
    "--mantine-color-red-filled": "#c92a2a",
    "--mantine-color-red-filled-hover": "#b02323",
    "--mantine-color-default": "#1f242b",
    "--mantine-color-default-hover": "#272d36",
    "--mantine-color-default-border": "#363d48",
    "--parley-canvas": "#121519",
    "--parley-sunken": "#14181d",
  },
});
