import { useSignal } from '@preact/signals'
import { BookmarkPlus, NotepadTextDashed } from 'lucide'
import { useEffect } from 'preact/hooks'
import { api, asked } from '../../api/client.ts'
import { messageOf } from '../../api/errors.ts'
import { usePages } from '../../api/load.ts'
import { TableForm, useTable } from '../../forms/table-form.tsx'
import { Button } from '../../parts/button.tsx'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { command, piped } from '../../parts/shell-words.ts'
import { Note } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { navigate, query } from '../../state/router.ts'
import { type Compose, missing } from '../push/draft.ts'
import { contentOf, NAMES, shownOfTemplate, TEMPLATE, TEMPLATES, withContent } from './content.ts'

interface Props {
  appId: number
  form: Compose
}

/** Buttons that fill the form of a push from a push template, and keep what it says as one. */
export function TemplateButtons({ appId, form }: Props) {
  const open = useSignal<'start' | 'save' | undefined>(undefined)
  const close = () => (open.value = undefined)
  useStart(appId, form)
  return (
    <>
      <Button icon={NotepadTextDashed} tone="bare" onClick={() => (open.value = 'start')}>
        Start from a push template
      </Button>
      <Button icon={BookmarkPlus} tone="bare" onClick={() => (open.value = 'save')}>
        Save as a push template
      </Button>
      {open.value === 'start' && <Start appId={appId} form={form} onClose={close} />}
      {open.value === 'save' && <Save appId={appId} form={form} onClose={close} />}
    </>
  )
}

/** Fills the form with what a push template says; whom it goes to and when stays. Says so when it cannot be read. */
async function fillFrom(appId: number, form: Compose, uid: string): Promise<void> {
  try {
    const template = await api.get(TEMPLATE, { path: { appId, uid } })
    form.set(withContent(form.values.peek(), template))
  } catch (error) {
    toast(messageOf(error))
  }
}

/** Fills the form once from the push template that `?template=ready` names. */
function useStart(appId: number, form: Compose): void {
  const uid = query.value.get('template')
  useEffect(() => {
    if (uid === null) return
    void fillFrom(appId, form, uid).then(() => navigate(`/apps/${appId}/push/new`, { replace: true }))
  }, [uid])
}

function Start({ appId, form, onClose }: Props & { onClose(): void }) {
  const list = usePages(TEMPLATES, { path: { appId }, query: { limit: 50 } }, 'pushTemplates')
  return (
    <Dialog title="Start from a push template" onClose={onClose}>
      <div class="stack">
        <p>What it says takes the place of what you wrote. Whom it goes to and when stays.</p>
        <ListTable
          label="Push templates"
          list={list}
          keyOf={({ uid }) => uid}
          empty={{ icon: NotepadTextDashed, title: 'No push templates yet', about: 'Write a push and save it as one.' }}
          columns={[
            { title: 'Name', cell: ({ name }) => name },
            {
              title: '',
              isTight: true,
              cell: ({ uid, name }) => (
                <Button size="small" onClick={() => fillFrom(appId, form, uid).then(onClose)}>
                  Start from {name}
                </Button>
              ),
            },
          ]}
        />
      </div>
    </Dialog>
  )
}

function Save({ appId, form, onClose }: Props & { onClose(): void }) {
  const draft = form.values.value
  const { 'content.title': title, 'content.message': message } = missing(draft)
  const isWritten = title === undefined && message === undefined
  const content = contentOf(draft)
  const names = useTable(NAMES, {
    first: { name: shownOfTemplate(content).title.slice(0, 255) },
    call: (body) => asked('post', TEMPLATES, { path: { appId }, body: { ...body, ...content } }),
    done({ name }) {
      toast(`${name} is a push template now.`)
      onClose()
    },
  })
  return (
    <Dialog title="Save as a push template" onClose={onClose}>
      {isWritten ? (
        <TableForm
          form={names}
          submitLabel="Save the push template"
          cancel={onClose}
          lead={<p class="quiet">It keeps what the push says, not to whom it goes and when.</p>}
          command={piped(names.call?.body, command`push-templates create --app ${appId} --file -`)}
        />
      ) : (
        <Note title="Write a title and a message first." />
      )}
    </Dialog>
  )
}
