import { useSignal } from '@preact/signals'
import { FileText } from 'lucide'
import { api, call } from '../../api/client.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { useList } from '../../api/load.ts'
import { Button } from '../../parts/button.tsx'
import { AsCommand } from '../../parts/code.tsx'
import { FileDrop } from '../../parts/file-drop.tsx'
import { command } from '../../parts/shell-words.ts'
import { Card } from '../../parts/surfaces.tsx'
import { ListTable } from '../../parts/table.tsx'
import { formatBytes, Num, Progress, Time } from '../../parts/values.tsx'
import { may } from '../../state/session.ts'
import { ImportProgress, StateBadge } from './import-progress.tsx'
import type { Channel, Import } from './names.ts'

interface FilesProps {
  appId: number
  channel: Channel
  /** A file is through: there are more members. */
  onApplied(): void
}

/** Files of subscribers: bring one, watch it, and see what became of earlier ones. */
export function Files({ appId, channel, onApplied }: FilesProps) {
  const { uuid } = channel
  const sending = useSignal<File | undefined>(undefined)
  const problem = useSignal<string | undefined>(undefined)
  const open = useSignal<string | undefined>(undefined)
  const list = useList<Import>(
    async (after, signal) => {
      const query = { after }
      const page = await api.get('/admin/v1/apps/{appId}/channels/{uuid}/imports', {
        path: { appId, uuid },
        query,
        signal,
      })
      return { items: page.imports, next: page.next }
    },
    [appId, uuid],
  )
  const send = async (file: File) => {
    if (sending.peek()) return
    sending.value = file
    problem.value = undefined
    try {
      const body = new FormData()
      body.append('file', file.type === '' ? new File([file], file.name, { type: 'text/csv' }) : file)
      const path = { appId, uuid }
      const answer = (await call('post', '/admin/v1/apps/{appId}/channels/{uuid}/subscribers-file', {
        path,
        body,
      })) as {
        import: Import
      }
      open.value = answer.import.id
      list.reload()
    } catch (error) {
      problem.value = refusal(file.name, error)
    } finally {
      sending.value = undefined
    }
  }
  return (
    <div class="stack">
      {may('campaign', appId) && (
        <Card
          title="Subscribe the users in a file"
          about="A CSV file with one user identifier a line and no header: up to a million lines and 50 MB."
        >
          <div class="stack">
            {sending.value ? (
              <Progress label={`Uploading ${sending.value.name}`} text={formatBytes(sending.value.size)} />
            ) : (
              <FileDrop
                label="Drop a CSV file here"
                accept=".csv,text/csv"
                error={problem.value}
                onFiles={([file]) => void send(file!)}
              />
            )}
            <AsCommand
              command={command`channels import --app ${appId} ${uuid} subscribers.csv`}
              call={{
                method: 'POST',
                path: `/admin/v1/apps/${appId}/channels/${encodeURIComponent(uuid)}/subscribers-file`,
                file: 'subscribers.csv',
              }}
            />
          </div>
        </Card>
      )}
      {open.value !== undefined && (
        <ImportProgress
          key={open.value}
          appId={appId}
          uuid={uuid}
          id={open.value}
          onDone={() => {
            list.reload()
            onApplied()
          }}
        />
      )}
      <Card title="Imports so far" isFlush>
        <ListTable
          label="Imports so far"
          list={list}
          keyOf={({ id }) => id}
          empty={{
            icon: FileText,
            title: 'No files yet',
            about: 'What became of a file is kept for 90 days, unless your server is set up otherwise.',
          }}
          columns={[
            { title: 'Uploaded', cell: ({ createdAt }) => <Time at={createdAt} /> },
            { title: 'State', cell: ({ state }) => <StateBadge state={state} /> },
            { title: 'Lines', cell: ({ lines }) => <Num value={lines} />, isNumeric: true },
            { title: 'Subscribed', cell: ({ applied }) => <Num value={applied} />, isNumeric: true },
            { title: 'Not known', cell: ({ unknown }) => <Num value={unknown} />, isNumeric: true },
            {
              title: '',
              isTight: true,
              cell: ({ id, createdAt }) => (
                <Button size="small" onClick={() => (open.value = id)}>
                  Show <span class="hidden">the file of {createdAt}</span>
                </Button>
              ),
            },
          ]}
        />
      </Card>
    </div>
  )
}

/** The reason why a file was refused. A refused file applies nothing. */
function refusal(name: string, error: unknown): string {
  const reason = error instanceof ApiError ? error.fields['file'] : undefined
  return reason === undefined ? messageOf(error) : `Nobody was subscribed, because ${name} cannot be used: ${reason}.`
}
