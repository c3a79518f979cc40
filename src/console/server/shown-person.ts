/*
 * Whom this page shows as signed in. All tabs of a browser share one sign-in: after somebody else has signed in in another
 * tab, what this page sends would be done in their name and their organization. So each request says whom it is of, and
 * the server refuses it to anybody else.
 */
let shown: number | null = null;

export const showPerson = (user_id: number): void => {
  shown = user_id;
};

export const ofShownPerson = (): Record<string, string> =>
  shown === null ? {} : { "x-signed-in-as": String(shown) };
