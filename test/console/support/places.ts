import type { TestServer } from '../../support/http.ts'
import { addInstall } from '../../support/installs.ts'

/** Geofences with people inside, and tables with records. */
export interface Places {
  geofenceId: number
  tableAlias: string
}

const BERLIN = [
  [13.2, 52.6],
  [13.1, 52.4],
  [13.6, 52.35],
  [13.7, 52.55],
  [13.2, 52.6],
] as [number, number][]

/** Fills an app with what the screens of geofences and tables show. */
export async function fillPlaces({ program, clock }: TestServer, appId: number): Promise<Places> {
  const { id: geofenceId } = await program.inTransaction((tx) =>
    tx.geofences.create(appId, {
      name: 'Berlin',
      tags: ['city', 'north'],
      boundsGeoJson: {
        type: 'Feature',
        geometry: { type: 'Polygon', coordinates: [BERLIN] },
        properties: { orderAdded: [0, 1, 2, 3], markerLocation: [52.48, 13.4] },
      },
    }),
  )
  await program.inTransaction((tx) =>
    tx.geofences.create(appId, {
      name: 'Trade fair in Munich',
      isEnabled: false,
      boundsGeoJson: {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [11.69, 48.13] },
        properties: { radius: 40_000 },
      },
    }),
  )
  for (let i = 0; i < 12; i++) {
    const row = await addInstall(program, appId, `place${i}`, { user: `visitor${i}` })
    const position = { lat: 52.5 + i / 1000, lng: 13.4 }
    await program.inTransaction((tx) =>
      tx.geofences.move(appId, [{ row, position, at: clock.now(), userIdentifier: `visitor${i}` }]),
    )
  }
  const plain = { required: false, unique: false, indexed: false, default: null, references: null }
  const { alias } = await program.inTransaction((tx) =>
    tx.tables.create(appId, 'books', [
      { ...plain, name: 'title', type: 'string', required: true, indexed: true },
      { ...plain, name: 'year', type: 'integer', indexed: true },
      { ...plain, name: 'price', type: 'number' },
      { ...plain, name: 'inPrint', type: 'boolean', default: true },
      { ...plain, name: 'about', type: 'text' },
    ]),
  )
  await program.inTransaction((tx) =>
    tx.tables.create(appId, 'reviews', [
      { ...plain, name: 'book', type: 'reference', references: 'books' },
      { ...plain, name: 'stars', type: 'integer', default: 5 },
    ]),
  )
  const about =
    'A comedy of manners that has been in print for two hundred years and more, and is read in every language.'
  const books = [
    { title: 'Emma', year: 1815, price: 9.9, about },
    { title: 'Dracula', year: 1897, price: 12.5 },
    { title: 'Ulysses', year: 1922, inPrint: false },
  ]
  await program.inTransaction((tx) => tx.records.create(appId, alias, books))
  return { geofenceId, tableAlias: alias }
}
