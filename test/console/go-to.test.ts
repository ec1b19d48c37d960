import { expect } from 'chai'
import { loadPure } from './support/pure.ts'

type LngLat = [lng: number, lat: number]
type Read = { at: LngLat; swapped?: LngLat; order?: string; zoom?: number } & { problem: string }
interface Place {
  name: string
  country?: string
  province?: string
  zoom: number
}
interface Gazetteer {
  places: Place[]
}
const { readCoordinates, shownPosition } = await loadPure<{
  readCoordinates(text: string): Read | undefined
  shownPosition(at: LngLat): string
}>('pages/geofences/go-to/coordinates.ts')
const { readMapLink } = await loadPure<{ readMapLink(text: string): (Read & { from: string }) | undefined }>(
  'pages/geofences/go-to/map-link.ts',
)
const { find } = await loadPure<{
  find(text: string, load: () => Promise<Gazetteer>): Promise<{ title: string; about: string; at: LngLat }[]>
}>('pages/geofences/go-to/find.ts')
const { loadPlaces } = await loadPure<{ loadPlaces(): Promise<Gazetteer> }>('pages/geofences/map/places.ts')
interface Mark {
  kind: string
  x: number
  y: number
  of: unknown
}
const { clustered } = await loadPure<{
  clustered(all: object[], view: object, size: object, chosen?: object): { marks: Mark[]; left: number }
}>('pages/geofences/map/clusters.ts')
const { labelsOf } = await loadPure<{
  labelsOf(places: Place[], view: object, size: object): { name: string; x: number; y: number }[]
}>('pages/geofences/map/labels.ts')

