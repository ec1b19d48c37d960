import { expect } from 'chai'
import { MAX_PICKED, pickedAttributes } from '../../../src/domain/personalization/people/picked-attributes.ts'
import { chance, seedOf } from '../../support/chance.ts'
import { many } from '../../support/depth.ts'

const TEXTS = ['plan', '"plan":', '{', '}', '[', ',', 'a\\b', 'é😀', '', ' ', '"', ':1,"b":']

/** A document with these names in all depths. */
function randomValue(random: (end: number) => number, names: readonly string[], depth: number): unknown {
  const kind = random(depth > 2 ? 5 : 8)
  if (kind < 2) return TEXTS[random(TEXTS.length)]
  if (kind < 5) return [null, true, false, -0.5, 1e21, 12][random(6)]
  if (kind === 5) return Array.from({ length: random(3) }, () => randomValue(random, names, depth + 1))
  return randomObject(random, names, depth + 1)
}

function randomObject(random: (end: number) => number, names: readonly string[], depth: number): object {
  const count = random(5)
  const pairs = Array.from({ length: count }, () => [
    random(3) === 0 ? TEXTS[random(TEXTS.length)]! : names[random(names.length)]!,
    randomValue(random, names, depth),
  ])
  return Object.fromEntries(pairs)
}

/** The member of a document, unless it is absent or null. */
function pairOf(document: object, name: string): [string, unknown][] {
  const value = Object.hasOwn(document, name) ? (document as Record<string, unknown>)[name] : null
  return value === null ? [] : [[name, value]]
}

describe('attributes that are picked', () => {
  const of = (...names: string[]) => names.map((name) => `user.attributes.${name}`)

  it('are those that texts read, each once', () => {
    const picked = pickedAttributes(
      [...of('plan', 'address.city', 'address.zip', 'plan'), 'meta.plan', 'now'],
      ['lang'],
    )!
    const text = '{"other":1,"plan":"gold","address":{"zip":8010,"city":"Graz","street":"x"},"lang":"de"}'
    const read = { plan: 'gold', address: { city: 'Graz', zip: 8010 }, lang: 'de' }
    expect(picked.pick(text)).to.equal('"gold","Graz",8010,"de"')
    expect(picked.read(picked.pick(text))).to.deep.equal(read)
    expect(picked.readFrom(text)).to.deep.equal(read)
  })

  const stored: [string, string, object][] = [
    ['a text', '{"plan":"1"}', { plan: '1' }],
    ['a number', '{"plan":1}', { plan: 1 }],
    ['a number before others', '{"plan":-1.5e-7,"b":2}', { plan: -1.5e-7 }],
    ['truth', '{"a":[],"plan":false}', { plan: false }],
    ['a list', '{"plan":["a",{"plan":2}]}', { plan: ['a', { plan: 2 }] }],
    ['an object', '{"plan":{"plan":2}}', { plan: { plan: 2 } }],
    ['nothing', '{"plan":null}', {}],
    ['nothing at all', '{}', {}],
    ['an empty text', '{"plan":""}', { plan: '' }],
    ['a text like a member', '{"a":",","plan":"}{,]["}', { plan: '}{,][' }],
    ['a member of the same name within', '{"a":{"plan":1},"b":[{"plan":2}]}', {}],
    ['both', '{"plan":"out","a":{"plan":"in"}}', { plan: 'out' }],
    ['braces in texts before it', '{"a":"{{[","b":{"c":"}"},"plan":3}', { plan: 3 }],
    ['a value that is the name', '{"a":"plan","b":["plan"],"plan":4}', { plan: 4 }],
    ['only such values', '{"a":"plan","b":["plan","plan"]}', {}],
    ['a longer name', '{"my_plan":1,"plan-b":2,"plans":3}', {}],
    ['two of the name', '{"plan":1,"plan":2}', { plan: 2 }],
    ['spaces', '{ "plan" : "a" , "b" : 1 }', { plan: 'a' }],
    ['spaces behind the name', '{"plan" :"a"}', { plan: 'a' }],
    ['spaces behind the value', '{"plan":1 }', { plan: 1 }],
    ['escapes', '{"a":"\\"","plan":"x\\"y"}', { plan: 'x"y' }],
    ['an escaped name', '{"\\u0070lan":1}', { plan: 1 }],
    ['letters beyond ASCII', '{"a":"é","plan":"😀 ü"}', { plan: '😀 ü' }],
    ['__proto__', '{"__proto__":{"plan":1},"a":2}', {}],
    ['no object', '["plan"]', {}],
    ['no JSON', '{"plan"', {}],
  ]
  for (const [what, text, read] of stored) {
    it(`are read as they are stored: ${what}`, () => {
      const one = pickedAttributes(of('plan'), undefined)!
      expect(one.readFrom(text)).to.deep.equal(read)
      expect(one.read(one.pick(text))).to.deep.equal(read)
    })
  }

  it('are those of the parsed document, whatever it is', () => {
    const seed = seedOf(20261201)
    const random = chance(seed)
    const names = ['plan', 'b', 'c-d', '_é', 'constructor']
    const picked = pickedAttributes(of(...names), undefined)!
    for (let i = 0; i < many(2000, { long: 200_000 }); i++) {
      const document = randomObject(random, names, 0)
      const text = JSON.stringify(document, null, random(10) === 0 ? 1 : 0)
      const expected = Object.fromEntries(names.flatMap((name) => pairOf(document, name)))
      expect(picked.readFrom(text), `seed ${seed}: ${text}`).to.deep.equal(expected)
      expect(picked.read(picked.pick(text)), `seed ${seed}: ${text}`).to.deep.equal(expected)
    }
  })

  it('never reach what JavaScript adds to an object', () => {
    const names = ['constructor.keys', 'constructor.prototype.picked', 'toString.call', 'valueOf.a']
    for (const name of names) {
      const read = JSON.parse(
        `{${name
          .split('.')
          .map((one) => JSON.stringify(one))
          .join(':{')}:"x"${'}'.repeat(name.split('.').length)}`,
      )
      const picked = pickedAttributes(of(name), undefined)!
      expect(picked.read('"x"'), name).to.deep.equal(read)
      expect(picked.readFrom(JSON.stringify(read)), name).to.deep.equal(read)
    }
    expect(typeof Object.keys).to.equal('function')
    expect('picked' in {}).to.equal(false)
  })

  it('are one where a path leads into another', () => {
    const picked = pickedAttributes(of('a.b', 'a', 'ab'), ['a', 'c'])!
    expect(picked.pick('{"ab":3,"a":{"b":1,"c":2}}')).to.equal('{"b":1,"c":2},3')
    expect(picked.read('{"b":1,"c":2},3')).to.deep.equal({ a: { b: 1, c: 2 }, ab: 3 })
  })

  const whole: [string, string[]][] = [
    ['names in brackets', ["user.attributes['first name']"]],
    ['items of lists', ['user.attributes.list[0]']],
    ['a name that JavaScript takes for something else', of('__proto__')],
    ['too many', of(...Array.from({ length: MAX_PICKED + 1 }, (_, i) => `a${i}`))],
    ['none', ['meta.plan']],
  ]
  for (const [what, paths] of whole) {
    it(`are not picked for ${what}`, () => {
      expect(pickedAttributes(paths, undefined)).to.equal(undefined)
    })
  }

  it('are not picked for a language that has another name than JSON writes plainly', () => {
    expect(pickedAttributes(of('plan'), ['my "lang"'])).to.equal(undefined)
  })
})
