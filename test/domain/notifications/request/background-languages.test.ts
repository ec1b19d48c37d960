import { expect } from 'chai'
import { buildApnsHeaders, buildApnsPayload } from '../../../../src/domain/gateways/apns/payload.ts'
import { contentIn } from '../../../../src/domain/notifications/personal/texts.ts'
import {
  fromLegacyForm,
  fromMessagesForm,
  fromPushForm,
  legacyForm,
  messagesForm,
  pushForm,
} from '../../../../src/domain/notifications/schema.ts'
import { isAppError } from '../../../../src/platform/errors.ts'
import { parseJson } from '../../../../src/platform/values/parse.ts'

const SILENT = { title: '', message: '' }
const DE = { ...SILENT, data: { sync: 'de' } }
const SAID = { title: 'T', message: 'M' }

const nested = (content: object, more: object = {}) => ({ target: { broadcast: true }, content, ...more })
const FORMS = {
  'the messages host': (content: object, more: object = {}) =>
    fromMessagesForm(parseJson(messagesForm, nested(content, more))),
  'the push host': (content: object, more: object = {}) => fromPushForm(parseJson(pushForm, nested(content, more))),
  'the flat form': (
    content: object,
    { runBackgroundHandler, ...more }: { runBackgroundHandler?: true; ios?: object } = {},
  ) =>
    fromLegacyForm(
      parseJson(legacyForm, {
        broadcast: true,
        ...content,
        ...(runBackgroundHandler && { isBackground: true }),
        ...more,
      }),
    ),
}
const BACKGROUND = { runBackgroundHandler: true as const }

function refusal(work: () => unknown): string[] {
  try {
    work()
  } catch (error) {
    if (isAppError(error)) return Object.keys(error.details.fields ?? {})
    throw error
  }
  return []
}

describe('a background push in several languages', () => {
  for (const [name, read] of Object.entries(FORMS)) {
    const at = name === 'the flat form' ? '' : 'content.'

    it(`may say nothing in each of them, as it may in one: ${name}`, () => {
      const { content } = read({ ...SILENT, languages: { de: DE } }, BACKGROUND)
      const german = { ...contentIn(content, 'de'), notificationId: 1 }
      const payload = buildApnsPayload(german)
      expect(payload.aps).to.deep.equal({ 'content-available': 1 })
      expect(JSON.stringify(payload)).to.contain('"sync":"de"')
      expect(buildApnsHeaders({ content: german, expiresAt: 0, replacementKey: 'n1' })).to.include({
        'apns-push-type': 'background',
        'apns-priority': '5',
      })
      expect(refusal(() => read({ ...SAID, languages: { de: DE } }, BACKGROUND))).to.eql([])
    })

    it(`must say something in each of them when it is shown: ${name}`, () => {
      expect(refusal(() => read({ ...SAID, languages: { de: DE, fr: { ...SAID, title: '' } } }))).to.have.members([
        `${at}languages.de.title`,
        `${at}languages.de.message`,
        `${at}languages.fr.title`,
      ])
      expect(refusal(() => read({ ...SAID, languages: { de: {} } }))).to.have.members([
        `${at}languages.de.title`,
        `${at}languages.de.message`,
      ])
    })

    it(`has no priority that Apple refuses where it says nothing in one of them: ${name}`, () => {
      const ios = { priority: 10 }
      expect(refusal(() => read({ ...SAID, languages: { de: DE } }, { ...BACKGROUND, ios }))).to.eql(['ios.priority'])
      expect(refusal(() => read({ ...SAID, languages: { de: SAID } }, { ...BACKGROUND, ios }))).to.eql([])
    })
  }
})
