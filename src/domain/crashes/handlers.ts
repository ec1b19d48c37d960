import { isPlainObject } from '../../platform/json.ts'
import { shortText } from '../../platform/lenient.ts'
import type { GatheringHandler } from '../events/handlers.ts'
import type { CrashesService, ReadCrash } from './service.ts'

/**
 * Crashes of React Native, Xamarin and Flutter apps arrive as events. They are moved from the event, which is kept longer, to the crash
 * reports. A report that is too large for that stays in the event.
 */
export function crashEventHandlers(crashes: Pick<CrashesService, 'read' | 'keep'>) {
  const logged: GatheringHandler<ReadCrash> = {
    read({ data: { format, report }, uuid }, { install: { installId } }) {
      if (!isPlainObject(report) && typeof report !== 'string') return undefined
      const whole = typeof report === 'string' ? { text: report } : report
      return crashes.read('event', { installId, report: whole, format: shortText(format), ownId: uuid })
    },
    adds: () => ({ report: undefined }),
    act: (appId, all) => crashes.keep(appId, 'event', all),
  }
  return { 'k.crash.loggedException': logged }
}
