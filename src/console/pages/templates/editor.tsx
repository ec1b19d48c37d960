import { useSignal } from '@preact/signals'
import { Eye, Redo2, Undo2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { CHANGED, changedError, refuseChanged } from '../../api/changed.ts'
import { api } from '../../api/client.ts'
import { baseOfDraft, dropDraft, keepDraft, readDraft } from '../../api/drafts.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { href, navigate } from '../../state/router.ts'
import { may } from '../../state/session.ts'
import { BlockFields } from './block-fields.tsx'
import { BlockList } from './block-list.tsx'
import { warningsOf } from './colors.ts'
import { BLOCKS, type Doc, type Draft, type Template } from './document.ts'
import { FrameFields } from './frame-fields.tsx'
import { usePast } from './past.ts'
import { Preview } from './preview.tsx'
import { TagFields } from './tag-fields.tsx'
import { Versions } from './versions.tsx'

const draftOf = ({ content, tags, sample }: Draft): Draft => ({ content, tags, sample })
const isSame = (a: Draft, b: Draft) => JSON.stringify(draftOf(a)) === JSON.stringify(draftOf(b))

interface EditorProps {
  appId: number
  template: Template
  onSaved(template: Template): void
}

/** The editor of a template: blocks, their fields and the frame of a phone side by side. */
export function Editor({ appId, template, onSaved }: EditorProps) {
  const { uid, name, version } = template
  const kept = `template-${appId}-${uid}`
  /** The version that this draft was begun from. */
  const begun = useRef(baseOfDraft(kept) ?? String(version))
  const past = usePast<Draft>((readDraft(kept) as Draft | undefined) ?? draftOf(template))
  const chosen = useSignal(0)
  const errors = useSignal<Record<string, string>>({})
  const problem = useSignal<string | undefined>(undefined)
  const isBusy = useSignal(false)
  const isDeleting = useSignal(false)
  const isLooking = useSignal(false)
  /** True when somebody else has saved a version since this one was opened. */
  const isElsewhere = useSignal(false)
  const draft = past.now.value
  const isReadOnly = !may('campaign', appId)
  const isChanged = !isSame(draft, template)
  const warnings = warningsOf(draft)
  const index = Math.min(chosen.value, draft.content.frame.nodes.length - 1)
  const path = { appId, uid }

  const change = (next: Draft, what = '') => {
    if (isReadOnly) return
    past.change(next, what)
    errors.value = {}
    problem.value = undefined
  }
  const setDoc = (content: Doc, what: string) => change({ ...draft, content }, what)
  const setBlocks = (nodes: Doc['frame']['nodes'], what = '') =>
    setDoc({ ...draft.content, frame: { ...draft.content.frame, nodes } }, what)

  useEffect(() => {
    if (isChanged) keepDraft(kept, draft, begun.current)
    else dropDraft(kept)
    const stay = (event: BeforeUnloadEvent) => event.preventDefault()
    if (isChanged) addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [draft, isChanged])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
      event.preventDefault()
      if (event.shiftKey) past.redo()
      else past.undo()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])

  const store = async (body: Draft) => {
    const saved = await api.put('/admin/v1/apps/{appId}/templates/{uid}', { path, body })
    dropDraft(kept)
    begun.current = String(saved.version)
    past.reset(draftOf(saved))
    onSaved(saved)
    return saved
  }
  const save = async (isForced = false) => {
    if (isBusy.peek()) return
    isBusy.value = true
    isElsewhere.value = false
    try {
      if (!isForced && begun.current !== String(version)) throw changedError()
      if (!isForced) await refuseChanged(template, () => api.get('/admin/v1/apps/{appId}/templates/{uid}', { path }))
      const saved = await store(draft)
      toast(`Version ${saved.version} is saved. Messages sent from now on use it.`)
    } catch (error) {
      const fields = error instanceof ApiError ? error.fields : {}
      isElsewhere.value = error instanceof ApiError && error.code === CHANGED
      errors.value = { ...fields }
      const places = Object.entries(fields).map(([place, text]) => `${placeOf(place, draft)}: ${text}`)
      problem.value = places.length > 0 ? places.join(' ') : messageOf(error)
      const block = Object.keys(fields)
        .map(blockOf)
        .find((at) => at !== undefined)
      if (block !== undefined) chosen.value = block
    } finally {
      isBusy.value = false
    }
  }

  const blocks = (
    <div class="editor">
      <Card title="Blocks">
        <BlockList
          blocks={draft.content.frame.nodes}
          chosen={index}
          choose={(at) => (chosen.value = at)}
          change={setBlocks}
          warnings={warnings}
          isReadOnly={isReadOnly}
        />
      </Card>
      <Card title={index < 0 ? 'Frame' : BLOCKS[draft.content.frame.nodes[index]!.type]}>
        <fieldset class="form" disabled={isReadOnly} key={index}>
          {warnings
            .filter(({ block }) => block === index)
            .map(({ text }) => (
              <Note key={text} tone="warn" title={text} />
            ))}
          {index < 0 ? (
            <FrameFields
              doc={draft.content}
              change={setDoc}
              tags={draft.tags}
              errors={errorsBelow(errors.value, 'content.')}
            />
          ) : (
            <BlockFields
              block={draft.content.frame.nodes[index]!}
              tags={draft.tags}
              errors={errorsBelow(errors.value, `content.frame.nodes[${index}].`)}
              change={(block, what) =>
                setBlocks(
                  draft.content.frame.nodes.map((one, i) => (i === index ? block : one)),
                  `${index} ${what}`,
                )
              }
            />
          )}
        </fieldset>
      </Card>
      <Preview draft={draft} name={name} />
    </div>
  )

  const saveButton = () => (
    <Button tone="primary" isOff={!isChanged} isBusy={isBusy.value} onClick={() => save()}>
      Save as version {version + 1}
    </Button>
  )

  return (
    <div class="page wide">
      <PageHead
        title={name}
        about={`${uid}, version ${version}${isChanged ? ', with changes that are not saved' : ''}`}
        crumbs={[{ label: 'Templates', href: href(`/apps/${appId}/templates`) }]}
        actions={
          !isReadOnly && (
            <>
              <IconButton icon={Undo2} label="Undo" onClick={past.undo} />
              <IconButton icon={Redo2} label="Redo" onClick={past.redo} />
              <Button onClick={() => (isDeleting.value = true)}>Delete</Button>
              <Button href={href(`/apps/${appId}/in-app/new?template=${encodeURIComponent(uid)}`)}>
                Compose a message
              </Button>
              {saveButton()}
            </>
          )
        }
      />
      <div role="alert" class={problem.value === undefined ? 'hidden' : undefined}>
        {problem.value !== undefined && (
          <Note
            tone={isElsewhere.value ? 'warn' : 'bad'}
            title={problem.value}
            actions={
              isElsewhere.value && (
                <>
                  <Button size="small" onClick={() => save(true)}>
                    Save mine as the newest version
                  </Button>
                  <Button
                    size="small"
                    onClick={() => {
                      past.reset(draftOf(template))
                      dropDraft(kept)
                      location.reload()
                    }}
                  >
                    Drop mine and load theirs
                  </Button>
                </>
              )
            }
          />
        )}
      </div>
      <Tabs
        label="Parts of the template"
        items={[
          { name: 'blocks', label: 'Blocks', panel: () => blocks },
          {
            name: 'tags',
            label: 'Tags',
            panel: () => (
              <Beside draft={draft} name={name}>
                <Card
                  title="Tags"
                  about="Placeholders. Each message supplies their values; samples are only shown here."
                >
                  <TagFields draft={draft} change={change} errors={errors.value} isReadOnly={isReadOnly} />
                </Card>
              </Beside>
            ),
          },
          {
            name: 'json',
            label: 'JSON',
            panel: () => (
              <Beside draft={draft} name={name}>
                <Card title="JSON" about="The whole document. What you change here shows at once.">
                  <JsonField
                    label="Document"
                    rows={28}
                    value={draft.content}
                    isOff={isReadOnly}
                    onChange={(content) => isDoc(content) && setDoc(content, 'json')}
                  />
                </Card>
              </Beside>
            ),
          },
          {
            name: 'versions',
            label: 'Versions',
            panel: () => <Versions appId={appId} template={template} restore={isReadOnly ? undefined : store} />,
          },
        ]}
      />
      {!isReadOnly && (
        <AsCommand
          command={command`templates update --app ${appId} ${uid} --file ${`${uid}.json`}`}
          call={{ method: 'PUT', path: `/admin/v1/apps/${appId}/templates/${encodeURIComponent(uid)}`, body: draft }}
        />
      )}
      <div class="editor-bar">
        <Button icon={Eye} onClick={() => (isLooking.value = true)}>
          Preview
        </Button>
        {!isReadOnly && saveButton()}
      </div>
      {isLooking.value && (
        <Dialog title="Preview" onClose={() => (isLooking.value = false)}>
          <Preview draft={draft} name={name} />
        </Dialog>
      )}
      {isDeleting.value && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the template"
          typed={uid}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/templates/{uid}', { path })
            dropDraft(kept)
            toast(`${name} is deleted.`)
            navigate(`/apps/${appId}/templates`)
          }}
          onClose={() => (isDeleting.value = false)}
        >
          <p>All its versions go. Messages that were made from it stay as they are.</p>
        </ConfirmDialog>
      )}
    </div>
  )
}

