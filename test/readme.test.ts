import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { makeDevices } from '../src/cli/demo/devices.ts'
import { snippetsFor } from '../src/present/snippets.ts'
import { firstLine, killAll, ROOT, start, temporaryDirectory } from './cli/cli.ts'
import { builtProgram } from './support/built-program.ts'
import { eventually } from './support/eventually.ts'
import { needs } from './support/needs.ts'
import { PROGRAMS_MS } from './support/programs.ts'

const COMMAND = /^(npx appsvc|eval|curl|for|echo|[A-Z_]+=)/
const ASSIGNMENT = /^([A-Z_]+)=\S+$/

/** The commands of the tour, steps 3 to 7, in their order: the paragraphs of its code that begin like one. */
function commandsOfTour(): string[] {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const tour = readme.slice(readme.indexOf('\n**3. '), readme.indexOf('\n**8. '))
  const code = tour.split('\n').map((line) => (line.startsWith('    ') ? line.slice(4) : ''))
  return code
    .join('\n')
    .split(/\n{2,}/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => COMMAND.test(paragraph))
}

describe('the demo in README.md', () => {
  it('has the devices that the demo has', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const [, list = ''] = /devices register through the device API\n([^]*?)\n\n/.exec(readme)!
    const shown = list.split('\n').map((line) =>
      /^ {7}(.{17}) (\S+) /
        .exec(line)
        ?.slice(1)
        .map((text) => text.trim()),
    )
    expect(shown).to.deep.equal(makeDevices().map(({ name, user }) => [name, user]))
    expect(readme).to.include(`    3. ${shown.length} devices register`)
  })
})

describe('the web page of README.md', () => {
  it('is the one that the console shows, which a test opens in Chromium', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
    const values = {
      url: 'https://app.example.com',
      apiKey: 'API_KEY',
      secretKey: 'SECRET_KEY',
      serverKey: 'SERVER_KEY',
    }
    const { files } = snippetsFor(values).find(({ name }) => name === 'web')!
    for (const { name, text: code } of files) {
      const indented = code.split('\n').map((line) => (line === '' ? '' : `    ${line}`))
      expect(readme, name)
        .to.include(`\n${indented.join('\n')}\n`)
        .and.to.include(`\`${name}\``)
    }
  })
})

describe('the tour of README.md', () => {
  const { dir, end } = temporaryDirectory()
  after(() => {
    killAll()
    end()
  })

  it('works as it is printed, with the keys and the link host that the reader got', async function () {
    this.timeout(PROGRAMS_MS)
    needs(this, 'curl')
    const env: Record<string, string> = { PATH: process.env.PATH!, HOME: dir, NO_PROXY: '*' }
    const server = start(['serve', '--sandbox', '--json', '--port', '0'], { cwd: dir, env })
    const { listening } = await firstLine<{ listening: string }>(server)
    env.APPSVC_PORT = new URL(listening).port

    // The sources take more time for each command, and this is not about them.
    const npx = `npx() { shift; '${process.execPath}' '${builtProgram()}' "$@"; }`
    async function shell(commands: string): Promise<{ code: number; output: string }> {
      // The reader has one shell for all of it: the variables of one paragraph are there in the next.
      const keep = `trap '(set +o posix; declare -p \${!APPSVC_*}) > variables' EXIT`
      const script = `set -e -o pipefail\n${npx}\n[ ! -e variables ] || . ./variables\n${keep}\n${commands}`
      const child = spawn('bash', ['-c', script], { cwd: dir, env, stdio: ['ignore', 'pipe', 'pipe'] })
      const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? 1)))
      const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { code: await ended, output: `${output}\n${errors}` }
    }
    /** The key that the reader has to copy. */
    function take(output: string): void {
      const value = /^REST key +(\S+)$/m.exec(output)?.[1]
      if (value !== undefined) env.REST_KEY = value
    }

    let all = ''
    for (const paragraph of commandsOfTour()) {
      const lines = paragraph.split('\n')
      for (const line of lines) {
        const name = ASSIGNMENT.exec(line)?.[1]
        if (name !== undefined) expect(env, `the tour asks for ${name} that was not printed`).to.have.property(name)
      }
      // The reader puts their own in the place of these.
      const own = lines.filter((line) => !ASSIGNMENT.test(line)).join('\n')
      if (own === '') continue
      const { code, output } = await shell(own)
      expect(code, `${own}\n${output}`).to.equal(0)
      take(output)
      all += output
    }

    for (const said of [
      'The android gateway of app 1 is configured.',
      '202 1: notification 1 (Hello) is queued',
      'welcome.html shows version 1 of welcome.',
      '202 1: in-app message 1 (welcome) is queued',
      'HTTP/1.1 201 Created',
      '"title":"Rye bread","minutes":50',
      'HTTP/1.1 302 Found',
      'Location: https://example.com/sale',
    ]) {
      expect(all).to.include(said)
    }
    await eventually(async () => {
      const { output } = await shell('npx appsvc notifications show 1\nnpx appsvc notifications trace 1')
      return /accepted +2/.test(output) && /phone-1 +accepted/.test(output) && /phone-2 +accepted/.test(output)
    }, 'both phones got the notification')
    await eventually(async () => {
      const { output } = await shell(
        'curl -s -u "$APPSVC_API_KEY:$APPSVC_SECRET_KEY" $APPSVC_URL/push/v1/users/anna/messages',
      )
      return output.includes('A card for regulars')
    }, 'the user has the in-app message')
  })
})
