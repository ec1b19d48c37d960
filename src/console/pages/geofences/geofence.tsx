import { useSignal } from '@preact/signals'
import { Trash2 } from 'lucide'
import { type Answer, api } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { Switch, TextField } from '../../parts/field.tsx'
import { Form, useForm } from '../../parts/form.tsx'
import { ConfirmDialog, toast } from '../../parts/overlays.tsx'
import { shellWord } from '../../parts/shell-words.ts'
import { Card, Failed, PageHead, Skeleton } from '../../parts/surfaces.tsx'
import { formatNumber, Stat } from '../../parts/values.tsx'
import type { PageProps } from '../../shell/page.ts'
import { href, navigate } from '../../shell/router.ts'
import { may } from '../../shell/session.ts'
import { type Bounds, boundsOf, type Shape, shapeOf } from './bounds.ts'
import { Editor } from './editor.tsx'
import { GeoJson, ShapeFields } from './shape-fields.tsx'

type Geofence = Answer<'/admin/v1/apps/{appId}/geofences/{id}'>

/** A geofence, or a new one (`/geofences/new`). */
export default function GeofencePage({ appId, params }: PageProps) {
  const id = params['geofenceId']
  const loaded = useLoad(
    id === undefined
      ? null
      : (signal) => api.get('/admin/v1/apps/{appId}/geofences/{id}', { path: { appId, id }, signal }),
    [appId, id],
  )
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
            <Stat label="Entries so far" value={formatNumber(found.activationCount)} more="since it was made" />
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

const tagsOf = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

interface Values {
  name: string
  tags: string
  isEnabled: boolean
  bounds: Bounds | undefined
  shape: Shape | undefined
}

function GeofenceForm({ appId, before, onSaved }: FormProps) {
  const isReadOnly = !may('campaign', appId)
  const isDrawing = useSignal(false)
  const stored = before?.boundsGeoJson as unknown as Bounds | undefined
  const form = useForm<Values>(
    {
      name: before?.name ?? '',
      tags: before?.tags.join(', ') ?? '',
      isEnabled: before?.isEnabled ?? true,
      bounds: stored,
      shape: stored && shapeOf(stored),
    },
    {
      draft: `geofence-${appId}-${before?.id ?? 'new'}`,
      edits: before && {
        before,
        read: () => api.get('/admin/v1/apps/{appId}/geofences/{id}', { path: { appId, id: before.id } }),
      },
      names: { boundsGeoJson: 'shape' },
      check: ({ name, shape }) => ({
        name: name.trim() === '' ? 'Give it a name.' : undefined,
        shape:
          shape === undefined
            ? 'Draw where it is first.'
            : shape.kind === 'polygon' && shape.points.length < 3
              ? 'An area has at least 3 corners.'
              : undefined,
      }),
      submit: async (values) => {
        const body = bodyOf(values)
        if (before) {
          const saved = await api.put('/admin/v1/apps/{appId}/geofences/{id}', {
            path: { appId, id: before.id },
            body: body as never,
          })
          isDrawing.value = false
          onSaved?.(saved)
          toast('The geofence is saved.')
        } else {
          await api.post('/admin/v1/apps/{appId}/geofences', { path: { appId }, body: body as never })
          toast('The geofence is there.')
          navigate(`/apps/${appId}/geofences`)
        }
      },
    },
  )
  const { shape, bounds, name } = form.values.value
  const body = shape ? bodyOf(form.values.value) : undefined
  const path = `/admin/v1/apps/${appId}/geofences${before ? `/${before.id}` : ''}`
  const verb = before ? `update --app ${appId} ${before.id}` : `create --app ${appId}`
  return (
    <div class="stack loose">
      <Editor
        appId={appId}
        shape={shape}
        onShape={(next) => form.set({ shape: next })}
        isDrawing={isDrawing}
        isReadOnly={isReadOnly}
        error={form.field('shape').error}
      />
      <Card>
        {isReadOnly ? (
          <GeoJson shape={shape} before={bounds} name={name} isReadOnly onBounds={() => {}} />
        ) : (
          <Form
            form={form}
            submitLabel={before ? 'Save the geofence' : 'Create the geofence'}
            also={
              <AsCommand
                command={body && `echo ${shellWord(JSON.stringify(body))} | appsvc geofences ${verb} --file -`}
                call={{ method: before ? 'PUT' : 'POST', path, body: body ?? {} }}
              />
            }
          >
            <TextField {...form.field('name')} label="Name" hint="For you and your colleagues; people do not see it." />
            <ShapeFields shape={shape} onShape={(next) => form.set({ shape: next })} />
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
            <TextField
              {...form.field('tags')}
              label="Tags"
              isOptional
              hint="Separated by commas. A push can go to everybody inside the geofences of a tag."
            />
            <Switch
              {...form.field('isEnabled')}
              label="Geofence is on"
              hint="While it is off, nobody is inside and no entries are counted."
            />
          </Form>
        )}
      </Card>
    </div>
  )
}

function bodyOf(values: {
  name: string
  tags: string
  isEnabled: boolean
  bounds: Bounds | undefined
  shape: Shape | undefined
}) {
  const { name, tags, isEnabled, bounds, shape } = values
  return { name: name.trim(), boundsGeoJson: boundsOf(shape!, bounds), isEnabled, tags: tagsOf(tags) }
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
