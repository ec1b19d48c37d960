/** A random UUID in lower case. */
export function newUuid(): string {
  // A page without https has no `randomUUID`, but its browser names a blob by a random UUID (W3C File API, "generate a new blob URL").
  return crypto.randomUUID?.() ?? URL.createObjectURL(new Blob([])).slice(-36)
}
