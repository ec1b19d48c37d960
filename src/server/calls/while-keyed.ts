import type { Context } from 'koa'
import type { App } from '../../app.ts'
import { isAppError } from '../../platform/errors.ts'
import { goneSignal } from '../http/gone.ts'
import type { KeyNeeds, Route } from '../routing/route.ts'
import { authenticate } from './auth.ts'

/** How often it is looked whether the keys of a call that waits, or of a long answer, still open it. A key that is known costs no read. */
const LOOK_MS = 400

/** A call of a program whose keys may end while it goes on. */
export interface Keyed {
  /** Aborted when the caller is gone, or its keys have ended. */
  readonly signal: AbortSignal
  /** Throws as for a wrong key when the keys have ended. */
  check(): Promise<void>
}

/** Watches the keys of a call until its connection is done with it; `end` is called when they have ended. */
export function whileKeyed(
  host: App,
  route: Pick<Route, 'permission' | 'scope'> & { needs: KeyNeeds | 'path-key' },
  { params, context, end }: { params: Record<string, string>; context: Context; end?: () => void },
): Keyed {
  const ended = new AbortController()
  const check = async () => {
    try {
      await authenticate(host, route, context.req.headers.authorization || undefined, params)
    } catch (error) {
      if (isAppError(error)) ended.abort(error)
      throw error
    }
  }
  // A database that cannot be asked ends nothing here: the answer needs it, too.
  const timer = setInterval(() => void check().catch(() => {}), LOOK_MS)
  timer.unref()
  context.res.once('close', () => clearInterval(timer))
  ended.signal.addEventListener('abort', () => {
    clearInterval(timer)
    end?.()
  })
  return {
    get signal() {
      return AbortSignal.any([goneSignal(context.res), ended.signal])
    },
    check,
  }
}
