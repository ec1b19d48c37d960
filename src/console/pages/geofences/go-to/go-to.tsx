import type { Signal } from '@preact/signals'
import { Combobox } from '../../../parts/combobox.tsx'
import { loadPlaces } from '../map/places.ts'
import type { View } from '../map/projection.ts'
import { type Found, find } from './find.ts'

interface GoToProps {
  view: Signal<View>
  /** The place that was chosen. */
  onFound(found: Found): void
}

/** A field that moves the map: to coordinates, to the place of a pasted map link, or to a town or country by name. */
export function GoTo({ view, onFound }: GoToProps) {
  return (
    <div class="map-search">
      <Combobox<Found>
        label="Go to a place"
        placeholder="Town, 52.52, 13.40 or a map link"
        find={(text) => find(text, loadPlaces)}
        keyOf={({ title, about }) => `${title} ${about}`}
        show={({ title, about }) => (
          <>
            <span class="grow">{title}</span>
            <span class="quiet small-text">{about}</span>
          </>
        )}
        textOf={({ title }) => title}
        onChoose={(found) => {
          view.value = { lng: found.at[0], lat: found.at[1], zoom: found.zoom }
          onFound(found)
        }}
      />
    </div>
  )
}