describe('the box that goes to a place of the map', () => {
  const positions: [string, number, number, string?][] = [
    ['52.52, 13.40', 52.52, 13.4, 'latitude, longitude'],
    ['52.52 13.40', 52.52, 13.4, 'latitude, longitude'],
    ['52.52;13.40', 52.52, 13.4, 'latitude, longitude'],
    ['52.52/13.40', 52.52, 13.4, 'latitude, longitude'],
    [' 52.52° , 13.40° ', 52.52, 13.4, 'latitude, longitude'],
    ['(52.52, 13.40)', 52.52, 13.4, 'latitude, longitude'],
    ['52,52 13,40', 52.52, 13.4, 'latitude, longitude'],
    ['52,52; 13,40', 52.52, 13.4, 'latitude, longitude'],
    ['-33.87, 151.21', -33.87, 151.21, 'latitude, longitude'],
    ['−33.87, 151.21', -33.87, 151.21, 'latitude, longitude'],
    ['151.21, -33.87', -33.87, 151.21, 'longitude, latitude'],
    ['52, 13', 52, 13, 'latitude, longitude'],
    ['0 0', 0, 0, 'latitude, longitude'],
    ['[13.40, 52.52]', 52.52, 13.4, 'longitude, latitude'],
    ['POINT(13.40 52.52)', 52.52, 13.4, 'longitude, latitude'],
    ['N 52.52, E 13.40', 52.52, 13.4],
    ['52.52N 13.40E', 52.52, 13.4],
    ['52.52 n, 13.40 e', 52.52, 13.4],
    ['E 13.40 N 52.52', 52.52, 13.4],
    ['33.87S 151.21E', -33.87, 151.21],
    ['40.5N 74.25W', 40.5, -74.25],
    ["52°30'N 13°24'E", 52.5, 13.4],
    ['52° 30′ 36″ N, 13° 24′ 18″ E', 52.51, 13.405],
    ['52°30\'36"N13°24\'18"E', 52.51, 13.405],
    ["52°30'36''N 13°24'18''E", 52.51, 13.405],
    ['52º30’36”N, 13º24’18”E', 52.51, 13.405],
    ["N52°30.6' E13°24.3'", 52.51, 13.405],
    ['N 52 30 36 E 13 24 18', 52.51, 13.405],
    ['52 30 36 N 13 24 18 E', 52.51, 13.405],
    ['52 30.6 N, 13 24.3 E', 52.51, 13.405],
    ['52°30\'36", 13°24\'18"', 52.51, 13.405, 'latitude, longitude'],
    ["-52°30', 13°24'", -52.5, 13.4, 'latitude, longitude'],
    ['90, 180', 90, 180, 'latitude, longitude'],
  ]
  for (const [text, lat, lng, order] of positions) {
    it(`reads ${text}`, () => {
      const read = readCoordinates(text)!
      expect(read, 'it is no position').to.not.equal(undefined)
      expect(read.problem).to.equal(undefined)
      expect(read.at[0]).to.be.closeTo(lng, 1e-9)
      expect(read.at[1]).to.be.closeTo(lat, 1e-9)
      expect(read.order).to.equal(order)
    })
  }

  it('says the other order only where both may be meant', () => {
    expect(readCoordinates('52.52, 13.40')!.swapped).to.deep.equal([52.52, 13.4])
    expect(readCoordinates('-33.87, 151.21')).to.not.have.property('swapped')
    expect(readCoordinates('52.52N 13.40E')).to.not.have.property('swapped')
    expect(readCoordinates('7, 7')).to.not.have.property('swapped')
  })

  const problems: [string, RegExp][] = [
    ['191, 10', /Latitudes go from -90 to 90/],
    ['91N 10E', /Latitudes go from -90 to 90/],
    ['52.5N 181E', /Latitudes go from -90 to 90/],
    ['95, 100', /Latitudes go from -90 to 90/],
    ["52°61'N 13°24'E", /Minutes and seconds go from 0 to 59/],
    ["52°30'60\"N 13°24'E", /Minutes and seconds go from 0 to 59/],
    ['52N 13N', /Both say the same direction/],
    ['52E 13W', /Both say the same direction/],
  ]
  for (const [text, problem] of problems) {
    it(`says what is wrong with ${text}`, () => expect(readCoordinates(text)!.problem).to.match(problem))
  }

  for (const text of [
    '',
    'Berlin',
    '52.52',
    '52.52, 13.40, 7',
    'Route 66',
    'N 52',
    '1.2.3, 4',
    '10 Downing Street',
    '2026-11-30',
    '1000, 2000',
    'N52N E13E',
    '📍',
  ]) {
    it(`takes “${text}” for no position`, () => expect(readCoordinates(text)).to.equal(undefined))
  }

  const links: [string, string, number, number, number?][] = [
    ['Google Maps', 'https://www.google.com/maps/@52.5200,13.4050,15z', 52.52, 13.405, 15],
    ['Google Maps', 'https://www.google.de/maps/@52.52,13.405,12.5z?hl=de&entry=ttu', 52.52, 13.405, 12.5],
    ['Google Maps', 'https://www.google.co.uk/maps/@51.5,-0.12,10z', 51.5, -0.12, 10],
    [
      'Google Maps',
      'https://www.google.com/maps/place/Brandenburger+Tor/@52.516,13.370,17z/data=!3m1!4b1!4m6!3m5!1s0x47a8:0x77!8m2!3d52.5162746!4d13.3777041!16zL20',
      52.5162746,
      13.3777041,
      17,
    ],
    ['Google Maps', 'https://www.google.com/maps/place/52.5200,13.4050', 52.52, 13.405],
    ['Google Maps', 'https://www.google.com/maps/search/52.52,+13.405?entry=tts', 52.52, 13.405],
    [
      'Google Maps',
      'https://www.google.com/maps/search/?api=1&query=47.5951518%2C-122.3316393',
      47.5951518,
      -122.3316393,
    ],
    ['Google Maps', 'https://www.google.com/maps/dir/?api=1&origin=Berlin&destination=48.14,11.58', 48.14, 11.58],
    [
      'Google Maps',
      'https://www.google.com/maps/@?api=1&map_action=map&center=-33.712206%2C150.311941&zoom=12&basemap=terrain',
      -33.712206,
      150.311941,
      12,
    ],
    [
      'Google Maps',
      'https://www.google.com/maps/@?api=1&map_action=pano&viewpoint=48.857832,2.295226',
      48.857832,
      2.295226,
    ],
    ['Google Maps', 'https://maps.google.com/?q=52.52,13.405', 52.52, 13.405],
    ['Google Maps', 'https://maps.google.com/maps?q=loc:52.52,13.405&z=14', 52.52, 13.405, 14],
    ['Google Maps', 'http://maps.google.com/?ll=52.52,13.405&z=9', 52.52, 13.405, 9],
    ['Google Maps', 'www.google.com/maps/@52.52,13.405,15z', 52.52, 13.405, 15],
    ['OpenStreetMap', 'https://www.openstreetmap.org/#map=15/52.52/13.405', 52.52, 13.405, 15],
    [
      'OpenStreetMap',
      'https://www.openstreetmap.org/?mlat=52.5163&mlon=13.3777#map=17/52.5170/13.3888',
      52.5163,
      13.3777,
      17,
    ],
    [
      'OpenStreetMap',
      'https://www.openstreetmap.org/node/240109189#map=19/52.5170365/13.3888599&layers=N',
      52.5170365,
      13.3888599,
      19,
    ],
    ['OpenStreetMap', 'https://www.openstreetmap.org/?lat=52.52&lon=13.405&zoom=12', 52.52, 13.405, 12],
    ['OpenStreetMap', 'https://www.openstreetmap.org/?bbox=13,52,14,53', 52.5, 13.5],
    ['OpenStreetMap', 'https://osm.org/go/0EEQjE--', 51.511, 0.055, 9],
    ['Apple Maps', 'https://maps.apple.com/?ll=50.894967,4.341626&z=15', 50.894967, 4.341626, 15],
    ['Apple Maps', 'https://maps.apple.com/?q=Mexican+Restaurant&sll=50.894967,4.341626&z=10', 50.894967, 4.341626, 10],
    ['Apple Maps', 'https://maps.apple.com/place?coordinate=37.3349,-122.00902&name=Apple+Park', 37.3349, -122.00902],
    ['Apple Maps', 'https://maps.apple.com/frame?center=37.33,-122.01&span=0.1,0.1', 37.33, -122.01],
    ['Apple Maps', 'https://maps.apple.com/?daddr=37.33,-122.01', 37.33, -122.01],
    ['Bing Maps', 'https://www.bing.com/maps?cp=47.677797~-122.122013&lvl=16', 47.677797, -122.122013, 16],
    [
      'Bing Maps',
      'https://www.bing.com/maps/default.aspx?cp=47.6~-122.1&sp=point.45.23423_-122.1232_Shop_Notes',
      45.23423,
      -122.1232,
    ],
    ['Bing Maps', 'https://bing.com/maps/default.aspx?rtp=pos.44.9_-93.2_Home~adr.Seattle', 44.9, -93.2],
    ['geo:', 'geo:52.52,13.405;u=35', 52.52, 13.405],
  ]
  for (const [from, link, lat, lng, zoom] of links) {
    it(`reads ${link.slice(0, 90)}`, () => {
      const read = readMapLink(link)!
      expect(read.problem).to.equal(undefined)
      expect(read.from).to.equal(from)
      expect(read.at[1]).to.be.closeTo(lat, 1e-3)
      expect(read.at[0]).to.be.closeTo(lng, 1e-3)
      expect(read.zoom).to.equal(zoom)
    })
  }

  const unreadable: [string, RegExp][] = [
    ['https://maps.app.goo.gl/abc123', /A short link says nothing/],
    ['https://goo.gl/maps/abc123', /A short link says nothing/],
    ['https://example.com/@52,13', /Links of Google Maps, OpenStreetMap, Apple Maps and Bing Maps/],
    ['https://google.com.evil.example/maps/@52,13,4z', /Links of Google Maps/],
    ['https://www.google.com/maps/place/Berlin', /has no coordinates/],
    ['https://www.google.com/maps/@99,13,4z', /has no coordinates/],
    ['https://www.google.com/maps/%E0%A4%A', /has no coordinates/],
    ['https://www.openstreetmap.org/about', /has no coordinates/],
    ['https://', /cannot be read/],
    ['geo:99,13', /beyond the earth/],
  ]
  for (const [link, problem] of unreadable) {
    it(`says why ${link} leads nowhere`, () => expect(readMapLink(link)!.problem).to.match(problem))
  }

  it('takes names and coordinates for no links', () => {
    for (const text of ['Berlin', '52.52, 13.40', 'google', 'javascript:alert(1)', '']) {
      expect(readMapLink(text)).to.equal(undefined)
    }
  })

  const names: [string, string][] = [
    ['berlin', 'Berlin, Germany'],
    ['zurich', 'Zürich, Switzerland'],
    ['ZÜRICH', 'Zürich, Switzerland'],
    ['sao paulo', 'Sao Paulo, Brazil'],
    ['tromso', 'Tromsø, Norway'],
    ['reykjavik', 'Reykjavík, Iceland'],
    ["cote d'ivoire", "Côte d'Ivoire, Country"],
    ['new yor', 'New York, United States'],
    ['paris', 'Paris, France'],
    ['birmingham, united states', 'Birmingham, United States'],
    ['germany', 'Germany, Country'],
  ]
  for (const [text, expected] of names) {
    it(`finds ${expected} by “${text}”`, async () => {
      const [first] = await find(text, loadPlaces)
      expect(`${first?.title}, ${first?.about}`).to.equal(expected)
    })
  }

  it('tells namesakes apart by their province, and finds nothing for nothing', async () => {
    const springfields = await find('springfield', loadPlaces)
    expect(new Set(springfields.map(({ title, about }) => `${title} ${about}`)).size).to.equal(springfields.length)
    expect(await find('springfield, illinois', loadPlaces)).to.have.length(1)
    for (const text of ['', ' , ', '...', 'qqqqq']) expect(await find(text, loadPlaces)).to.deep.equal([])
  })

  it('offers both readings of two bare numbers, in words', async () => {
    const both = await find('52.52, 13.40', loadPlaces)
    expect(both.map(({ title, about }) => `${title}: ${about}`)).to.deep.equal([
      '52.52° N, 13.4° E: Read as latitude, longitude',
      '13.4° N, 52.52° E: Read as longitude, latitude',
    ])
    expect(shownPosition([-0.12, -33.5])).to.equal('33.5° S, 0.12° W')
    const error = await find('https://goo.gl/maps/x', loadPlaces).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('short link')
  })
})

