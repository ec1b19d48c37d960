import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

/**
 * The first parameter of a repository function says whose rows it reads or changes. It is the app id, or an object that has one.
 * Other kinds are allowed, each with names of its own; a bare `id` says nothing and is refused.
 */
const KINDS = {
  'an object with its app id':
    'app approval banner channel checkin erasure from geofence given key link message notification of page picture prompt segment table tap template webhook attempt',
  'a row that was found through its app before, or is held by a claim':
    'changed checkinId claim claims laneId list messageId notificationId owners pageId pictureId row runId seriesId templateId userId users webhookId webhookIds writes',
  'a sweep over all apps, which no request calls': 'after before ids keptMs limit most now oldest',
  'an audience: its conditions begin with the app': 'members',
  'apps that were found before for the person who asks': 'appIds',
  'a secret or an address that names the app': 'digest digests',
  'a follower of the event log, whose row names its app or is of the server': 'follower hold',
  'a name of something that is counted; the app id is beside it': 'kind reaction',
  'people of the admin interface, who belong to no app, and what is theirs':
    'admin adminId adminIds credential email entry linkId passkey passkeyId session sessionId token tokenId',
  'the load of the server itself, by time': 'at span',
  'certificates and accounts of the server itself, by host name or authority': 'directory name names',
}
const NAMES = new Set(Object.values(KINDS).flatMap((names) => names.split(' ')))

/** Their `id` is the app's or the account's, or that of a message or run under way. */
const OWN_ID = ['apps/repository.ts', 'in-app/repository.ts', 'in-app/fan-out/walks.repository.ts']
const OF_A_RUN = 'notifications/record/ledger.repository.ts'

const ROOT = join(import.meta.dirname, '../src/domain')
const METHOD = /^ {4}(?:async )?\*?(\w+)(?:: (?:async )?)?\((\s*[^)]*)/gm

function firstParameters(file: string): { name: string; first: string }[] {
  const source = readFileSync(join(ROOT, file), 'utf8')
  const methods = source.slice(source.indexOf('\n  return {\n')).matchAll(METHOD)
  return [...methods].map(([, name, parameters]) => ({ name: name!, first: parameters!.trim() }))
}

function isAllowed(file: string, first: string): boolean {
  if (first === '' || /^appId\b/.test(first)) return true
  // A destructured object: its app id is taken out of it, or stays in the rest.
  if (first.startsWith('{')) return /\bappId\b|\.\.\.\w+ \}: [A-Z]|\}: (?:Members|ZonedInstalls)\b/.test(first)
  const name = /^\w+/.exec(first)![0]
  return NAMES.has(name) || (name === 'id' && [...OWN_ID, OF_A_RUN].includes(file))
}

describe('repositories', () => {
  it('say with their first parameter whose rows they touch', () => {
    const functions = globSync('**/*repository.ts', { cwd: ROOT }).flatMap((file) =>
      firstParameters(file).map((one) => ({ file, ...one })),
    )
    expect(functions.length).to.be.greaterThan(300)
    const unclear = functions.filter(({ file, first }) => !isAllowed(file, first))
    expect(unclear.map(({ file, name, first }) => `${file}: ${name}(${first})`)).to.deep.equal([])
  })
})
