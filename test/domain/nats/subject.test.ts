import { expect } from 'chai'
import { subjectOf } from '../../../src/domain/nats/subject.ts'

describe('the subject of an event', () => {
  const cases: [type: string, subject: string][] = [
    ['purchase', 'appsvc.7.purchase'],
    ['k.message.opened', 'appsvc.7.k.message.opened'],
    ['added to cart', 'appsvc.7.added_to_cart'],
    ['a*b>c', 'appsvc.7.a_b_c'],
    ['.a..b.', 'appsvc.7._.a._.b._'],
    ['größe', 'appsvc.7.größe'],
    ['a\r\nPUB x', 'appsvc.7.a__PUB_x'],
  ]
  for (const [type, subject] of cases) {
    it(`of ${JSON.stringify(type)} is ${subject}`, () => expect(subjectOf(7, type)).to.equal(subject))
  }
})
