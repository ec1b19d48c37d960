import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { BillOfMaterials } from '../packaging/bill-of-materials.ts'
import { arArchive, arMembers, type PackageFile, packageArchive, tarArchive } from '../packaging/debian/archive.ts'
import {
  controlFile,
  copyrightFile,
  debianChangelog,
  md5sums,
  packageDate,
  packagedUnit,
  packageName,
  packageVersion,
  releasesOf,
} from '../packaging/debian/control.ts'
import { noticesOf } from '../packaging/debian/notices.ts'
import { controlFiles, currentRelease, packagedSettings, packageFiles, SCRIPTS } from '../packaging/debian/package.ts'
import { serviceOf } from '../packaging/debian/unit.ts'
import { settingsPlaces } from '../src/cli/kinds/base.ts'
import { settingsManPage } from '../src/cli/manual/settings-manual.ts'
import { commentedYaml, loadConfig, SETTINGS } from '../src/config.ts'
import { settingsAsText } from '../src/platform/config/config.ts'
import { ROOT } from './cli/cli.ts'
import { needs } from './support/needs.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const file = (path: string, content = '', mode = 0o644): PackageFile => ({ path, mode, content: Buffer.from(content) })
const identity = { version: '1.2.0', architecture: 'amd64', maintainer: 'Ada <ada@example.org>' }
const bill = {
  components: [
    { name: 'pg', version: '8.0.0', licenses: [{ license: { id: 'MIT' } }] },
    { name: 'odd', version: '1.0.0', licenses: [{ expression: '(MIT OR CC0-1.0)' }] },
    { name: 'silent', version: '1.0.0' },
  ],
} as BillOfMaterials

/** All files of a package around an executable of one byte. */
const files = packageFiles({
  executable: Buffer.from('x'),
  bill: JSON.stringify(bill),
  texts: { manPage: '.TH APPSVC 1\n', completions: { bash: 'b', zsh: 'z', fish: 'f' } },
  releases: releasesOf(read('CHANGELOG.md')),
})

