import { expect } from 'chai'
import { ALIASES, COMMANDS, TOPICS } from '../../src/cli/commands.ts'
import { aboutWord, EXAMPLES, GROUPS } from '../../src/cli/manual/groups.ts'
import { OTHER_WORDS } from '../../src/cli/manual/other-words.ts'
import { wrapped } from '../../src/cli/manual/overview.ts'
import { searchCommands } from '../../src/cli/manual/search.ts'
import { widthOf } from '../../src/cli/output/columns.ts'
import { grouped, groupedUnder } from '../../src/cli/output/numbers.ts'
import { countOf } from '../../src/cli/output/plural.ts'
import { sizeOf } from '../../src/platform/text/size.ts'
import { ended, run, start } from './cli.ts'

const catalogue = { commands: COMMANDS, topics: TOPICS }
const find = (...words: string[]) => searchCommands(catalogue, words).map(({ id }) => id)

describe('the help', () => {
  it('has every command in one group, each with a line about it', () => {
    const grouped = GROUPS.flatMap(([, words]) => words)
    expect(grouped).to.have.members([...new Set(Object.keys(COMMANDS).map((id) => id.split(':')[0]!))])
    expect(new Set(grouped).size).to.equal(grouped.length)
    for (const word of grouped) expect(aboutWord(catalogue, word), word).to.not.equal('')
  })

  it('has five examples of commands that there are', () => {
    expect(EXAMPLES).to.have.length(5)
    for (const [line] of EXAMPLES) {
      const words = line.split('appsvc ').at(-1)!.split(' ')
      expect(
        [words.slice(0, 2).join(':'), words[0]!].some((id) => Object.hasOwn(COMMANDS, id)),
        line,
      ).to.equal(true)
    }
  })

  it('fits into 80 columns where the width is unknown, apart from lines to copy', async () => {
    const { stdout, code } = await ended(start(['--help']))
    expect(code).to.equal(0)
    for (const line of stdout.split('\n')) if (!line.includes('appsvc ')) expect(widthOf(line), line).to.be.at.most(80)
    expect(stdout, 'a line about a command is cut').to.not.include('…')
    expect(wrapped('one two three', 7)).to.deep.equal(['one two', 'three'])
    expect(wrapped('onetwothree four', 5)).to.deep.equal(['onetwothree', 'four'])
  })

  it('finds commands by words of names, summaries, descriptions and flags, the best first', () => {
    expect(find('certificate')[0]).to.match(/^certificates/)
    expect(find('certificates')).to.include('links check')
    expect(find('frequency', 'cap')).to.include('apps restrain')
    expect(find('service-account')).to.include('gateways set')
    expect(find('rest', 'key')[0]).to.match(/^keys/)
    expect(find('SEND')[0]).to.equal('notify')
    expect(find('quiet', 'hours')[0]).to.equal('apps restrain')
    expect(find('how', 'to', 'send')[0]).to.equal('notify')
    expect(find('send', 'a', 'push')[0]).to.equal('notify')
    expect(find('zebra')).to.deep.equal([])
    expect(find('--')).to.deep.equal([])
    expect(find('(((', '__proto__')).to.deep.equal([])
    expect(find('a').length).to.be.at.most(20)
  })

  it('says so when a search finds nothing, and what is near', async () => {
    const nothing = await run(['help', 'xyzzyq'])
    expect([nothing.code, nothing.stderr]).to.deep.equal([
      64,
      'appsvc: no command says xyzzyq (appsvc --help shows all)\n',
    ])
    expect((await run(['help', 'devcies'])).stderr).to.include('did you mean appsvc installs?')
  })

  it('knows commands for the words of others, none of which is a word of ours', () => {
    const first = new Set(Object.keys(COMMANDS).map((id) => id.split(':')[0]!))
    const seen = new Set<string>()
    for (const [id, words] of Object.entries(OTHER_WORDS)) {
      expect(Object.hasOwn(COMMANDS, id.replaceAll(' ', ':')) || Object.hasOwn(TOPICS, id), id).to.equal(true)
      for (const word of words.split(' ')) {
        expect(first.has(word), word).to.equal(false)
        expect(seen.has(word), word).to.equal(false)
        seen.add(word)
      }
    }
  })
})

describe('earlier names of commands', () => {
  for (const [earlier, id] of Object.entries(ALIASES)) {
    it(`${earlier.replace(':', ' ')} does what ${id.replace(':', ' ')} does, and its help says so`, async () => {
      expect(Object.hasOwn(COMMANDS, earlier)).to.equal(false)
      expect(COMMANDS[id]!.description).to.include(`Also appsvc ${earlier.replace(':', ' ')}`)
      const { code, stderr } = await run([...earlier.split(':'), '--nonsense'])
      expect([code, stderr]).to.deep.equal([
        64,
        `appsvc: there is no flag --nonsense (appsvc ${id.replace(':', ' ')} --help)\n`,
      ])
    })
  }
})

describe('numbers for people', () => {
  it('have separators, unless they name something', () => {
    expect([grouped(0), grouped(999), grouped(1571), grouped(1_234_567.5)]).to.deep.equal([
      '0',
      '999',
      '1,571',
      '1,234,567.5',
    ])
    expect([groupedUnder('ID', 12_345), groupedUnder('RECIPIENTS', 12_345)]).to.deep.equal(['12345', '12,345'])
    expect([countOf(1, 'user'), countOf(2000, 'user')]).to.deep.equal(['1 user', '2,000 users'])
  })

  it('are of bytes in MiB, GiB and TiB', () => {
    expect(
      [0, 5 * 2 ** 20, 2 ** 30 - 1, 2 ** 30, 79_190 * 2 ** 20, 3 * 2 ** 40].map((bytes) => sizeOf(bytes)),
    ).to.deep.equal(['0 MiB', '5 MiB', '1024 MiB', '1 GiB', '77.3 GiB', '3 TiB'])
    expect([sizeOf(1.99 * 2 ** 30, Math.floor), sizeOf(2 ** 20 + 1, Math.ceil)]).to.deep.equal(['1.9 GiB', '2 MiB'])
  })
})
