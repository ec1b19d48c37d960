import { fromRestraintForm, restraintForm } from '../../domain/apps/schema.ts'
import { presentRestraint, restraint } from '../../present/api/restraint.ts'
import { get, put, type Route } from '../routing/route.ts'

/**
 * The rules of an app: quiet hours, frequency cap, confirmation of large sends, channels of devices, language
 * attribute. Not in the contract.
 */
export const restraintRoutes: Route[] = [
  get('/v1/restraint', {
    area: 'messages',
    summary: 'Read quiet hours, frequency cap and the other rules of the app',
    description: 'A rule that is switched off is null.',
    scope: 'read',
    needs: 'server-key',
    returns: restraint,
    run: async ({ tx, appId }) => presentRestraint(await tx.apps.restraint(appId)),
  }),
  put('/v1/restraint', {
    area: 'messages',
    summary: 'Set quiet hours, frequency cap and the other rules of the app',
    description: 'An absent field stays as it is; null switches a rule off. The rules apply to sends from then on.',
    takes: 'RestraintChange',
    sends: { quietHours: { from: '22:00', to: '07:00' }, frequencyCap: { count: 5, hours: 24 }, confirmAbove: null },
    scope: 'admin',
    needs: 'server-key',
    body: restraintForm,
    returns: restraint,
    run: async ({ tx, appId, body }) => presentRestraint(await tx.apps.restrain(appId, fromRestraintForm(body))),
  }),
]
