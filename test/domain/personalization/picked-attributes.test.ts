import { expect } from 'chai'
import { MAX_PICKED, pickedAttributes } from '../../../src/domain/personalization/people/picked-attributes.ts'

describe('attributes that are picked', () => {
  const of = (...names: string[]) => names.map((name) => `user.attributes.${name}`)

  it('are those that texts read, each once', () => {
    const picked = pickedAttributes(
      [...of('plan', 'address.city', 'address.zip', 'plan'), 'meta.plan', 'now'],
      ['lang'],
    )!
    expect(picked.paths).to.deep.equal(['$."plan"', '$."address"."city"', '$."address"."zip"', '$."lang"'])
    expect(picked.read('["gold","Graz",8010,"de"]')).to.deep.equal({
      plan: 'gold',
      address: { city: 'Graz', zip: 8010 },
      lang: 'de',
    })
  })

  it('are read as they are stored, and what is absent is left out', () => {
    const one = pickedAttributes(of('plan'), undefined)!
    expect(one.read('"1"')).to.deep.equal({ plan: '1' })
    expect(one.read('1')).to.deep.equal({ plan: 1 })
    expect(one.read('["a"]')).to.deep.equal({ plan: ['a'] })
    expect(one.read('null')).to.deep.equal({})
    expect(pickedAttributes(of('a', 'b.c'), undefined)!.read('[false,null]')).to.deep.equal({ a: false })
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
      expect(pickedAttributes(of(name), undefined)!.read('"x"'), name).to.deep.equal(read)
    }
    expect(typeof Object.keys).to.equal('function')
    expect('picked' in {}).to.equal(false)
  })

  it('are one where a path leads into another', () => {
    const picked = pickedAttributes(of('a.b', 'a', 'ab'), ['a', 'c'])!
    expect(picked.paths).to.deep.equal(['$."a"', '$."ab"'])
    expect(picked.read('[{"b":1,"c":2},3]')).to.deep.equal({ a: { b: 1, c: 2 }, ab: 3 })
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
