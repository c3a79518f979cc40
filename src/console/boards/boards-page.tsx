import { IconLayoutDashboard } from "@tabler/icons-react";
import { changedColumn, descriptionColumn, nameColumn } from "../lists/columns.tsx";
import { listPage } from "../lists/list-page.tsx";

export default listPage({
  title: "Boards",
  about: "Your own figures of sessions and campaigns, compared with the period before.",
  operation: "GET /api/v1/boards/",
  columns: [nameColumn("/boards"), descriptionColumn(), changedColumn("last_updated")],
  search: { field: "name", label: "Search by name" },
  create: { permission: "reports_write", to: "/boards/new", label: "New board" },
  empty: {
    title: "No boards yet",
    icon: IconLayoutDashboard,
    about:
      "A board is a page of tiles: each counts something of your sessions and opens the sessions behind it.",
  },
});
