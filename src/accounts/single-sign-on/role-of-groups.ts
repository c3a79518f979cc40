/** A group of the identity provider, and the role it gives. */
export type GroupRole = { group: string; role_id: number };

/**
 * The role of somebody with these groups: that of the first line whose group they have, else the one for everybody else;
 * null: none. Groups are compared exactly.
 */
export const roleOfGroups = (
  groups: readonly string[],
  roles: readonly GroupRole[],
  default_role_id: number | null,
): number | null => roles.find(({ group }) => groups.includes(group))?.role_id ?? default_role_id;

/** What a claim says of groups: a list of texts, or one text; all else is none. */
export function groupsOf(claim: unknown): string[] {
  if (typeof claim === "string") return [claim];
  return Array.isArray(claim) ? claim.filter((one): one is string => typeof one === "string") : [];
}