describe('the names on the map', () => {
  const size = { width: 1000, height: 500 }

  it('begin with countries and the largest cities, and grow with the zoom', async () => {
    const { places } = await loadPlaces()
    const at = (zoom: number) => labelsOf(places, { lng: 13.4, lat: 52.5, zoom }, size)
    const far = at(3).map(({ name }) => name)
    expect(far).to.include('Moscow').and.not.include('Potsdam')
    expect(at(4.5).map(({ name }) => name)).to.include('Germany')
    expect(at(10).map(({ name }) => name)).to.include('Potsdam')
    expect(at(10).map(({ name }) => name)).to.not.include('Germany')
    expect(far.length).to.be.below(120)
  })

  it('cover no other one, at any zoom, and go round the earth', async () => {
    const { places } = await loadPlaces()
    for (const [lng, lat] of [
      [13.4, 52.5],
      [139.7, 35.7],
      [-74, 40.7],
      [179.9, -17],
    ] as const) {
      for (let zoom = 1; zoom <= 12; zoom += 0.5) {
        const labels = labelsOf(places, { lng, lat, zoom }, size)
        for (const [i, one] of labels.entries()) {
          const near = labels.filter((other, j) => j !== i && Math.hypot(other.x - one.x, other.y - one.y) < 12)
          expect(near, `${one.name} at ${zoom}`).to.deep.equal([])
        }
      }
    }
    const fiji = labelsOf(places, { lng: 179.9, lat: -17, zoom: 7 }, size)
    expect(fiji.some(({ x }) => x < 500)).to.equal(true)
    const { at } = places.find(({ name, country }) => name === 'Russia' && country === undefined) as unknown as {
      at: LngLat
    }
    expect(at[0]).to.be.within(60, 130)
  })
})

