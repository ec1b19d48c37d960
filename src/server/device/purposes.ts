import { choicesForm } from '../../domain/consent/schema.ts'
import { chosenPurposes, presentAllChosen } from '../../present/api/consent.ts'
import { CAPPED, takeNewcomers } from '../limits/caps.ts'
import { CHOICES } from '../openapi/words/consent.ts'
import { get, put, type Route } from '../routing/route.ts'
import { namedUser, UNSIGNED } from './named-user.ts'

const DEVICE = { area: 'crm', needs: 'device-key', bodyLimit: 'limits.deviceBody', device: true } as const

/** Routes for the purposes that the user of a device allows. An addition of ours: no SDK calls it. */
export const devicePurposeRoutes: Route[] = [
  get('/v1/users/:userId/purposes', {
    ...DEVICE,
    summary: 'Read what the user allows; a user whom nobody knows has the defaults',
    description: 'Returns every purpose of the app, chosen or not. The user need not be known yet.',
    also: UNSIGNED,
    returns: chosenPurposes,
    run: async (call) => presentAllChosen(await call.tx.purposes.allowedBy(call.appId, await namedUser(call))),
  }),
  put('/v1/users/:userId/purposes', {
    ...DEVICE,
    summary: 'Store what the user chose',
    description: `${CHOICES} The user is created if there is none, so that a refusal is never lost.`,
    takes: 'Choices',
    sends: { news: false },
    body: choicesForm,
    also: { ...CAPPED, ...UNSIGNED },
    returns: chosenPurposes,
    run: async (call) => {
      const { tx, appId, body } = call
      const { isNew, chosen } = await tx.purposes.choose(appId, await namedUser(call), body, 'device')
      await takeNewcomers(call, Number(isNew))
      return presentAllChosen(chosen)
    },
  }),
]
