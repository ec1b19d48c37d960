import { useList } from '../api/load.ts'
import { Button } from './button.tsx'
import { Card } from './surfaces.tsx'
import { ListTable } from './table.tsx'
import { Time } from './values.tsx'

interface VersionListProps {
  about: string
  /** Number of the newest version. */
  version: number
  /** Reads versions with higher numbers than `after`, in their order. */
  read(
    query: { limit: number; after?: number },
    signal: AbortSignal,
  ): Promise<{ versions: { version: number; createdAt: string }[] }>
  /** Verb of the buttons, such as "Compare". */
  verb: string
  onChoose(version: number): void
}

const PAGE = 50

/** The versions of a template, the newest first. The interface counts up: each page is asked for by its numbers. */
export function VersionList({ about, version, read, verb, onChoose }: VersionListProps) {
  const list = useList(
    async (cursor, signal) => {
      const after = Number(cursor ?? version) - PAGE
      const { versions } = await read({ limit: PAGE, ...(after > 0 && { after }) }, signal)
      // Numbers that are missing are those of versions that are not kept any more.
      return { items: versions.toReversed(), next: after > 0 && versions.length === PAGE ? after : null }
    },
    [version],
  )
  return (
    <Card title="Versions" about={about} isFlush>
      <ListTable
        label="Versions"
        list={list}
        keyOf={(one) => one.version}
        columns={[
          {
            title: 'Version',
            cell: (one) => (one.version === version ? `${one.version}, the newest` : one.version),
          },
          { title: 'Created', cell: (one) => <Time at={one.createdAt} /> },
          {
            title: '',
            isTight: true,
            cell: (one) =>
              one.version !== version && (
                <Button size="small" onClick={() => onChoose(one.version)}>
                  {verb}
                  <span class="hidden"> version {one.version}</span>
                </Button>
              ),
          },
        ]}
      />
    </Card>
  )
}
