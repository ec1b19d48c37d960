import { expect } from 'chai'
import type { Prepared, PreparedMany } from '../../../../src/domain/gateways/gateway.ts'
import { BufferMemory } from '../../../../src/domain/notifications/deliver/buffer-memory.ts'
import { type Edition, SeveralEditions } from '../../../../src/domain/notifications/deliver/editions.ts'

/** A message as it is sent. */
type Said = Prepared & { said: string }

const saidOf = ({ language, texts }: Edition) => `${language ?? ''}:${texts.join('|')}`

/** Makers of messages that say their texts. Counts how often it was asked what many have in common. */
function makers(asked: (string | undefined)[] = []) {
  const one = (edition: Edition): Said => ({ brand: 'prepared', said: saidOf(edition) })
  return {
    one,
    many({ language }: Edition): PreparedMany | undefined {
      asked.push(language)
      if (language === 'fr') return undefined
      return {
        mostBytes: (texts) => 100 + texts.join('').length * 3,
        write: (texts, bytes, at) =>
          texts.includes('') ? undefined : at + bytes.write(saidOf({ language, texts }), at),
        from: (bytes, from, to): Said => ({ brand: 'prepared', said: bytes.toString('utf8', from, to) }),
      }
    },
  }
}

const SLOTS = 300
const LANGUAGES = [undefined, 'de', 'fr']

/** The edition of a slot: texts that differ, two languages, now and then an empty text. */
const editionOf = (slot: number, name: string): Edition => ({
  language: LANGUAGES[slot % 3],
  texts: [`${name} ${slot} é`, slot % 50 === 49 ? '' : 'x'],
})

function editionsFor(name: string, memory: BufferMemory, asked?: (string | undefined)[]): SeveralEditions {
  const editions = new SeveralEditions(SLOTS, makers(asked), memory)
  for (let slot = 0; slot < SLOTS; slot++) {
    if (slot % 10 === 9) editions.repeat(slot, slot - 1)
    else editions.set(slot, editionOf(slot, name))
  }
  editions.finish()
  return editions
}

/** The slots whose message is another one. */
function wrong(editions: SeveralEditions, name: string): number[] {
  return Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => {
    const { said } = editions.preparedFor(slot) as Said
    return said !== saidOf(editionOf(slot % 10 === 9 ? slot - 1 : slot, name))
  })
}

describe('the editions of a page', () => {
  it('are for each slot what was noted, in whichever way they are prepared', () => {
    const asked: (string | undefined)[] = []
    expect(wrong(editionsFor('one', new BufferMemory(), asked), 'one')).to.deep.equal([])
    expect(asked).to.have.members(['de', 'fr', undefined])
  })

  it('of pages that share memory are not mixed up while these are open, nor when one gave its memory back', () => {
    const memory = new BufferMemory()
    const [first, second] = [editionsFor('first', memory), editionsFor('second', memory)]
    expect([wrong(first, 'first'), wrong(second, 'second')]).to.deep.equal([[], []])
    first.release()
    const third = editionsFor('third', memory)
    expect([wrong(second, 'second'), wrong(third, 'third')]).to.deep.equal([[], []])
  })

  it('say the language of each slot, and which ones there are', () => {
    const editions = editionsFor('one', new BufferMemory())
    expect(editions.languages).to.deep.equal([undefined, 'de', 'fr'])
    expect([0, 1, 2, 8, 9].map((slot) => editions.languageOf(slot))).to.deep.equal([0, 1, 2, 2, 2])
  })
})
