/** Changes a row in place. Unlike `Object.assign`, it takes only the row's own fields, each with a value of its type. */
export function patch<T extends object>(row: T, change: NoInfer<Partial<T>>): T {
  return Object.assign(row, change);
}
