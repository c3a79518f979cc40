import "@mantine/spotlight/styles.css";
import { createSpotlight, Spotlight, type SpotlightActionData } from "@mantine/spotlight";
import { IconRobot, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { PAGES } from "../pages.tsx";
import { call } from "../server/api.ts";
import { useMay } from "../server/me.tsx";

const [store, spotlight] = createSpotlight();
const FOUND = 5;

/** Ctrl K: finds pages and agents by name, and sessions by number. */
export default function Palette({ opened, onClose }: { opened: boolean; onClose(): void }) {
  const may = useMay();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  useEffect(() => {
    if (opened) spotlight.open();
  }, [opened]);
  const go = (to: string) => () => void navigate({ to });

  const agents = useQuery({
    queryKey: ["palette agents", text],
    enabled: opened && text.trim() !== "" && may("agents_read"),
    queryFn: ({ signal }) =>
      call("GET /api/v1/agents/", {
        query: {
          search_fields: ["name"],
          search_field_values: [text.trim()],
          limit: FOUND,
          fields: ["id", "name"],
        },
        signal,
      }),
  });
  const pages = PAGES.filter(
    ({ menu, permission }) => menu && (permission === undefined || may(permission)),
  ).map(
    ({ path, title, menu }): SpotlightActionData => ({
      id: path,
      label: title,
      description: menu?.group || "Start",
      leftSection: menu && <menu.icon size={18} />,
      onClick: go(path),
    }),
  );
  const records = (agents.data?.items ?? []).map(
    ({ id, name }): SpotlightActionData => ({
      id: `agent ${id}`,
      label: name,
      description: "Agent",
      leftSection: <IconRobot size={18} />,
      keywords: text,
      onClick: go(`/agents/${id}`),
    }),
  );
  const session = /^\d+$/.test(text.trim())
    ? [{ id: "session", label: `Session ${text.trim()}`, onClick: go(`/sessions/${text.trim()}`) }]
    : [];

  return (
    <Spotlight
      store={store}
      actions={[...session, ...pages, ...records]}
      query={text}
      onQueryChange={setText}
      onSpotlightClose={() => {
        setText("");
        onClose();
      }}
      shortcut={null}
      nothingFound="Nothing by that name"
      highlightQuery
      searchProps={{
        leftSection: <IconSearch size={18} />,
        placeholder: "A page, an agent, or the number of a session",
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
