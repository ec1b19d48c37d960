import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type Draft = Record<string, unknown>

interface Templates {
  contentOf(draft: Draft): object
  draftOfTemplate(of: object): Draft
  withContent(draft: Draft, of: object): Draft
  replacing(content: object): object
  shownOfTemplate(of: object): object
}

const { contentOf, draftOfTemplate, withContent, replacing, shownOfTemplate } = await loadPure<Templates>(
  'pages/push-templates/content.ts',
)
const { draftOf, pushOf } = await loadPure<{
  draftOf(request: object): Draft
  pushOf(draft: Draft): object | undefined
}>('pages/push/draft.ts')

const CONTENT = { title: 'Ready', message: 'Your order waits for you.' }

describe('the form of a push template', () => {
  const WHOLE: readonly [name: string, content: object][] = [
    ['title and message', { content: CONTENT }],
    ['an address and data', { content: { ...CONTENT, url: 'https://bakery.example/', data: { screen: 'offers' } } }],
    [
      'languages and values',
      {
        content: {
          title: 'Hello {{ user.name | default: "you" }}',
          message: 'M',
          languages: { de: { title: 'Hallo', message: 'N' } },
        },
        personalize: { missing: 'skip' },
      },
    ],
    [
      'parts of platforms and buttons',
      {
        content: CONTENT,
        ios: { subtitle: 'Today' },
        android: { channelId: 'offers' },
        buttons: [{ id: 'open', text: 'Show me' }],
      },
    ],
  ]
  for (const [name, content] of WHOLE) {
    it(`stores ${name} with what no field shows`, () => {
      const more = { ...content, ios: { ...('ios' in content && (content.ios as object)), future: [1] } }
      const draft = { ...draftOfTemplate({ uid: 'ready', version: 3, ...more }), 'ios.subtitle': 'Now' }
      expect(contentOf(draft)).to.deep.equal({ ...more, ios: { future: [1], subtitle: 'Now' } })
    })

    it(`stores ${name} as it was read`, () => {
      expect(contentOf(draftOfTemplate({ uid: 'ready', version: 3, ...content }))).to.deep.equal(content)
    })
  }

  it('holds nothing of how and to whom it is sent', () => {
    const draft = draftOf({
      target: { broadcast: true },
      content: CONTENT,
      purpose: 'news',
      collapseId: 'score',
      reportingMeta: { campaign: 'spring' },
      ttl: 60,
    })
    expect(contentOf(draft)).to.deep.equal({ content: CONTENT })
  })

  it('takes the parts away that are not written any more', () => {
    expect(replacing({ content: CONTENT, ios: { subtitle: 'Today' } })).to.deep.equal({
      content: CONTENT,
      personalize: null,
      lookup: null,
      ios: { subtitle: 'Today' },
      android: null,
      buttons: null,
    })
  })
})

describe('a push that is started from a push template', () => {
  const request = {
    target: { segmentUuid: 'regulars' },
    content: { title: 'Old', message: 'Old words', url: 'https://bakery.example/old' },
    ios: { subtitle: 'Old' },
    purpose: 'news',
    ttl: 60,
    schedule: { strategy: 'recurring', cron: '0 9 * * MON', timezone: 'Europe/Berlin' },
  }

  it('says what the push template says, and keeps whom it goes to and when', () => {
    const draft = { ...draftOf(request), when: 'repeat' }
    const { content: _content, ios: _ios, ...kept } = request
    expect(pushOf(withContent(draft, { content: CONTENT, android: { channelId: 'offers' } }))).to.deep.equal({
      ...kept,
      content: CONTENT,
      android: { channelId: 'offers' },
    })
  })
})

describe('a push template on a phone', () => {
  it('shows the words of its values in place of braces', () => {
    const text = 'Hello {{ user.name | default: "you" }}'
    const shown = { title: 'Hello [user.name]', subtitle: 'Today', message: 'M', buttons: ['Hello [user.name]'] }
    const of = { content: { title: text, message: 'M' }, ios: { subtitle: 'Today' }, buttons: [{ id: 'a', text }] }
    expect(shownOfTemplate({ ...of, personalize: {} })).to.deep.equal(shown)
    expect(shownOfTemplate(of)).to.deep.equal({ ...shown, title: text, buttons: [text] })
  })
})
