/** How the reason of a hold begins that a move has put on its source. */
export const MOVED = 'this database was moved to '

/** Why the source of a finished move is held. */
export function movedReason({ shown }: { shown: string }): string {
  return `${MOVED}${shown}, and only one of the two may send`
}
