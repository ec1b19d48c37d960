import type { FieldErrors } from '../../../platform/errors.ts'
import type { LinkedPushes, PreparedPush } from '../fan-out/linked-push.ts'
import type { InAppRequest } from '../request/request.ts'

/**
 * Prepares the linked push of a request; undefined when it has none, or when it is wrong. Adds its problems to `wrong`, in which those of
 * the message come first.
 */
export async function preparePush(
  pushes: Pick<LinkedPushes, 'prepare'>,
  appId: number,
  { notification, personal = {} }: Pick<InAppRequest, 'notification' | 'personal'>,
  wrong: FieldErrors,
  now: number,
): Promise<PreparedPush | undefined> {
  if (!notification) return undefined
  const { errors, push } = await pushes.prepare(appId, { announcing: notification, personal }, now)
  Object.assign(wrong, { ...errors, ...wrong })
  return push
}
