import { expect } from 'chai'
import { changePrompt, parsePrompt } from '../../../../src/domain/gateways/web/prompts.schema.ts'
import { AppError } from '../../../../src/platform/errors.ts'

const LABELS = { heading: 'News?', body: 'At most one a day', declineAction: 'No', acceptAction: 'Yes' }
const ALERT = { type: 'alert', labels: { alert: LABELS } }
const channels = { presentedUuids: 'all', checkedUuids: 'none' }
const dialogConfig = {
  labels: { heading: 'Which?', confirmAction: 'These' },
  colors: { bg: '#fff', fg: '#000', confirmActionBg: '#1753d8', confirmActionFg: '#fff' },
  position: 'bottom-center',
}

function errorsOf(work: () => unknown): Record<string, string[]> {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error.details.fields ?? {}
    throw error
  }
  return {}
}

describe('the file of a prompt', () => {
  it('has a default for everything but the texts of a box', () => {
    expect(parsePrompt({ type: 'bell' })).to.deep.equal({
      type: 'bell',
      trigger: { event: 'k.pageViewed' },
      position: 'bottom-right',
      labels: { thanksForSubscribing: 'Thanks for subscribing!', tooltip: { subscribe: 'Get notifications' } },
      colors: { bell: { fg: '#ffffff', bg: '#1753d8' } },
    })
    expect(parsePrompt({ type: 'banner', labels: { banner: LABELS } })).to.deep.include({
      position: 'top',
      labels: { thanksForSubscribing: 'Thanks for subscribing!', banner: LABELS },
      uiActions: { decline: { type: 'decline' } },
    })
    expect(parsePrompt(ALERT).colors).to.have.nested.property('alert.acceptActionBg', '#1753d8')
  })

  it('goes through whole when everything is given', () => {
    const whole = {
      type: 'alert',
      trigger: {
        event: 'cartFilled',
        afterSeconds: 5,
        filters: [
          ['path', 'IN', ['/shop/*']],
          ['total', '>=', 20],
          ['member', '=', true],
        ],
      },
      position: 'top',
      labels: { thanksForSubscribing: 'Danke', alert: LABELS },
      colors: {
        alert: {
          fg: '#000',
          bg: '#fff',
          declineActionFg: '#111',
          declineActionBg: '#222222',
          acceptActionFg: 'rgb(1, 2, 3)',
          acceptActionBg: '#12345678',
        },
      },
      uiActions: { decline: { type: 'remind', delay: { duration: 3, timeUnit: 'days' } } },
      imageUrl: 'https://example.com/a.png',
      backgroundMask: { colors: { bg: 'rgba(0, 0, 0, 0.5)' } },
      overlay: {
        iconUrl: 'https://example.com/i.png',
        labels: { heading: 'Press allow', body: 'up there' },
        links: [{ label: 'Privacy', url: 'https://example.com/privacy' }],
        colors: { shade: '#0008', strip: '#fff', text: '#000' },
      },
      silentOverlay: { labels: { body: 'Press the bell' }, colors: { text: '#000' } },
      actions: [
        { type: 'subscribeToChannel', channelUuid: 'news' },
        { type: 'userChannelSelectInline', channels: { presentedUuids: ['a', 'b'], checkedUuids: 'all' } },
        { type: 'userChannelSelectDialog', channels, dialogConfig },
      ],
    }
    expect(parsePrompt(whole)).to.deep.equal(whole)
  })

  const wrong: [string, unknown, string[]][] = [
    ['no object', [], ['']],
    ['no type', {}, ['type']],
    ['a type that there is not', { type: 'popup' }, ['type']],
    ['a box without texts', { type: 'alert' }, ['labels']],
    ['texts of another box', { type: 'alert', labels: { banner: LABELS } }, ['labels.alert', 'labels.banner']],
    [
      'a text that is missing',
      { type: 'alert', labels: { alert: { ...LABELS, body: undefined } } },
      ['labels.alert.body'],
    ],
    ['a place for another type', { ...ALERT, position: 'bottom-left' }, ['position']],
    ['a bell that can be declined', { type: 'bell', uiActions: { decline: { type: 'decline' } } }, ['uiActions']],
    ['a misspelt part', { ...ALERT, tigger: { event: 'x' } }, ['tigger']],
    ['a trigger without event', { ...ALERT, trigger: { afterSeconds: 1 } }, ['trigger.event']],
    ['a time before the event', { ...ALERT, trigger: { event: 'x', afterSeconds: -1 } }, ['trigger.afterSeconds']],
    [
      'filters that mean nothing',
      {
        ...ALERT,
        trigger: {
          event: 'x',
          filters: [['a', '~', 1], ['a', '=', 1], ['', '=', 1], ['a', 'in', 'b'], ['a', '>', true], 'a'],
        },
      },
      [0, 2, 3, 4, 5].map((i) => `trigger.filters[${i}]`),
    ],
    ['a colour by name', { ...ALERT, colors: { alert: { fg: 'red; x' } } }, ['colors.alert.fg']],
    ['a picture that is script', { ...ALERT, imageUrl: 'javascript:alert(1)' }, ['imageUrl']],
    [
      'a link that is script',
      {
        ...ALERT,
        overlay: {
          labels: { heading: 'a', body: 'b' },
          colors: { shade: '#000', strip: '#000', text: '#000' },
          links: [{ label: 'x', url: 'data:text/html,x' }],
        },
      },
      ['overlay.links[0].url'],
    ],
    [
      'a reminder without a time',
      { ...ALERT, uiActions: { decline: { type: 'remind' } } },
      ['uiActions.decline.delay'],
    ],
    [
      'actions that mean nothing',
      {
        ...ALERT,
        actions: [
          { type: 'dance' },
          { type: 'subscribeToChannel' },
          { type: 'userChannelSelectInline', channels: { presentedUuids: 'none', checkedUuids: [1] } },
          { type: 'userChannelSelectDialog', channels, dialogConfig: { ...dialogConfig, position: 'left' } },
        ],
      },
      [
        'actions[0].type',
        'actions[1].channelUuid',
        'actions[2].channels.presentedUuids',
        'actions[2].channels.checkedUuids',
        'actions[3].dialogConfig.position',
      ],
    ],
  ]
  for (const [name, file, keys] of wrong) {
    it(`is refused with ${name}`, () => expect(errorsOf(() => parsePrompt(file))).to.have.all.keys(keys))
  }

  it('changes by whole parts; null takes one away, and what is left must be a prompt', () => {
    const before = parsePrompt({ ...ALERT, imageUrl: 'https://example.com/a.png', position: 'top' })
    const after = changePrompt(before, { imageUrl: null, trigger: { event: 'x' } })
    expect(after).to.not.have.property('imageUrl')
    expect(after).to.deep.include({ position: 'top', trigger: { event: 'x' }, labels: before.labels })
    expect(errorsOf(() => changePrompt(before, { labels: null }))).to.have.all.keys('labels')
    expect(errorsOf(() => changePrompt(before, {}))).to.have.all.keys('')
  })

  it('keeps only the trigger when it becomes another type', () => {
    const before = parsePrompt({ ...ALERT, trigger: { event: 'x' } })
    expect(changePrompt(before, { type: 'bell' })).to.deep.equal(parsePrompt({ type: 'bell', trigger: { event: 'x' } }))
  })
})
