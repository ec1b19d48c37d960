import { expect } from 'chai'
import { fromLegacyForm, legacyForm } from '../../../../src/domain/notifications/request/legacy.ts'
import { fromMessagesForm, messagesForm } from '../../../../src/domain/notifications/request/messages.ts'
import { fromPushForm, pushForm } from '../../../../src/domain/notifications/request/push.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'

const NESTED = { target: { broadcast: true }, content: { title: 'Bread', message: 'Warm' } }
const READS: Record<string, (isTest: unknown) => boolean | undefined> = {
  messages: (isTest) => fromMessagesForm(parseJson(messagesForm, { ...NESTED, isTest })).isTest,
  push: (isTest) => fromPushForm(parseJson(pushForm, { ...NESTED, isTest })).isTest,
  flat: (isTest) =>
    fromLegacyForm(parseJson(legacyForm, { broadcast: true, title: 'Bread', message: 'Warm', isTest })).isTest,
}

describe('a send to see how it looks', () => {
  for (const [form, read] of Object.entries(READS))
    it(`is marked in the ${form} form`, () => {
      expect([read(true), read(false), read(undefined)]).to.deep.equal([true, false, undefined])
      expect(() => read('yes')).to.throw()
    })
})
