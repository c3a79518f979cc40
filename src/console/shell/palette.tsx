import "@mantine/spotlight/styles.css";
import { useDebouncedValue } from "@mantine/hooks";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconAddressBook, IconMessages, IconPlus, IconSearch } from "@tabler/icons-react";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { PAGES } from "../pages.tsx";
import { useMay } from "../server/me.tsx";
import { ACTIONS, addressLinks, findRecords } from "./palette-records.ts";

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
  const found = wanted === "" ? [] : (records.data ?? []);
  // What was found for other letters stays only where its name has these, too.
  const isOfThisText = searched === wanted && !records.isPlaceholderData;
  const named = found.map(
    ({ kind, key, name }): SpotlightActionData => ({
      id: `${kind.noun} ${key}`,
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

  return (
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
      scrollable
      maxHeight="60vh"
      nothingFound={records.isFetching ? "Searching …" : "No results"}
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
  );
}

/** Results that arrive late don't move the selection; Enter opens the first one shown. */
function takeFirst(): void {
  const shown = [...document.querySelectorAll<HTMLElement>("[data-action]")];
  if (!shown.some((action) => action.hasAttribute("data-selected"))) shown[0]?.click();
}
