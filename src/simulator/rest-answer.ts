/** A request to Twilio's REST API, and its answer; `hang`: none ever comes. */
export type RestRequest = {
  method: string;
  /** Without the simulator's own prefix. */
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
  authorization: string | undefined;
};
export type RestAnswer =
  | { status: number; body: object; headers?: Record<string, string> }
  | { status: number; bytes: Buffer; type: string }
  | { hang: true };
