import { expect } from 'chai'
import type { Outcome, PushContent } from '../../../../src/domain/gateways/gateway.ts'
import { compileContent } from '../../../../src/domain/notifications/personal/compiled-content.ts'
import { SOURCE } from '../../../../src/domain/notifications/types.ts'
import { chainBy } from '../../../../src/domain/personalization/people/chain.ts'
import { chance, seedOf } from '../../../support/chance.ts'
import { deliverDue, fanOut, scriptedSender } from '../../../support/delivery.ts'
import { addGateway } from '../../../support/gateways.ts'
import { addInstall } from '../../../support/installs.ts'
import { parse } from '../../../support/notification-forms.ts'
import { onEachDatabase, type TestProgram } from '../../../support/program.ts'
import { sharedDatabase } from '../../../support/shared-database.ts'

const ACCEPTED: Outcome = { kind: 'accepted' }
const PHONES = 60
const TEXTS = 25

/** Names of attributes: plain ones, those that JavaScript and SQL know, and those that JSON and paths spell otherwise. */
const PLAIN = [
  'plan',
  'Plan',
  'straße',
  'e\u0301',
  'é',
  '名',
  '_',
  'a-b',
  'constructor',
  'toString',
  'length',
  'hasOwnProperty',
  'prototype',
  'n'.repeat(200),
  'keys',
  'name',
]
const NAMES = [...PLAIN, 'first name', 'a.b', '$', "o'k", 'x[0]', '#', '1', '%', '*', '😀', 'a/b']
const VALUES: unknown[] = [
  '',
  ' ',
  '1',
  'true',
  'null',
  '{"a":1}',
  '[1]',
  'a|b',
  'Ü"\\\u2028\t😀',
  'İß',
  'x'.repeat(300),
  '0',
  '-0',
  '\u0001',
  0,
  -0,
  1,
  1.5,
  -7,
  1e21,
  1e-7,
  1e308,
  5e-324,
  2 ** 53,
  2 ** 53 + 2,
  0.1 + 0.2,
  true,
  false,
  null,
  [],
  {},
  [1, 'a', null],
]
const LOCALES = [null, '', 'de', 'de_AT', 'fr-FR', 'zh-Hant-TW', 'xx', 'de|"1"']

/** Attributes and texts by chance. */
function maker(next: (end: number) => number) {
  const one = <T>(list: readonly T[]): T => list[next(list.length)]!
  const value = (depth: number): unknown => {
    if (depth === 0 || next(3) > 0) return one(VALUES)
    return Object.fromEntries(Array.from({ length: next(4) }, () => [one(NAMES), value(depth - 1)]))
  }
  const spelled = (name: string) =>
    /^[\p{L}_][\p{L}\p{M}\p{N}_-]*$/u.test(name) ? `.${name}` : name.includes("'") ? `["${name}"]` : `['${name}']`
  const path = (names: readonly string[]) =>
    `user.attributes${Array.from({ length: 1 + next(2) }, () => spelled(one(names))).join('')}`
  const piece = (names: readonly string[]) => {
    const read = path(names)
    switch (next(6)) {
      case 0:
        return `{{ ${read} }}`
      case 1:
        return `{{ ${read} | default: "none" }}`
      case 2:
        return `{% if ${read} %}yes{% else %}no{% endif %}`
      case 3:
        return `{% if ${read} == '1' %}text{% elsif ${read} == 1 %}number{% endif %}`
      case 4:
        return `{% if ${read} != true %}a{% endif %}{% if ${read} contains 'a' %}b{% endif %}`
      default:
        return `{{ ${path(names)} | upcase }}`
    }
  }
  /** Texts that read the same few names, so that people are alike. */
  const texts = (count: number) => {
    const pool = one([PLAIN, PLAIN, NAMES])
    const names = Array.from({ length: one([1, 1, 2, 3, 4]) }, () => one(pool))
    return Array.from({ length: count }, () => `x${Array.from({ length: 1 + next(3) }, () => piece(names)).join('|')}`)
  }
  return { value: () => value(2), texts, locale: () => one(LOCALES), one, next }
}

onEachDatabase('texts of attributes that a database picks', (kind) => {
  let test: TestProgram
  const openShared = sharedDatabase(kind)
  beforeEach(async () => {
    test = await openShared()
  })
  afterEach(() => test.close())

  it('read as those of the whole document, whatever names and values there are', async function () {
    this.timeout(120_000)
    const seed = seedOf(1311)
    const make = maker(chance(seed))
    const { program, first, clock } = test
    await addGateway(test)
    const people = new Map<string, { attributes: Record<string, unknown>; locale: string | null }>()
    for (let i = 0; i < PHONES; i++) {
      const name = `p${i}`
      const given = Object.fromEntries(
        Array.from({ length: make.next(12) }, () => [make.one(NAMES), make.value()]),
      ) as Record<string, unknown>
      const locale = make.locale()
      await addInstall(program, first.id, name, { user: name })
      await program.inTransaction((tx) => tx.crm.putAttributes(first.id, name, given))
      await program.kernel.db.write((trx) =>
        trx('installs').where({ app_id: first.id, install_id: name }).update({ locale }),
      )
      // As it is stored.
      people.set(name, { attributes: JSON.parse(JSON.stringify(given)) as Record<string, unknown>, locale })
    }
    for (let n = 0; n < TEXTS; n++) {
      const [title, message, german] = make.texts(3)
      const languages = { de: { title: german, message: 'N' } }
      const body = {
        personalize: { missing: make.one(['skip', 'empty']) },
        content: { title, message, ...(make.next(2) === 0 && { languages }) },
      }
      const request = parse.messages({ target: { broadcast: true }, ...body })
      const { notification } = await program.inTransaction((tx) => tx.sends.accept(first.id, SOURCE.messages, request))
      const got = new Map<string, PushContent>()
      const { sender } = scriptedSender((token, { content }) => {
        got.set(token.replace('token-', ''), content)
        return ACCEPTED
      })
      await fanOut(test)
      await deliverDue(test, sender)
      const content = compileContent(notification!.content)
      const chainOf = chainBy(null)
      for (const [name, person] of people) {
        const edited = content.edit({ person, now: clock.now() }, chainOf(person))
        const wanted = 'texts' in edited ? content.contentOf(edited) : undefined
        const texts = ({ title, message }: Partial<PushContent> = {}) => [title, message]
        const about = `seed ${seed}, ${JSON.stringify(body)}, ${JSON.stringify(person)}`
        expect(texts(got.get(name)), about).to.deep.equal(texts(wanted))
      }
    }
  })
})
