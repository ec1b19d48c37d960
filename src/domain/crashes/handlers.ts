import { isPlainObject } from '../../platform/parse.ts'
import { shortText } from '../crm/lenient.ts'
import type { EventHandlers } from '../events/handlers.ts'
import type { CrashesService } from './service.ts'

/**
 * Crashes that come as events, of React Native, Xamarin and Flutter apps: kept as crash reports, and no longer in the event, which
 * is kept for longer. A report that is too large for that stays where it is.
 */
export function crashEventHandlers(crashes: Pick<CrashesService, 'accept'>): EventHandlers {
  return {
    async 'k.crash.loggedException'({ data, uuid }, { appId, install }) {
      const { format, report } = data
      if (!isPlainObject(report) && typeof report !== 'string') return
      const known = await crashes.accept(appId, {
        installId: install.installId,
        source: 'event',
        reports: [typeof report === 'string' ? { text: report } : report],
        format: shortText(format),
        ownId: uuid,
      })
      if (known > 0) return { report: undefined }
    },
  }
}