describe('many geofences on the map', () => {
  const size = { width: 1000, height: 500 }
  const view = { lng: 10, lat: 50, zoom: 5 }
  /** A geofence as the map sees it; `reach` is a share of the world. */
  const at = (lng: number, lat: number, reach: number) => {
    const sine = Math.sin((lat * Math.PI) / 180)
    const y = 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)
    return { share: { x: (lng + 180) / 360, y, reach } }
  }
  const countOf = ({ marks }: { marks: Mark[] }) =>
    marks.reduce((sum, { kind, of }) => sum + (kind === 'cluster' ? (of as unknown[]).length : 1), 0)

  it('small ones are gathered, and none is lost', () => {
    const all = Array.from({ length: 10_000 }, (_, i) => at((i * 7919) % 20, 45 + ((i * 104_729) % 1000) / 100, 1e-7))
    const found = clustered(all, view, size)
    expect(countOf(found)).to.equal(10_000)
    expect(found.marks.length).to.be.below(400)
    expect(found.left).to.equal(0)
  })

  it('one alone is a pin, a large one a shape, and the chosen one is never gathered', () => {
    const [one, two, large] = [at(10, 50, 1e-7), at(10.01, 50, 1e-7), at(12, 50, 0.01)]
    expect(clustered([one, large], view, size).marks.map(({ kind }) => kind)).to.have.members(['pin', 'shape'])
    expect(clustered([one, two], view, size).marks.map(({ kind }) => kind)).to.deep.equal(['cluster'])
    const chosen = clustered([one, two], view, size, two).marks
    expect(chosen.map(({ kind }) => kind)).to.deep.equal(['pin', 'pin'])
  })

  it('what is out of sight is left out, and what lies across the antimeridian is not', () => {
    expect(clustered([at(-120, 0, 1e-7)], view, size).marks).to.deep.equal([])
    const [mark] = clustered([at(-179.9, 0, 1e-7)], { lng: 179.9, lat: 0, zoom: 8 }, size).marks
    expect(mark!.x).to.be.within(500, 600)
  })

  it('draws the largest of too many shapes, and counts the others', () => {
    const all = Array.from({ length: 450 }, (_, i) => at(10, 50, 0.002 + i / 100_000))
    const found = clustered(all, view, size)
    expect(found.left).to.equal(50)
    expect(found.marks.some(({ of }) => of === all.at(-1))).to.equal(true)
    expect(found.marks.some(({ of }) => of === all[0])).to.equal(false)
  })
})
