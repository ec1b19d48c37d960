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
const { documentOf } = await loadPure<{
  documentOf(template: object | undefined, draft: Draft, drawn?: object | null): object | null | undefined
}>('pages/in-app/readable-document.ts')

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

describe('the drawing of an in-app message that is being written', () => {
  const node = (type: string, text: string) => ({ type, text })
  const template = {
    content: {
      ver: 1,
      frame: {
        type: 'alert',
        nodes: [
          node('heading', '{{Title}}'),
          node('text', 'Only {{Price}} euros'),
          node('text', '{{More}}'),
          { type: 'image', src: '{{Picture}}', alt: '' },
          node('button', '{{Button}}'),
        ],
      },
    },
    tags: [
      { title: 'Title', type: 'text', required: true },
      { title: 'Price', type: 'number', required: true },
      { title: 'More', type: 'text', required: false },
      { title: 'Picture', type: 'image', required: true },
      { title: 'Button', type: 'text', required: false, default: 'Read on' },
    ],
    sample: { Title: 'Fresh', Price: 3, More: 'Gone by nine', Picture: 'https://example.com/a.png', Button: 'Buy' },
  }
  const drawnOf = (values: object, more: object = {}) => documentOf(template, { ...EMPTY, values, ...more }) as never
  const textsOf = (values: object, more: object = {}) =>
    (drawnOf(values, more) as typeof template.content).frame.nodes.map((one) => ('text' in one ? one.text : one.src))

  it('has the names of tags in the place of words that are missing, and no word of the sample', () => {
    expect(textsOf({})).to.deep.equal(['[Title]', 'Only [Price] euros', 'https://example.com/a.png', 'Read on'])
  })

  it('has what is written, and leaves out a text that is not', () => {
    const written = { Title: 'Rolls {{ user.attributes.firstName }}', Price: '2', More: ' ', Button: 'Order' }
    const rest = ['Only 2 euros', 'https://example.com/a.png', 'Order']
    expect(textsOf(written)).to.deep.equal([written.Title, ...rest])
    expect(textsOf(written, { personalize: true })[0]).to.not.include('{{')
  })

  it('is what the server has drawn for a person, once there is that', () => {
    const drawn = { ver: 1 }
    expect(documentOf(template, EMPTY, drawn)).to.equal(drawn)
    expect(documentOf(template, EMPTY, null)).to.equal(null)
    expect(documentOf(undefined, EMPTY, drawn)).to.equal(undefined)
  })
})
