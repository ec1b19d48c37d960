import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import { type Answer, type Body as ApiBody, type Asked, api, asked } from '../../api/client.ts'
import { useGet } from '../../api/load.ts'
import * as row from '../../forms/rows.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { Stat } from '../../parts/values.tsx'
import type { PageProps } from '../../state/page.ts'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { type Bounds, boundsOf, type Shape, shapeOf } from './bounds.ts'
import { Editor } from './editor.tsx'
import { GeoJson, ShapeFields } from './shape-fields.tsx'

const ONE = '/admin/v1/apps/{appId}/geofences/{id}'
type Geofence = Answer<typeof ONE>

/** A geofence, or a new one (`/geofences/new`). */
export default function GeofencePage({ appId, params }: PageProps) {
  const id = params['geofenceId']
  const loaded = useGet('/admin/v1/apps/{appId}/geofences/{id}', id === undefined ? null : { path: { appId, id } })
  const crumbs = [{ label: 'Geofences', href: href(`/apps/${appId}/geofences`) }]
  if (id === undefined) {
    return (
      <div class="page wide">
        <PageHead title="New geofence" crumbs={crumbs} about="Draw an area or a circle, or type where it is." />
        <GeofenceForm appId={appId} before={undefined} />
      </div>
    )
  }
  const found = loaded.value.value
  if (loaded.error.value !== undefined) {
    return (
      <div class="page wide">
        <PageHead title="Geofence" crumbs={crumbs} />
        <Failed error={loaded.error.value} retry={loaded.reload} />
      </div>
    )
  }
  return (
    <div class="page wide">
      <PageHead
        title={found?.name ?? 'Geofence'}
        crumbs={crumbs}
        actions={found && may('campaign', appId) && <DeleteButton appId={appId} geofence={found} />}
      />
      {found ? (
        <>
          <div class="grid stats">
            <Stat
              label="People inside now"
              value={formatNumber(found.activeUsers)}
              more="by their last known position"
            />
            <Stat label="Entries so far" value={formatNumber(found.activationCount)} more="since it was created" />
          </div>
          <GeofenceForm key={found.id} appId={appId} before={found} onSaved={loaded.set} />
        </>
      ) : (
        <Skeleton lines={6} />
      )}
    </div>
  )
}

interface FormProps {
  appId: number
  before: Geofence | undefined
  onSaved?(geofence: Geofence): void
}

type Body = ApiBody<'/admin/v1/apps/{appId}/geofences', 'post'>
const GEOFENCE = row.table<Body>()(
  row.text('name', 'Name', {
    hint: 'For you and your colleagues; people do not see it.',
    need: 'Give it a name.',
  }),
  row.own('bounds', undefined as Bounds | undefined, { path: '', from: (_, body) => body['boundsGeoJson'] as Bounds }),
  row.own('shape', undefined as Shape | undefined, {
    path: 'boundsGeoJson',
    from: (stored) => shapeOf(stored as Bounds),
    to: (shape, { bounds }) => shape && boundsOf(shape, bounds as Bounds | undefined),
    check(shape) {
      if (shape === undefined) return 'Draw where it is first.'
      return shape.kind === 'polygon' && shape.points.length < 3 ? 'An area has at least 3 corners.' : undefined
    },
  }),
  row.list('tags', 'Tags', {
    isOptional: true,
    empty: 'sent',
    hint: 'Separated by commas. A push can go to everybody inside the geofences of a tag.',
  }),
  row.toggle('isEnabled', 'Geofence is on', {
    first: true,
    hint: 'While it is off, nobody is inside and no entries are counted.',
  }),
)

function GeofenceForm({ appId, before, onSaved }: FormProps) {
  const isReadOnly = !may('campaign', appId)
  const isDrawing = useSignal(false)
  const path = before && { appId, id: before.id }
  const form = useTable(GEOFENCE, {
    of: before,
    read: path && (() => api.get(ONE, { path })),
    draft: `geofence-${appId}-${before?.id ?? 'new'}`,
    call: (body): Asked<unknown> =>
      path
        ? asked('put', ONE, { path, body })
        : asked('post', '/admin/v1/apps/{appId}/geofences', { path: { appId }, body }),
    done(saved) {
      isDrawing.value = false
      toast(before ? 'The geofence is saved.' : 'The geofence is there.')
      if (before) onSaved?.(saved as Geofence)
      else navigate(`/apps/${appId}/geofences`)
    },
  })
  const { shape, bounds, name } = form.values.value
  const set = (next: Shape | undefined) => form.set({ shape: next })
  const into = before
    ? command`geofences update --app ${appId} ${before.id} --file -`
    : command`geofences create --app ${appId} --file -`
  return (
    <div class="stack loose">
      <Editor
        appId={appId}
        id={before?.id}
        shape={shape}
        onShape={set}
        isDrawing={isDrawing}
        isReadOnly={isReadOnly}
        error={form.field('shape').error}
      />
      <Card>
        {isReadOnly ? (
          <GeoJson shape={shape} before={bounds} name={name} isReadOnly onBounds={() => {}} />
        ) : (
          <TableForm
            form={form}
            submitLabel={before ? 'Save the geofence' : 'Create the geofence'}
            command={shape && piped(form.call?.body, into)}
            extras={{
              shape: () => (
                <>
                  <ShapeFields shape={shape} onShape={set} />
                  <GeoJson
                    shape={shape}
                    before={bounds}
                    name={name}
                    isReadOnly={false}
                    onBounds={(given, next) => {
                      isDrawing.value = false
                      form.set({ bounds: given, shape: next })
                    }}
                  />
                </>
              ),
            }}
          />
        )}
      </Card>
    </div>
  )
}

function DeleteButton({ appId, geofence: { id, name } }: { appId: number; geofence: Geofence }) {
  const isAsking = useSignal(false)
  return (
    <>
      <Button tone="danger" icon={Trash2} onClick={() => (isAsking.value = true)}>
        Delete
      </Button>
      {isAsking.value && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          action="Delete the geofence"
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/geofences/{id}', { path: { appId, id } })
            toast('The geofence is deleted.')
            navigate(`/apps/${appId}/geofences`)
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>Pushes and segments that name it reach nobody through it any more. Its count of entries goes with it.</p>
        </ConfirmDialog>
      )}
    </>
  )
}
