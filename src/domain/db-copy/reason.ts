import { MOVED } from '../../platform/instance/custody.ts'

/** Reason why the source of a finished move is held. */
export function movedReason({ shown }: { shown: string }): string {
  return `${MOVED}${shown}, and only one of the two may send`
}
