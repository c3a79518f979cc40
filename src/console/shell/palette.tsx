import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconAddressBook, IconMessages, IconPlus, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { PAGES } from "../pages.tsx";
import { counted } from "../parts/counted.ts";
import { useMay } from "../server/me.tsx";
import { ACTIONS, addressLinks, type FoundRecord, findRecords } from "./palette-records.ts";

const [store, spotlight] = createSpotlight();
const MOST_OF_A_KIND = 4;
const TYPING_MS = 150;

/**
 * Ctrl K: finds pages, records of every kind by name, sessions by number, what belongs to a telephone number or mail
 * address, and what can be begun.
 */
export default function Palette({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const may = useMay();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const wanted = text.trim();
  const [searched] = useDebouncedValue(wanted, TYPING_MS);
  useEffect(() => {
    if (opened) spotlight.open();
  }, [opened]);
  const go = (to: string) => () => void navigate({ to });

  const records = useQuery({
    queryKey: ["palette records", searched],
    enabled: opened && searched !== "",
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => findRecords(searched, { may, most: MOST_OF_A_KIND, signal }),
  });
  const isReadable = ({ permission }: { permission?: string }) => permission === undefined || may(permission);

  const pages = PAGES.filter((page) => page.menu && isReadable(page)).map(
    ({ path, title, menu }): SpotlightActionData => ({
      id: path,
      label: title,
      description: menu?.entry === title ? "Page" : (menu?.entry ?? "Page"),
      leftSection: menu && <menu.icon size={18} />,
      onClick: go(path),
    }),
  );
  const begun = ACTIONS.filter(isReadable).map(
    ({ label, to }): SpotlightActionData => ({
      id: to,
      label,
      description: "Action",
      leftSection: <IconPlus size={18} />,
      onClick: go(to),
    }),
  );
  const found = wanted === "" ? [] : eachOnce(records.data ?? []);
  // What was found for other letters stays only where its name has these, too.
  const isOfThisText = searched === wanted && !records.isPlaceholderData;
  const named = found.map(
    ({ kind, key, name }): SpotlightActionData => ({
      id: `${kind.noun} ${key} ${name}`,
      label: name,
      description: kind.noun,
      leftSection: <kind.icon size={18} />,
      // What the server found stays, also where the letters are not in its name one after the other.
      ...(isOfThisText && { keywords: text }),
      onClick: go(kind.to + encodeURIComponent(key)),
    }),
  );
  const session =
    /^\d{1,15}$/.test(wanted) && may("sessions_read")
      ? [
          {
            id: "session",
            label: `Session ${wanted}`,
            leftSection: <IconMessages size={18} />,
            onClick: go(`/sessions/${wanted}`),
          },
        ]
      : [];
  const ofAddress = addressLinks(wanted)
    .filter(isReadable)
    .map(
      ({ label, to }): SpotlightActionData => ({
        id: to,
        label,
        keywords: text,
        leftSection: <IconAddressBook size={18} />,
        onClick: go(to),
      }),
    );

  const nothingFound = records.isFetching ? "Searching …" : "No results";
  return (
    <>
      <Heard opened={opened} nothing={nothingFound} />
      <Spotlight
        store={store}
        actions={[...session, ...ofAddress, ...pages, ...begun, ...named]}
        query={text}
        onQueryChange={setText}
        onSpotlightClose={() => {
          setText("");
          onClose();
        }}
        shortcut={null}
        attributes={{ content: { "aria-label": "Go to" } }}
        scrollable
        // On a screen magnified four times, results have room, too.
        yOffset="min(80px, 8vh)"
        maxHeight="max(60vh, min(20rem, 85vh))"
        styles={{ actionsList: { maxHeight: "none" } }}
        nothingFound={nothingFound}
        highlightQuery
        searchProps={{
          leftSection: <IconSearch size={18} />,
          placeholder: "A page, a name, a session, a telephone number",
          "aria-label": "Go to",
          onKeyDown({ code }) {
            if (code === "Enter") takeFirst();
          },
        }}
      />
    </>
  );
}

/** A number has an address for calls and one for texts, which lead to the same page. */
const eachOnce = (found: readonly FoundRecord[]): FoundRecord[] => [
  ...new Map(found.map((one) => [`${one.kind.noun} ${one.key} ${one.name}`, one])).values(),
];

/** The keyboard stays in the field while the arrows mark a result, so a screen reader hears here which one, or how many there are. */
function Heard({ opened, nothing }: { opened: boolean; nothing: string }) {
  const [text, setText] = useState("");
  useEffect(() => {
    if (!opened) return undefined;
    const tell = () => {
      const shown = [...document.querySelectorAll<HTMLElement>("[data-action]")];
      const marked = shown.findIndex((action) => action.hasAttribute("data-selected"));
      const name = shown[marked]?.innerText.replaceAll("\n", ", ");
      if (name !== undefined) setText(`${name}, ${marked + 1} of ${shown.length}`);
      else setText(shown.length === 0 ? nothing : counted(shown.length, "result"));
    };
    // Spotlight marks a result in the page itself, and draws nothing for it.
    const watch = new MutationObserver(tell);
    watch.observe(document.body, { subtree: true, childList: true, attributeFilter: ["data-selected"] });
    tell();
    return () => {
      watch.disconnect();
      setText("");
    };
  }, [opened, nothing]);
  return (
    <p className="sr-only" role="status">
      {text}
    </p>
  );
}

/** Results that arrive late don't move the selection; Enter opens the first one shown. */
function takeFirst(): void {
  const shown = [...document.querySelectorAll<HTMLElement>("[data-action]")];
  if (!shown.some((action) => action.hasAttribute("data-selected"))) shown[0]?.click();
}
