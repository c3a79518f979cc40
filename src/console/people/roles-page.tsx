import { Table } from "@mantine/core";
import { IconCheck, IconMinus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Fragment } from "react";
import type { PermissionGroupResponse, RoleResponse } from "../api-types.ts";
import { useNewRecord } from "../lists/new-record.tsx";
import { Fetched, PageHead, RouteLink, Scroller } from "../parts/parts.tsx";
import { call } from "../server/api.ts";
import classes from "./roles-page.module.css";

/** Read at once, because a sub-organization has only a few roles. */
const ALL = 1000;

/** By hand: not a list, but who may do what at a glance. */
export default function RolesPage() {
  const { button } = useNewRecord({ permission: "roles_write", to: "/roles/new", label: "New role" });
  const matrix = useQuery({
    queryKey: ["GET /api/v1/roles/", "matrix"],
    async queryFn({ signal }) {
      const [roles, groups] = await Promise.all([
        call("GET /api/v1/roles/", { query: { limit: ALL }, signal }),
        call("GET /api/v1/permissions/", { signal }),
      ]);
      return { roles: roles.items, groups };
    },
  });
  return (
    <>
      <PageHead
        title="Roles"
        about="What each role may do. Built-in roles can't be changed; create your own."
        actions={button}
      />
      <Fetched query={matrix} lines={16}>
        {({ roles, groups }) => <Matrix roles={roles} groups={groups} />}
      </Fetched>
    </>
  );
}

function Matrix({ roles, groups }: { roles: RoleResponse[]; groups: PermissionGroupResponse[] }) {
  return (
    <Scroller className={classes.frame} label="Roles and their permissions">
      <Table className={classes.matrix} stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Permission</Table.Th>
            {roles.map(({ id, name, is_system_role }) => (
              <Table.Th key={id} className={classes.role}>
                <RouteLink to={`/roles/${id}`}>{name}</RouteLink>
                {is_system_role && <div className={classes.aside}>built in</div>}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <Fragment key={group.name}>
              <Table.Tr className={classes.group}>
                <Table.Th scope="rowgroup" colSpan={roles.length + 1}>
                  {group.name} <span className={classes.aside}>{group.description}</span>
                </Table.Th>
              </Table.Tr>
              {group.permissions.map(({ name, display_name }) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row" className={classes.permission}>
                    {display_name} <code>{name}</code>
                  </Table.Th>
                  {roles.map((role) => (
                    <Table.Td key={role.id} className={classes.cell}>
                      {role.permissions.includes(name) ? (
                        <IconCheck size={16} aria-label="yes" />
                      ) : (
                        <IconMinus size={14} aria-label="no" className={classes.no} />
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Scroller>
  );
}
