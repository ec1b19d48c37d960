/** The token of a one-time link. It stands in the fragment, which browsers send to nobody, so it reaches no log. */
export function tokenOf(hash: string): string | undefined {
  return new URLSearchParams(hash.slice(1)).get('token') || undefined
}
