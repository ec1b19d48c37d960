import { join } from 'node:path'
import { expect } from 'chai'
import { circle, polygon } from '../support/geofences.ts'
import { type RunOptions, run as runAnywhere, temporaryDirectory } from './cli.ts'

describe('appsvc geofences', () => {
  const { dir, end } = temporaryDirectory()
  const run = (argv: string[], options?: RunOptions) =>
    runAnywhere(['geofences', ...argv, '--data-dir', join(dir, 'data')], options)
  const create = (body: unknown) =>
    run(['create', '1', '--file', '-', '--json'], { stdin: typeof body === 'string' ? body : JSON.stringify(body) })
  after(end)

  before(() => runAnywhere(['apps', 'create', 'First', '--data-dir', join(dir, 'data')]))

  it('create, show, list and delete do what they say', async () => {
    const body = { name: 'Office\u001b', boundsGeoJson: circle([13.4, 52.5], 250), tags: ['work', 'city'] }
    const made = (await create(body)).json()
    expect(made).to.deep.include({ ...body, id: 1, appId: 1, isEnabled: true, activationCount: 0, activeUsers: 0 })
    expect((await run(['show', 'First', '1', '--json'])).json()).to.deep.equal(made)
    expect((await run(['list', '--json'])).json()).to.deep.equal({ geofences: [made], next: null })
    const shown = await run(['show', '1', '1'])
    expect(shown.stdout).to.include('work, city').and.include('"radius":250').and.not.include('\u001b')
    const square = polygon([
      [0, 0],
      [1, 0],
      [1, 1],
      [0, 0],
    ])
    await create({ name: 'Square', boundsGeoJson: square, isEnabled: false })
    const listed = await run(['list', '1'])
    expect(listed.stdout)
      .to.match(/1 +Office\\x1b +circle +yes +work, city +0 +0\n/)
      .and.match(/2 +Square +polygon +no +- +0 +0/)
    const page = await run(['list', '1', '--limit', '1'])
    expect(page.stderr).to.include('--after 1')
    expect((await run(['delete', '1', '1', '--yes', '--json'])).json()).to.deep.equal({ id: 1, deleted: true })
    expect((await run(['list', '--json'])).json<{ geofences: unknown[] }>().geofences).to.have.length(1)
  })

  it('import brings a GeoJSON file, and export gives it back', async () => {
    const feature = (name: string, properties: object) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [9, 48] },
      properties: { name, ...properties },
    })
    const stdin = (...features: object[]) => ({ stdin: JSON.stringify({ type: 'FeatureCollection', features }) })
    const mixed = stdin(feature('Shop\u001b', { radius: 70, tags: ['shop'] }), feature('No radius', {}))
    const look = await run(['import', '1', '-', '--dry-run'], mixed)
    expect(look.code).to.equal(65)
    expect(look.stderr).to.include('features[1] (No radius): properties.radius is required')
    expect(look.stdout).to.include('1 geofence would be created, 0 exist already, 1 refused. Nothing is stored.')
    const refused = await run(['import', '1', '-'], mixed)
    expect(refused.code).to.equal(65)
    expect(refused.stderr).to.include('nothing is stored: 1 feature cannot be geofences')
    const done = await run(['import', '1', '-', '--radius', '150', '--json'], mixed)
    expect(done.json()).to.deep.include({ created: 2, existing: 0, refused: 0 })
    const left = await run(['import', '1', '-', '--skip-refused'], mixed)
    expect(left.stdout).to.include('0 geofences were created, 1 exist already, 1 refused.')
    expect(left.code).to.equal(65)
    const exported = await run(['export', '1'])
    const { features } = JSON.parse(exported.stdout) as { features: { properties: object }[] }
    expect(features.map(({ properties }) => properties)).to.deep.include({
      radius: 70,
      name: 'Shop\u001b',
      tags: ['shop'],
      isEnabled: true,
    })
    const again = await run(['import', '1', '-', '--json'], { stdin: exported.stdout })
    expect(again.json()).to.deep.include({ created: 0, existing: features.length, refused: 0 })
    const file = join(dir, 'out.geojson')
    expect((await run(['export', '1', file])).stdout).to.include(`were written to ${file}`)
    expect((await run(['import', '1', file, '--dry-run', '--json'])).json()).to.deep.include({ created: 0 })
  })

  const refused: [string, string[], string, number, RegExp][] = [
    ['importing no file', ['import', '1', 'nowhere.geojson'], '', 66, /there is no file nowhere\.geojson/],
    ['importing no JSON', ['import', '1', '-'], '{', 65, /is not valid JSON/],
    ['importing nothing', ['import', '1', '-'], '', 65, /is empty/],
    ['importing something else', ['import', '1', '-'], '{"type":"Topology"}', 65, /type must be FeatureCollection/],
    ['a radius that is none', ['import', '1', '-', '--radius', 'far'], '{}', 65, /radius/],
    [
      'wrong bounds',
      ['create', '1', '--file', '-'],
      '{"name":"x","boundsGeoJson":{}}',
      65,
      /boundsGeoJson\.geometry is required/,
    ],
    ['no JSON', ['create', '1', '--file', '-'], '{"name":', 65, /--file is not valid JSON/],
    ['no such file', ['create', '1', '--file', 'nowhere.json'], '', 66, /--file: there is no file nowhere\.json/],
    ['an id that there is not', ['show', '1', '99'], '', 66, /there is no geofence 99/],
    ['an id that is none', ['show', '1', 'home'], '', 66, /there is no geofence "home"/],
    ['deleting without a yes', ['delete', '1', '2'], '', 64, /add --yes/],
  ]
  for (const [what, argv, stdin, exit, sentence] of refused) {
    it(`${what} ends with ${exit}`, async () => {
      const ran = await run([...argv, '--json'], { stdin })
      expect(ran.stderr).to.match(sentence)
      expect(ran.code).to.equal(exit)
    })
  }
})
