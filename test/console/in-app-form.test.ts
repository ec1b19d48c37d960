import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Draft = Record<string, unknown>
interface Form {
  EMPTY: Draft
  draftOfSeries(request: object): Draft
  messageOf(draft: Draft): object | undefined
  missingTexts(tags: readonly object[], draft: Draft): Record<string, string>
  placesOf(tags: readonly object[], draft: Draft): Record<string, string>
}
const { EMPTY, draftOfSeries, messageOf, missingTexts, placesOf } = await loadPure<Form>('pages/in-app/draft.ts')

const PICTURE = 'https://example.com/bread.png'
const REQUEST = {
  target: { broadcast: true },
  template: 'bread',
  content: { Title: 'Fresh' },
  presentedWhen: 'never',
  schedule: { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'UTC' },
}
const OWN = {
  title: 'Fresh bread',
  message: 'Look inside.',
  ios: { media: { pictureUrl: PICTURE } },
  android: { pictureUrl: PICTURE },
  languages: { de: { title: 'Brot', message: 'Schau hinein.', pictureUrl: PICTURE } },
}
const EACH: Record<string, object> = {
  'no push': {},
  'a push of its own': { notification: OWN },
  'a push with one picture': { notification: { title: 'T', message: 'M', android: { pictureUrl: PICTURE } } },
  'a push template': { notification: { template: 'ready' } },
  'a push template with a text of its own': { notification: { template: 'ready', title: 'Mine' } },
  'what no field shows': {
    data: { screen: 'x' },
    future: 1,
    notification: { ...OWN, future: 2, ios: { ...OWN.ios, future: 3 } },
  },
}

describe('the form of an in-app message', () => {
  for (const [name, parts] of Object.entries(EACH)) {
    it(`sends ${name} again as it was`, () => {
      expect(messageOf(draftOfSeries({ ...REQUEST, ...parts }))).to.deep.equal({ ...REQUEST, ...parts })
    })

    it(`keeps ${name} when a value of the message changes`, () => {
      const changed = { ...draftOfSeries({ ...REQUEST, ...parts }), values: { Title: 'Rolls' } }
      expect(messageOf(changed)).to.deep.equal({ ...REQUEST, ...parts, content: { Title: 'Rolls' } })
    })

    it(`sends no push when somebody takes it from ${name}`, () => {
      expect(messageOf({ ...draftOfSeries({ ...REQUEST, ...parts }), push: 'none' })).to.not.have.property(
        'notification',
      )
    })
  }

  const written = { ...EMPTY, who: 'everybody', template: 'bread', presentedWhen: 'never' }

  it('sends the picture of a push to all devices, and the languages that say something', () => {
    const draft = {
      ...written,
      push: 'own',
      'notification.title': 'T',
      'notification.message': 'M',
      'notification.picture': PICTURE,
      'notification.languages': {
        de: { title: 'A', message: 'B', pictureUrl: '' },
        fr: { title: '', message: '' },
      },
    }
    expect(messageOf(draft)).to.deep.include({
      notification: {
        title: 'T',
        message: 'M',
        ios: { media: { pictureUrl: PICTURE } },
        android: { pictureUrl: PICTURE },
        languages: { de: { title: 'A', message: 'B' } },
      },
    })
  })

  it('sends of a push template its name alone', () => {
    const own = draftOfSeries({ ...REQUEST, notification: OWN })
    expect(messageOf({ ...own, push: 'template', 'notification.template': 'ready' })).to.deep.include({
      notification: { template: 'ready' },
    })
  })

  it('asks for both texts of a language of the push, beside them', () => {
    const draft = { ...written, push: 'own', 'notification.languages': { de: { title: 'Brot', message: ' ' } } }
    const place = 'notification.languages.de.message'
    expect(missingTexts([], draft)).to.deep.equal({ [place]: 'Write what the push says in German.' })
    expect(placesOf([], draft)).to.include({ [place]: place })
    expect(missingTexts([], { ...draft, push: 'none' })).to.deep.equal({})
  })
})
