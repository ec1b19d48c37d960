import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

/**
 * Words of an error and the codes that go with them: a caller who reads `there is no …` may count on a 404, a script on exit 66. The first row that fits a
 * sentence names its code. `…` stands for what is put in.
 */
const SENTENCES: readonly [sentence: RegExp, code: string][] = [
  // The place of a backup and what follows an option are read before anything is done.
  [/^--(?:vapid-file has no|service-account is a file)/, 'invalid'],
  [/^--|^\w+ needs (?:either )?--|^the place is empty|is not supported: name a file|must be s3:/, 'usage'],
  [/must not contain credentials|is in the data directory/, 'usage'],

  [
    /^there is (?:no|nothing)|because there is no|^(?:this|an?|the|you|app|template)\b.* (?:has|have) no (?:such|version|contact|record|check-in|passkey|token|session(?= …)|… gateway)\b(?! yet)/,
    'not_found',
  ],
  [
    /there is no such|^no tap on|is not on the suppression list|gets no certificate|is not being replayed|is not a directory$|^an app has the keys/,
    'not_found',
  ],

  [
    /(?:session, token or role has ended|one-time link was used|does not sign you in|^sign in, or send|^use Authorization)/,
    'unauthorized',
  ],
  [
    /^(?:an install may not|personal data is masked|these keys give no access|this app asks for signed users|a personal token has no session|this is possible only with a session)/,
    'forbidden',
  ],
  [
    /somebody else must approve|belongs to the user with|choose a place where this user may write|run as that user|would show the session|check the credentials and the policy|^this …: the key given|^this REST key may not/,
    'forbidden',
  ],

  [
    /^(?:send at most|a line may have at most|a JSON list may have at most)|^(?:a line has more than|the form has more than|the (?:body|file|picture|report) is larger than)|^the (?:files|first line) of a command may have at most/,
    'too_large',
  ],
  [/^too many (?:live|readers|tries|wrong|…)|of your commands may have/, 'too_many'],
  [/is not supported here: use/, 'method_not_allowed'],
  [/^answers are JSON/, 'not_acceptable'],
  [/^send (?:Content-Type|the body)|is not accepted: send the report/, 'unsupported_media'],
  [/^(?:rows of … refer|the copy differs)/, 'internal'],
  [/^(?:the first line must name fields|validation failed)$|must hold a JSON object/, 'invalid'],

  // What is there already, or at a limit, or in the way: other input helps, or waiting for somebody else.
  [
    /already\b(?!.*stop it first)|^series … is … and cannot be|^the app has … |exists: name another|was made in this second|\bmeanwhile\b|is (?:the target of|named by) …|^banner … leads to|refer to (?:it|the table)|^the (?:first request with this|next master key is)/,
    'conflict',
  ],
  [
    /^(?:another (?:process imports|request stored)|begin with POST|passkeys need|somebody has to own|the database is PostgreSQL|the server makes no backups|this app has no safari|this server has no sandbox|signed users are off)/,
    'conflict',
  ],
  [
    /^…: (?:set baseUrl|if that copy)|has changed since: begin anew|is another key: move it|is not empty: name an empty|unfinished copy of another|has no … gateway yet|gets no page|is being replayed: wait/,
    'conflict',
  ],
  [
    /^(?:notification|in-app message) … …$|^its time zone … is not known any more|^everybody whom it named was erased/,
    'conflict',
  ],

  [
    /^a send that repeats|^(?:the file|the manifest|the columns are|the header has|the gzip file|the first line …|the path is not|the request body ended|line …|notification … (?:goes|has no schedule))|take another backup|is not a (?:database of appsvc|sound)|is no regular file/,
    'bad_request',
  ],

  // Somebody has to change the configuration, a file that it names, or the version.
  [
    /^(?:bad configuration|cannot read the configuration|acme\.caFile|gateways\.caFile|nats\.credentials|tls\.certFile|a stored password digest|the stored secret|SQLite )|configuration file/,
    'config',
  ],
  [
    /origin of a gateway|network file system|(?:mark|lock|master key) file|master key (?:in|is missing)|erasure list … cannot be read|TLS certificate|newer appsvc|schema of (?:this|the)|unfinished target|is older than (?:backups|this appsvc can migrate)|does not know the step/,
    'config',
  ],
  [
    /^target_session_attrs|^host … of the database address|needs a connection of its own|no credentials found|no region is named|check the region|cannot be created: …$|cannot be used: …; name a file/,
    'config',
  ],

  [
    /^(?:cannot listen|NATS|no host of the database|the PostgreSQL server|the connection to PostgreSQL|the database did not answer|another appsvc|a backup needs|the database needs|the disk is full|the snapshot before|this server runs no)/,
    'unavailable',
  ],
  [
    /try again|on its way|\bwas lost\b|is not available now|stop every(?:thing)?\b|still writes|takes too long|does not answer as it should|disk is full|cannot be built|cannot be written|is not sound|cannot be changed by|connections? of other|of other appsvc processes|Go on with/,
    'unavailable',
  ],
]

/** Sentences that are made elsewhere, of which nothing is known here. */
const SAYS_NOTHING = /^(?:…|…: …)$/

const THROWN = /new AppError\(\s*'(\w+)',\s*(?:`((?:[^`\\]|\\.)*)`|'((?:[^'\\]|\\.)*)'|"([^"]*)")/g

const ROOT = join(import.meta.dirname, '../src')

/** Replaces what is put into a template, of one level of brackets, by `…`. */
const withoutParts = (text: string) => text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…').replace(/\s+/g, ' ')

const thrown = globSync('{domain,server,platform}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(THROWN)].map(([, code, template, single, double]) => ({
    file,
    code: code!,
    sentence: withoutParts(template ?? single ?? double!),
  })),
)

describe('codes of errors', () => {
  it('are what their sentences promise', () => {
    expect(thrown.length).to.be.greaterThan(250)
    const wrong = thrown.flatMap(({ file, code, sentence }) => {
      if (SAYS_NOTHING.test(sentence)) return []
      const expected = SENTENCES.find(([pattern]) => pattern.test(sentence))?.[1]
      return expected === code
        ? []
        : [`${file}: ${JSON.stringify(sentence)} is ${code}, and ${expected ?? 'no row fits'}`]
    })
    expect(wrong).to.deep.equal([])
  })

  it('name fields only where they are invalid', () => {
    const source = globSync('{domain,server,platform}/**/*.ts', { cwd: ROOT }).map((file) =>
      readFileSync(join(ROOT, file), 'utf8'),
    )
    const codes = source.flatMap((text) =>
      [...text.matchAll(/new AppError\(\s*'(\w+)',[^{}]*?\{ fields\b/g)].map(([, code]) => code),
    )
    expect(new Set(codes)).to.have.all.keys('invalid')
  })
})
