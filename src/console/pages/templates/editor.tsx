import { type Signal, useSignal } from '@preact/signals'
import { Eye, Redo2, Undo2 } from 'lucide'
import type { ComponentChildren } from 'preact'
import { api } from '../../api/client.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { JsonField } from '../../parts/json-field.tsx'
import { ConfirmDialog, Dialog, toast } from '../../parts/overlays.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card, Note, PageHead } from '../../parts/surfaces.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { href, navigate } from '../../state/router.ts'
import { BlockFields } from './block-fields.tsx'
import { BlockList } from './block-list.tsx'
import { warningsOf } from './colors.ts'
import { BLOCKS, type Doc, type Draft } from './document.ts'
import { FrameFields } from './frame-fields.tsx'
import { Preview } from './preview.tsx'
import { TagFields } from './tag-fields.tsx'
import { type DraftState, type EditorProps, useDraft } from './use-draft.ts'
import { Versions } from './versions.tsx'

/** The editor of a template: blocks, their fields and the frame of a phone side by side. */
export function Editor(props: EditorProps) {
  const { appId, template } = props
  const { uid, name, version } = template
  const chosen = useSignal(0)
  const isLooking = useSignal(false)
  const state = useDraft(props, chosen)
  const { draft, isReadOnly, isChanged, isBusy, save } = state
  const saveButton = () => (
    <Button tone="primary" isOff={!isChanged} isBusy={isBusy} onClick={() => save()}>
      Save as version {version + 1}
    </Button>
  )
  return (
    <div class="page wide">
      <PageHead
        title={name}
        about={`${uid}, version ${version}${isChanged ? ', with changes that are not saved' : ''}`}
        crumbs={[{ label: 'In-app templates', href: href(`/apps/${appId}/templates`) }]}
        actions={!isReadOnly && <Actions {...props} state={state} saveButton={saveButton()} />}
      />
      <Problem state={state} />
      <Tabs
        label="Parts of the template"
        items={[
          { name: 'blocks', label: 'Blocks', panel: () => <Blocks state={state} name={name} chosen={chosen} /> },
          { name: 'tags', label: 'Tags', panel: () => <Tags state={state} name={name} /> },
          { name: 'json', label: 'JSON', panel: () => <Json state={state} name={name} /> },
          {
            name: 'versions',
            label: 'Versions',
            panel: () => <Versions appId={appId} template={template} restore={isReadOnly ? undefined : state.store} />,
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
    </div>
  )
}

interface ActionsProps extends EditorProps {
  state: DraftState
  saveButton: ComponentChildren
}

/** The buttons of the heading. */
function Actions({ appId, template: { uid, name }, state: { past, forget }, saveButton }: ActionsProps) {
  const isDeleting = useSignal(false)
  return (
    <>
      <IconButton icon={Undo2} label="Undo" onClick={past.undo} />
      <IconButton icon={Redo2} label="Redo" onClick={past.redo} />
      <Button tone="danger" onClick={() => (isDeleting.value = true)}>
        Delete
      </Button>
      <Button href={href(`/apps/${appId}/in-app/new?template=${encodeURIComponent(uid)}`)}>Compose a message</Button>
      {saveButton}
      {isDeleting.value && (
        <ConfirmDialog
          title={`Delete ${name}`}
          action="Delete the template"
          typed={uid}
          run={async () => {
            await api.delete('/admin/v1/apps/{appId}/templates/{uid}', { path: { appId, uid } })
            forget()
            toast(`${name} is deleted.`)
            navigate(`/apps/${appId}/templates`)
          }}
          onClose={() => (isDeleting.value = false)}
        >
          <p>All its versions go. Messages that were created from it stay as they are.</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** The error of saving. When somebody else has saved meanwhile, the person chooses. */
function Problem({ state: { problem, save, giveUp } }: { state: DraftState }) {
  const sentence = problem.sentence.value
  const isElsewhere = problem.isElsewhere.value
  return (
    <div role="alert" class={sentence === undefined ? 'hidden' : undefined}>
      {sentence !== undefined && (
        <Note
          tone={isElsewhere ? 'warn' : 'bad'}
          title={sentence}
          actions={
            isElsewhere && (
              <>
                <Button size="small" onClick={() => save(true)}>
                  Save mine as the newest version
                </Button>
                <Button size="small" onClick={giveUp}>
                  Drop mine and load theirs
                </Button>
              </>
            )
          }
        />
      )}
    </div>
  )
}

interface PanelProps {
  state: DraftState
  name: string
}

/** The blocks, the fields of the one that is chosen, and the preview. */
function Blocks({ state, name, chosen }: PanelProps & { chosen: Signal<number> }) {
  const { draft, isReadOnly, change } = state
  const { content, tags } = draft
  const { nodes } = content.frame
  const errors = state.problem.errors.value
  const warnings = warningsOf(draft)
  const index = Math.min(chosen.value, nodes.length - 1)
  const setDoc = (next: Doc, what: string) => change({ ...draft, content: next }, what)
  const setBlocks = (next: Doc['frame']['nodes'], what = '') =>
    setDoc({ ...content, frame: { ...content.frame, nodes: next } }, what)
  return (
    <div class="editor">
      <Card title="Blocks">
        <BlockList
          blocks={nodes}
          chosen={index}
          choose={(at) => (chosen.value = at)}
          change={setBlocks}
          warnings={warnings}
          isReadOnly={isReadOnly}
        />
      </Card>
      <Card title={index < 0 ? 'Frame' : BLOCKS[nodes[index]!.type]}>
        <fieldset class="form" disabled={isReadOnly} key={index}>
          {warnings
            .filter(({ block }) => block === index)
            .map(({ text }) => (
              <Note key={text} tone="warn" title={text} />
            ))}
          {index < 0 ? (
            <FrameFields doc={content} change={setDoc} tags={tags} errors={errorsBelow(errors, 'content.')} />
          ) : (
            <BlockFields
              block={nodes[index]!}
              tags={tags}
              errors={errorsBelow(errors, `content.frame.nodes[${index}].`)}
              change={(block, what) => setBlocks(nodes.with(index, block), `${index} ${what}`)}
            />
          )}
        </fieldset>
      </Card>
      <Preview draft={draft} name={name} />
    </div>
  )
}

function Tags({ state: { draft, problem, isReadOnly, change }, name }: PanelProps) {
  return (
    <Beside draft={draft} name={name}>
      <Card title="Tags" about="Placeholders. Each message supplies their values; samples are only shown here.">
        <TagFields draft={draft} change={change} errors={problem.errors.value} isReadOnly={isReadOnly} />
      </Card>
    </Beside>
  )
}

function Json({ state: { draft, isReadOnly, change }, name }: PanelProps) {
  return (
    <Beside draft={draft} name={name}>
      <Card title="JSON" about="The whole document. What you change here shows at once.">
        <JsonField
          label="Document"
          rows={28}
          value={draft.content}
          isOff={isReadOnly}
          onChange={(content) => isDoc(content) && change({ ...draft, content }, 'json')}
        />
      </Card>
    </Beside>
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

function errorsBelow(errors: Readonly<Record<string, string>>, start: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(errors).flatMap(([place, text]) =>
      place.startsWith(start) ? [[place.slice(start.length), text]] : [],
    ),
  )
}
