import { invalid } from '../../platform/errors.ts'
import { isPlainObject } from '../../platform/json/json.ts'
import { yesOrNo } from '../../platform/values/lenient.ts'
import type { CrmService } from '../crm/service.ts'
import { CRM_EVENTS, type TypesOf } from './event-types.ts'
import type { EventHandler } from './handler.ts'

/** A change to a user or an install, checked and ready to be made. */
type Change = () => Promise<unknown>

/** Events that change users and installs. */
export function createCrmHandler(crm: CrmService): EventHandler<Change, TypesOf<'crm'>> {
  return {
    read: {
      [CRM_EVENTS.installTracked]:
        ({ data, at }, { appId, install }) =>
        () =>
          crm.trackInstall(appId, install, data, at),

      [CRM_EVENTS.userAssociated]({ data, at }, { appId, install }) {
        const id = typeof data.id === 'number' ? String(data.id) : data.id
        if (typeof id !== 'string') throw invalid({ id: ['must be a string'] })
        const attributes = isPlainObject(data.attributes) ? data.attributes : undefined
        return () => crm.associate(appId, install, id, { attributes, at })
      },

      [CRM_EVENTS.userAssociationCleared]:
        ({ at }, { appId, install }) =>
        () =>
          crm.clearAssociation(appId, install, at),

      [CRM_EVENTS.deviceRegistered]:
        ({ data, at }, { appId, install }) =>
        () =>
          crm.registerToken(appId, install, data, at),

      [CRM_EVENTS.deviceUnsubscribed]:
        ({ at }, { appId, install }) =>
        () =>
          crm.unregisterToken(appId, install, at),

      [CRM_EVENTS.notificationEnablementChanged]({ data, at }, { appId, install }) {
        const enabled = yesOrNo(data.notificationsEnabled)
        if (enabled === null) throw invalid({ notificationsEnabled: ['must be true or false'] })
        return () => crm.setNotificationsEnabled(appId, install, enabled, at)
      },

      [CRM_EVENTS.inAppStatusUpdated]({ data, at }, { appId, install, userIdentifier, speaksForUser }) {
        if (!speaksForUser) return undefined
        const consented = yesOrNo(data.consented)
        if (consented === null) throw invalid({ consented: ['must be true or false'] })
        return () => crm.setInAppEnabled(appId, install, userIdentifier, consented, at)
      },
    },

    async act(_, changes) {
      for (const change of changes) await change()
    },
  }
}
