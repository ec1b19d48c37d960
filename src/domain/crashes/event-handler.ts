import { isPlainObject } from '../../platform/json/json.ts'
import { shortText } from '../../platform/values/lenient.ts'
import type { TypesOf } from '../events/event-types.ts'
import type { EventHandler } from '../events/handler.ts'
import type { CrashesService, ReadCrash } from './service.ts'

/**
 * Crashes that arrive as events, from React Native, Xamarin and Flutter apps. The report is stored as a crash report
 * and removed from the event, because events are kept longer. A report that is too large for a crash report stays in
 * the event.
 */
export function createCrashHandler(
  crashes: Pick<CrashesService, 'read' | 'keep'>,
): EventHandler<ReadCrash, TypesOf<'crashes'>> {
  return {
    read: {
      'k.crash.loggedException'({ data: { format, report }, uuid }, { install: { installId } }) {
        if (!isPlainObject(report) && typeof report !== 'string') return undefined
        const whole = typeof report === 'string' ? { text: report } : report
        return crashes.read('event', { installId, report: whole, format: shortText(format), ownId: uuid })
      },
    },
    // oxlint-disable-next-line typescript/require-await
    adds: async (_, all) => all.map(() => ({ report: undefined })),
    act: (appId, all) => crashes.keep(appId, 'event', all),
  }
}
