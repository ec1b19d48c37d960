import { platformName } from '../../parts/platforms.ts'
import { Badge } from '../../parts/surfaces.tsx'
import type { Column } from '../../parts/table.tsx'
import { Nothing, Num, Time } from '../../parts/values.tsx'
import { href } from '../../state/router.ts'
import type { FoundProfile } from './types.ts'

/** The users that somebody has ticked. */
export interface Chosen {
  /** Their identifiers, by number. */
  users: ReadonlyMap<number, string>
  /** Ticks a user, or takes the tick away. */
  choose(one: FoundProfile): void
}

/** The columns of the list of users; with ticks for whoever may act on them. */
export const userColumns = (appId: number, chosen: Chosen | undefined): Column<FoundProfile>[] => [
  ...(chosen === undefined
    ? []
    : [
        {
          title: '',
          isTight: true,
          cell: (one: FoundProfile) => (
            <label class="choice user-tick">
              <input
                type="checkbox"
                aria-label={`Choose ${one.identifier}`}
                checked={chosen.users.has(one.id)}
                onChange={() => chosen.choose(one)}
              />
            </label>
          ),
        },
      ]),
  {
    title: 'User',
    isLead: true,
    cell: ({ id, identifier, known }) => (
      <span class="user-cell">
        <a class="cell-link user-name" href={href(`/apps/${appId}/users/${id}`)}>
          {identifier}
        </a>
        {!known && <Badge isPlain>anonymous</Badge>}
      </span>
    ),
  },
  { title: 'Attributes', isMinor: true, cell: ({ attributes }) => <ShortAttributes of={attributes} /> },
  {
    title: 'Devices',
    cell: ({ platforms, installs }) =>
      installs === 0 ? <span class="quiet">none</span> : platforms.map(platformName).join(', ') || `${installs}`,
  },
  {
    title: 'Push',
    cell: ({ installs, subscribed }) =>
      installs === 0 ? null : subscribed > 0 ? (
        <Badge tone="good">{installs === 1 ? 'on' : `on ${subscribed} of ${installs}`}</Badge>
      ) : (
        <Badge>off</Badge>
      ),
    isTight: true,
  },
  { title: 'Last active', cell: ({ lastActive }) => <Time at={lastActive} />, isTight: true },
]

const SHOWN = 2
const LONGEST = 28

/** The first attributes, at most `most`, and how many more there are; without those that are objects. */
export function ShortAttributes({ of, most = SHOWN }: { of: Record<string, unknown>; most?: number }) {
  const all = Object.entries(of)
  const shown = all.filter(([, value]) => typeof value !== 'object').slice(0, most)
  if (all.length === 0) return <Nothing />
  return (
    <span class="chips">
      {shown.map(([name, value]) => (
        <span key={name} class="chip">
          <span class="quiet">{name}</span> {cut(String(value))}
        </span>
      ))}
      {all.length > shown.length && (
        <span class="quiet small-text">
          +<Num value={all.length - shown.length} />
        </span>
      )}
    </span>
  )
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text)