function Beside({ draft, name, children }: { draft: Draft; name: string; children: ComponentChildren }) {
  return (
    <div class="editor two">
      {children}
      <Preview draft={draft} name={name} />
    </div>
  )
}

/** Tells whether JSON can be drawn as a document. Text that is being typed often cannot. */
function isDoc(value: unknown): value is Doc {
  const { frame } = (value ?? {}) as { frame?: { nodes?: unknown; backgroundLayers?: unknown } }
  const known = (one: unknown) => typeof one === 'object' && one !== null && 'type' in one
  const { nodes, backgroundLayers: layers = [] } = frame ?? {}
  return (
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.every((one) => known(one) && (one as { type: string }).type in BLOCKS) &&
    Array.isArray(layers) &&
    layers.every(known)
  )
}

const blockOf = (place: string): number | undefined => {
  const found = /^content\.frame\.nodes\[(\d+)\]/.exec(place)
  return found ? Number(found[1]) : undefined
}

/** `content.frame.nodes[1].src` -> `Picture 2, src` */
function placeOf(place: string, { content }: Draft): string {
  const at = blockOf(place)
  const block = at === undefined ? undefined : content.frame.nodes[at]
  return block
    ? `${BLOCKS[block.type]} (block ${at! + 1})${place.replace(/^[^\]]*\]\.?/, ', ').replace(/, $/, '')}`
    : place
}

function errorsBelow(errors: Readonly<Record<string, string>>, start: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([place, text]) =>
      place.startsWith(start) ? [[place.slice(start.length), text]] : [],
    ),
  )
}
