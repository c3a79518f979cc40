import { queryOptions } from "@tanstack/react-query";
import { callConsole } from "../server/api.ts";

export type Account = {
  email: string;
  has_password: boolean;
  has_second_factor: boolean;
  has_app: boolean;
  has_passkeys: boolean;
  recovery_codes_left: number;
  sign_ins: {
    id: number;
    created_at: string;
    expires_at: string;
    last_used_at: string | null;
    address: string | null;
    browser: string | null;
    is_this: boolean;
  }[];
};

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: () => callConsole("/api/console/account") as Promise<Account>,
});

export type Passkey = {
  id: number;
  name: string;
  is_synced: boolean;
  created_at: string;
  last_used_at: string | null;
  is_locked: boolean;
};

export const passkeysQuery = queryOptions({
  queryKey: ["passkeys"],
  queryFn: () =>
    callConsole("/api/console/account/passkeys") as Promise<{ is_possible: boolean; passkeys: Passkey[] }>,
});
