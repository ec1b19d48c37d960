import { expect } from 'chai'
import { criticalFields } from '../../../src/domain/notifications/request/presentation.ts'
import { type Body, FORMS, on, parse, small, withAt, wrong } from '../../support/notification-forms.ts'

/** Every field of the blocks, all right. */
const LOOKS = {
  ios: {
    category: 'offer',
    sound: { critical: true, name: 'siren.caf', volume: 0.5 },
    media: { pictureUrl: 'https://example.com/a.png' },
    subtitle: 'Second line',
    threadId: 'order-7',
    interruptionLevel: 'time-sensitive',
    relevanceScore: 0.75,
    targetContentId: 'window-1',
    priority: 5,
  },
  android: {
    highPriority: true,
    sound: 'bell.wav',
    pictureUrl: 'https://example.com/b.png',
    channelId: 'orders',
    importance: 'high',
  },
  buttons: [
    { id: 'buy', text: 'Buy', icon: { type: 'system', id: 'cart' } },
    { id: 'no', text: 'No' },
  ],
}

for (const form of FORMS) {
  describe(`how a push looks and sounds, in the ${form} form`, () => {
    const contentOf = (more: Body) => parse[form]({ ...small[form](), ...more }).content
    const sound = (value: unknown) => contentOf({ ios: { sound: value } }).ios.sound

    it('is kept whole', () => {
      const { media, ...ios } = LOOKS.ios
      expect(contentOf(LOOKS)).to.deep.equal({
        title: 'T',
        message: 'M',
        background: false,
        ios: { ...ios, pictureUrl: media.pictureUrl },
        android: LOOKS.android,
        buttons: LOOKS.buttons,
      })
    })

    it('has a sound that is a name, or an object that says no more than the name unless it is critical', () => {
      expect(sound('bell.caf')).to.equal('bell.caf')
      expect(sound({ name: 'bell.caf' })).to.equal('bell.caf')
      expect(sound({ name: 'none', critical: false })).to.equal('none')
      expect(sound({ critical: true })).to.deep.equal({ critical: true })
      expect(sound({ critical: true, volume: 0 })).to.deep.equal({ critical: true, volume: 0 })
    })

    const wrongSounds: [string, unknown, string][] = [
      ['a volume without being critical', { name: 'bell.caf', volume: 1 }, 'ios.sound.volume'],
      ['nothing', {}, 'ios.sound.name'],
      ['silence that is critical', { critical: true, name: 'none' }, 'ios.sound.name'],
      ['a misspelt field', { critcal: true, name: 'bell.caf' }, 'ios.sound.critcal'],
    ]
    for (const [what, value, key] of wrongSounds) {
      it(`refuses a sound with ${what}, and names it`, () => {
        expect(on(form, 'ios.sound', value)).to.deep.equal([key])
      })
    }

    it('refuses an icon without type or id, or with more', () => {
      const icon = (value: unknown) => on(form, 'buttons', [{ id: 'a', text: 'b', icon: value }])
      expect(icon({})).to.deep.equal(['buttons[0].icon.id', 'buttons[0].icon.type'])
      expect(icon({ type: 'system', id: 'cart', color: 'red' })).to.deep.equal(['buttons[0].icon.color'])
    })

    it('has no other priority than 5 when nothing is shown', () => {
      const texts = form === 'legacy' ? '' : 'content.'
      const flag = form === 'legacy' ? 'isBackground' : 'runBackgroundHandler'
      const quiet = withAt(withAt(withAt(small[form](), `${texts}title`, ''), `${texts}message`, ''), flag, true)
      expect(Object.keys(wrong(form, withAt(quiet, 'ios.priority', 10)))).to.deep.equal(['ios.priority'])
      expect(wrong(form, withAt(quiet, 'ios.priority', 5))).to.deep.equal({})
    })

    it('needs the entitlement where it is critical', () => {
      expect(criticalFields(contentOf(LOOKS))).to.deep.equal(['ios.sound.critical'])
      expect(criticalFields(contentOf({ ios: { interruptionLevel: 'critical' } }))).to.deep.equal([
        'ios.interruptionLevel',
      ])
      expect(criticalFields(contentOf({ ios: { sound: 'bell.caf', interruptionLevel: 'active' } }))).to.deep.equal([])
    })
  })
}

it('the flat form takes the sound of iOS in one place only', () => {
  const body = { ...small.legacy(), ios: { sound: 'a.caf' }, soundConfig: { iosSound: 'b.caf' } }
  expect(Object.keys(wrong('legacy', body))).to.deep.equal(['soundConfig.iosSound'])
})
