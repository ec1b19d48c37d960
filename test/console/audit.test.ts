import { expect } from 'chai'
import { routes } from '../../src/server/routes.ts'
import { loadPure } from './support/pure.ts'

interface Entry {
  action: string
  target: string | null
  before: unknown
  after: unknown
}
type Sentences = {
  sentenceOf(entry: Entry): { before: string; name: string; after: string }
  inOneText(said: object): string
}

/** Every action that a call of a person notes; refused sign-ins are noted beside the routes. */
const ACTIONS = [...new Set(routes.flatMap(({ audit }) => (audit === undefined ? [] : [audit]))), 'sessions.refuse']

describe('the sentences of the audit log', () => {
  let say: (entry: Partial<Entry>) => string

  before(async () => {
    const { sentenceOf, inOneText } = await loadPure<Sentences>('pages/audit/sentence.ts')
    say = (entry) => inOneText(sentenceOf({ action: '', target: null, before: null, after: null, ...entry }))
  })

  it('are there for every action', () => {
    expect(ACTIONS.length).to.be.above(80)
    for (const action of ACTIONS) expect(say({ action, target: '7' }), action).to.match(/^(?!did )[a-z][^._]*$/)
  })

  it('name the thing as people know it', () => {
    const notification = { id: 7, title: 'Warm croissants', filters: { broadcast: true } }
    expect(say({ action: 'notifications.create', target: '7', after: { notification } })).to.equal(
      'sent Warm croissants to everybody',
    )
    expect(say({ action: 'segments.update', target: 'u-1', after: { name: 'Gold card' } })).to.equal(
      'changed the segment Gold card',
    )
    expect(say({ action: 'deep-links.create', after: [{ id: 9, url: 'https://go.example/easter' }] })).to.equal(
      'created the link https://go.example/easter',
    )
    expect(say({ action: 'segments.delete', target: 'u-1', before: { name: 'Gold card' } })).to.equal(
      'deleted the segment Gold card',
    )
    expect(say({ action: 'admins.create', target: 'anna@example.com', after: { roles: [] } })).to.equal(
      'invited anna@example.com',
    )
    expect(say({ action: 'sessions.create', target: 'password' })).to.equal('signed in')
  })

  it('tell an action that they do not know by its name', () => {
    expect(say({ action: 'clouds.create', target: 'bun.png' })).to.equal('did clouds.create to bun.png')
  })
})
