import type { Context } from 'koa'
import { isAppError } from '../../platform/errors.ts'
import type { Program } from '../../program.ts'
import { goneSignal } from '../http/gone.ts'
import type { KeyNeeds, Route } from '../routing/route.ts'
import { authenticate } from './auth.ts'

/** The time (ms) between two looks whether the keys of a waiting call or a long answer still open it. A known key costs no read. */
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
  program: Program,
  route: Pick<Route, 'permission' | 'scope'> & { needs: KeyNeeds | 'path-key' },
  { params, context, end }: { params: Record<string, string>; context: Context; end?: () => void },
): Keyed {
  const ended = new AbortController()
  const check = async () => {
    try {
      await authenticate(program, route, context.req.headers.authorization || undefined, params)
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