describe('the Debian package', () => {
  let directory: string

  before(() => {
    directory = mkdtempSync(join(tmpdir(), 'appsvc-debian-'))
  })

  after(() => rmSync(directory, { recursive: true, force: true }))

  it('has the version of the changelog, and one before the release gives way to it', () => {
    const [next, last] = releasesOf(
      '# Changelog\n\n## 1.3.0-rc.1 (unreleased)\n\n- A\n\n## 1.2.0 (2026-12-01)\n\n### New\n',
    )
    expect([next, last].map((one) => packageVersion(one!))).to.deep.equal(['1.3.0~rc.1~unreleased', '1.2.0'])
    expect(packageName(last!, 'arm64')).to.equal('appsvc_1.2.0_arm64.deb')
    expect(packageDate(last!)).to.equal(Date.UTC(2026, 11, 1) / 1000)
    expect(() => releasesOf('## 1.2.0 (soon)')).to.throw('"## 1.2.0 (soon)" is not')
    expect(packageVersion(currentRelease())).to.match(/^\d+\.\d+\.\d+/)
  })

  it('has a changelog in the form of Debian', () => {
    const long = `${'word '.repeat(20)}end`
    const text = debianChangelog(
      releasesOf(`## 1.2.0 (2026-12-01)\n\nSome words.\n\n### New\n\n- ${long}\n`),
      identity.maintainer,
    )
    expect(text.split('\n')).to.deep.equal([
      'appsvc (1.2.0) stable; urgency=medium',
      '',
      '    Some words.',
      '  [ New ]',
      `  * ${'word '.repeat(15).trimEnd()}`,
      `    ${'word '.repeat(5)}end`,
      '',
      ' -- Ada <ada@example.org>  Tue, 01 Dec 2026 00:00:00 +0000',
      '',
    ])
  })

  it('names its size, its libraries and who answers for it', () => {
    const control = controlFile(identity, [file('usr/bin/appsvc', 'x'.repeat(2049)), file('usr/share/a')])
    expect(control).to.include(
      'Version: 1.2.0\nArchitecture: amd64\nMaintainer: Ada <ada@example.org>\nInstalled-Size: 4\n',
    )
    expect(control)
      .to.match(/^Depends: libc6 \(>= 2\.28\), .*, passwd$/m)
      .and.match(/\n$/)
    expect(md5sums([file('etc/a.yaml', 'a'), file('usr/a', 'a')])).to.equal('0cc175b9c0f1b6a831c399e269772661  usr/a\n')
  })

  it('brings settings that are the defaults but for the directory, and change where a # is removed', async () => {
    const settings = join(directory, 'appsvc.yaml')
    writeFileSync(settings, packagedSettings())
    const packaged = await loadConfig({ file: settings, environment: {} })
    const usual = await loadConfig({ environment: {}, flags: { dataDir: '/var/lib/appsvc' } })
    expect(settingsAsText(packaged.config)).to.deep.equal(settingsAsText(usual.config))
    const fromFile = Object.entries(packaged.sources).filter(([, source]) => source === 'file')
    expect(fromFile).to.deep.equal([['dataDir', 'file']])
    // Every setting by itself: its section stands already.
    writeFileSync(settings, packagedSettings().replaceAll(/^#((?: {2})?\w+: )/gm, '$1'))
    const { sources } = await loadConfig({ file: settings, environment: {} })
    expect(new Set(Object.values(sources))).to.deep.equal(new Set(['file']))
    writeFileSync(settings, packagedSettings().replace(/^# {2}level: info$/m, '  level: debug'))
    expect((await loadConfig({ file: settings, environment: {} })).config['log.level']).to.equal('debug')
    expect(commentedYaml([])).to.include('\n#dataDir: ./data\n')
  })

  it('brings the settings file that its executable finds, which another executable or a folder with data does not read', () => {
    const brought = files.map(({ path }) => `/${path}`)
    const own = ['./appsvc.yaml', 'data/appsvc.yaml']
    expect(settingsPlaces(undefined, '/usr/bin/appsvc', false)).to.deep.equal([...own, '/etc/appsvc.yaml'])
    expect(brought).to.include.members(['/usr/bin/appsvc', '/etc/appsvc.yaml'])
    expect(settingsPlaces(undefined, '/usr/bin/appsvc', true)).to.deep.equal(own)
    expect(settingsPlaces('elsewhere', '/usr/bin/appsvc', false)).to.deep.equal([
      './appsvc.yaml',
      'elsewhere/appsvc.yaml',
    ])
    for (const other of ['/usr/local/bin/appsvc', '/usr/bin/node'])
      expect(settingsPlaces(undefined, other, false)).to.deep.equal(own)
  })

  it('runs the unit of an installation by hand from its own place, on its own settings', () => {
    const unit = packagedUnit(read('packaging/appsvc.service'))
    expect(unit)
      .to.match(/^\[Unit\]\n/)
      .and.not.include('/usr/local')
    expect(serviceOf(unit)).to.deep.equal({
      command: ['/usr/bin/appsvc', 'serve'],
      user: 'appsvc',
      environment: { APPSVC_CONFIG: '/etc/appsvc.yaml', MALLOC_ARENA_MAX: '2' },
      workingDirectory: '/var/lib/appsvc',
      umask: '0077',
    })
    expect(() => packagedUnit(unit)).to.throw('another form')
    expect(() => serviceOf('ExecStart=a\nExecStart=b')).to.throw('one line ExecStart=')
  })

  it('says under which licences it is, and those of what is inside in full', () => {
    const copyright = copyrightFile(read('LICENSE'), bill)
    expect(copyright).to.include(' pg 8.0.0: MIT\n odd 1.0.0: (MIT OR CC0-1.0)\n silent 1.0.0: in notices.gz\n')
    expect(copyright)
      .to.include('\nLicense: Expat\n Permission is hereby granted')
      .and.not.match(/\n\n[^FL]/)
    const notices = noticesOf(bill, join(ROOT, 'node_modules'))
    expect(notices).to.include('pg 8.0.0\n\n').and.include('Brian Carlson').and.include('silent 1.0.0\n')
  })

  it('has a man page of the settings without a fault', function () {
    const mandoc = needs(this, 'mandoc')
    const page = settingsManPage(SETTINGS, '1.2.0', '2026-01-01')
    for (const name of ['dataDir', 'gateways.fcmUrl']) expect(page).to.include(`.BR ${name} `)
    const path = join(directory, 'appsvc.yaml.5')
    writeFileSync(path, page)
    expect(execFileSync(mandoc, ['-T', 'lint', '-W', 'warning', path], { encoding: 'utf8' })).to.equal('')
  })

  it('has scripts that every shell reads, and that name only what the package has', () => {
    for (const name of SCRIPTS) execFileSync('sh', ['-n', join(ROOT, 'packaging/debian', name)])
    const [postrm, postinst] = ['postrm', 'postinst'].map((name) => read(`packaging/debian/${name}`))
    for (const script of [postrm, postinst])
      expect(script).to.include(
        `\nunit=appsvc.service\ndata=${serviceOf(read('packaging/appsvc.service')).workingDirectory}\n`,
      )
  })

  it('is an archive that tar reads, the same for the same files', () => {
    const build = () => packageArchive(controlFiles(files, identity), files, 1_796_000_000)
    const archive = build()
    expect(archive.equals(build())).to.equal(true)
    const members = arMembers(archive)
    expect(members.map(([name]) => name)).to.deep.equal(['debian-binary', 'control.tar.gz', 'data.tar.gz'])
    expect(members[0]![1].toString()).to.equal('2.0\n')
    const list = (tar: Buffer) =>
      execFileSync('tar', ['-tvf', '-'], { input: tar, encoding: 'utf8', env: { TZ: 'UTC' } })
    const data = list(gunzipSync(members[2]![1]))
    expect(data).to.match(
      /^drwxr-xr-x root\/root +0 2026-11-30 \S+ \.\/etc\/\n-rw-r----- root\/root +\d+ \S+ \S+ \.\/etc\/appsvc\.yaml\n/,
    )
    expect(data).to.match(/^-rwxr-xr-x root\/root +1 \S+ \S+ \.\/usr\/bin\/appsvc$/m)
    expect(list(gunzipSync(members[1]![1]))).to.match(/^-rwxr-xr-x .* \.\/postinst$/m)
  })

  it('refuses a name that tar cannot hold', () => {
    expect(() => tarArchive([file(`usr/${'a'.repeat(100)}`)], 0)).to.throw('longer than the 100 characters')
  })

  it('reads back the members of an archive, also those of odd length', () => {
    const members = arMembers(
      arArchive(
        [
          ['a', Buffer.from('one')],
          ['b', Buffer.from('four')],
        ],
        0,
      ),
    )
    expect(members.map(([name, content]) => [name, content.toString()])).to.deep.equal([
      ['a', 'one'],
      ['b', 'four'],
    ])
  })
})
