import { expect } from 'chai'
import { namelessWords, spokenWords } from '../../src/cli/remote/spoken.ts'

describe('command lines in the audit log', () => {
  it('keep what was done, without keys, passwords and queries', () => {
    const cases: [words: string, kept: string][] = [
      ['channels update --app Shop news --name News', 'channels update --app Shop news --name News'],
      ['notify m.json --api-key ak_123 --server-key=k', 'notify m.json --api-key … --server-key=…'],
      [
        'gateways set web --vapid-file keys.json --password-file p',
        'gateways set web --vapid-file keys.json --password-file p',
      ],
      ['webhooks create https://user:pass@x.example/in?key=1#t', 'webhooks create https://…@x.example/in?…'],
      ['webhooks update 1 --url=https://x.example/in?key=1', 'webhooks update 1 --url=https://x.example/in?…'],
      ['apps show sk_0123456789abcdefghij', 'apps show …'],
      ['x appsvc_pt_abc whsec_abc once_abc', 'x … … …'],
      ['segments create --filter {"field":"x"} --list=[1]', 'segments create --filter {…} --list=[…]'],
      ['x --database-url postgres://u:p@h/d', 'x --database-url …'],
      ['tables show -- --token secret', 'tables show -- --token secret'],
      ['notify m.json --purpose -- --api-key ak', 'notify m.json --purpose -- --api-key …'],
    ]
    for (const [words, kept] of cases) expect(spokenWords(words.split(' ')).join(' ')).to.equal(kept)
  })

  it('name nobody where they are about people, or were refused', () => {
    expect(namelessWords(['users', 'delete', 'anna', '--app=Shop', '--yes'], 2).join(' ')).to.equal(
      'users delete … --app=… --yes',
    )
    expect(namelessWords(['notify', '--api-key', 'k', '--', '--app'], 1).join(' ')).to.equal('notify --api-key … -- …')
    expect(namelessWords(['--Password=x', '-px'], 0).join(' ')).to.equal('… …')
  })

  it('are short, however long the command line was', () => {
    const long = spokenWords(['x', 'y'.repeat(10_000), ...Array.from({ length: 2000 }, () => 'word')])
    expect(JSON.stringify(long).length).to.be.below(4000)
    expect(long.at(-1)).to.match(/^… \d+ more$/)
    expect(
      namelessWords(
        Array.from({ length: 2000 }, () => 'word'),
        0,
      ).join(' ').length,
    ).to.be.below(2100)
  })
})
