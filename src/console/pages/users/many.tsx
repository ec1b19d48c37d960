import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { api } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { Combobox } from '../../parts/combobox.tsx'
import { TextField } from '../../parts/field.tsx'
import { formatNumber } from '../../parts/numbers.ts'
import { Dialog, toast } from '../../parts/overlays.tsx'
import { Note } from '../../parts/surfaces.tsx'
import { useWork } from '../../parts/use-work.ts'
import { Progress } from '../../parts/values.tsx'
import { handOver } from '../../state/handed.ts'
import { navigate } from '../../state/router.ts'
import { one } from './one-attribute.ts'

/** Something that is done with many users. */
export type Deed = 'subscribe' | 'unsubscribe' | 'attribute' | 'push' | 'erase'

/** Users to act on: those who were chosen, or all who fit a search. */
export interface Chosen {
  userIds: readonly string[] | undefined
  q: string
  /** Their number; null while it is not known. */
  count: number | null
}

interface ManyProps {
  appId: number
  deed: Deed
  chosen: Chosen
  onClose(): void
  onDone(): void
}

const SLICE = 100
/** Users on whom one piece of work acts. More of them are a segment, or a file. */
const MOST = 10_000
/** The same for a push, whose form names them, and for an erasure. */
const MOST_NAMED = 1000

const TITLES = {
  subscribe: 'Subscribe to a channel',
  unsubscribe: 'Unsubscribe from a channel',
  attribute: 'Set an attribute',
  push: 'Send a push to them',
  erase: 'Erase these users',
} as const

/** The user ids, slice by slice. Ends early after `most` of them. */
async function* idsOf(appId: number, { userIds, q }: Chosen, most: number, signal: AbortSignal) {
  if (userIds) {
    const some = userIds.slice(0, most)
    for (let at = 0; at < some.length; at += SLICE) yield some.slice(at, at + SLICE)
    return
  }
  let count = 0
  for (let after: string | undefined, isOver = false; !isOver && count < most; ) {
    const query = { q, limit: Math.min(SLICE, most - count), after }
    const page = await api.get('/admin/v1/apps/{appId}/profiles', { path: { appId }, query, signal })
    count += page.items.length
    yield page.items.map(({ identifier }) => identifier)
    after = page.next ?? undefined
    isOver = after === undefined
  }
}

/** The input of a dialog: the channel, the attribute, or the words that confirm. */
function useInput() {
  const channel = useSignal<{ uuid: string; name: string | null } | undefined>(undefined)
  return { channel, name: useSignal(''), value: useSignal(''), typed: useSignal('') }
}
type Input = ReturnType<typeof useInput>

/** Acts on a slice of users. Returns how many of it could not be changed. */
async function act(appId: number, deed: Deed, input: Input, userIds: readonly string[]): Promise<number> {
  const path = { appId }
  if (deed === 'erase') {
    const [userId = ''] = userIds
    // Browsers take these out of an address: it would be one of the app itself.
    if (/^\.\.?$/.test(userId)) return 1
    await api.delete('/admin/v1/apps/{appId}/users/{userId}', { path: { appId, userId } })
    return 0
  }
  if (deed === 'attribute') {
    const attributes = one(input.name.peek(), input.value.peek())
    const body = { users: userIds.map((userId) => ({ userId, attributes })), knownOnly: true }
    return (await api.post('/admin/v1/apps/{appId}/users/import', { path, body })).refused.length
  }
  const call = deed === 'subscribe' ? api.post : api.delete
  const { errors } = await call('/admin/v1/apps/{appId}/channels/{uuid}/subscriptions', {
    path: { appId, uuid: input.channel.peek()!.uuid },
    body: { userIds: [...userIds] },
  })
  return errors.unknownUserIds?.length ?? 0
}

/** Asks what is wanted, then acts on the users slice by slice, as long as the dialog is open. */
export function Many({ appId, deed, chosen, onClose, onDone }: ManyProps) {
  const input = useInput()
  const done = useSignal(0)
  const failed = useSignal(0)
  const isOver = useSignal(false)
  const stop = useRef(new AbortController())
  useEffect(() => () => stop.current.abort(), [])
  const close = () => {
    // What was done before a stop, or a failure, is to be seen.
    if (!isOver.peek() && done.peek() > 0) {
      toast(`${usersOf(done.peek())} done.`)
      onDone()
    }
    onClose()
  }
  const { isBusy, problem, run } = useWork()
  const { count } = chosen
  const isNamed = deed === 'push' || deed === 'erase'
  const most = isNamed ? MOST_NAMED : MOST
  const phrase = `erase ${count === null ? 'all' : Math.min(count, most)}`
  const go = async () => {
    const { signal } = stop.current
    done.value = 0
    failed.value = 0
    const named: string[] = []
    const work = async (slice: readonly string[]) => {
      if (signal.aborted || slice.length === 0) return
      failed.value += await act(appId, deed, input, slice)
      done.value += slice.length
    }
    for await (const slice of idsOf(appId, chosen, most, signal)) {
      // A search does not go on behind somebody who is erased: who is to go is known first.
      if (isNamed) named.push(...slice)
      else await work(slice)
    }
    if (deed === 'erase') for (const userId of named) await work([userId])
    if (signal.aborted) return
    onDone()
    if (deed !== 'push') isOver.value = true
    else {
      handOver(named)
      navigate(`/apps/${appId}/push/new`)
    }
  }
  const max = count === null ? {} : { max: Math.min(count, most) }
  const failures = failed.value > 0 ? `, ${formatNumber(failed.value)} could not be changed` : ''
  return (
    <Dialog title={TITLES[deed]} onClose={close}>
      <div class="stack">
        {isOver.value ? (
          <Note tone={failures ? 'warn' : 'good'} title={`Done with ${usersOf(done.value)}${failures}.`} />
        ) : (
          <>
            <p>
              For {count === null ? 'all who fit' : usersOf(Math.min(count, most))}.
              {(count === null || count > most) &&
                ` At most ${formatNumber(most)} at once: for more, make a segment or import a file.`}
            </p>
            <Asked appId={appId} deed={deed} input={input} phrase={phrase} />
            {isBusy.value && (
              <Progress label={TITLES[deed]} value={done.value} {...max} text={`${formatNumber(done.value)} done`} />
            )}
          </>
        )}
        <div role="alert">{problem.value !== undefined && <Note tone="bad" title={problem.value} />}</div>
        <div class="dialog-foot">
          <Button onClick={close}>{isOver.value ? 'Close' : isBusy.value ? 'Stop' : 'Cancel'}</Button>
          {!isOver.value && (
            <Button
              tone={deed === 'erase' ? 'danger' : 'primary'}
              isOff={!isReady(deed, input, phrase)}
              isBusy={isBusy.value}
              onClick={() => void run(go)}
            >
              {TITLES[deed]}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

const usersOf = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'user' : 'users'}`

function isReady(deed: Deed, { channel, name, typed }: Input, phrase: string): boolean {
  if (deed === 'erase') return typed.value.trim() === phrase
  return deed === 'push' || (deed === 'attribute' ? name.value.trim() !== '' : channel.value !== undefined)
}

/** The fields that the deed needs. */
function Asked({ appId, deed, input, phrase }: { appId: number; deed: Deed; input: Input; phrase: string }) {
  const { channel, name, value, typed } = input
  if (deed === 'push') return null
  if (deed === 'erase') {
    return (
      <>
        <p>Everything that is stored about them is deleted. This cannot be undone.</p>
        <TextField
          label={`Type ${phrase} to confirm`}
          value={typed.value}
          isMono
          onChange={(text) => (typed.value = text)}
        />
      </>
    )
  }
  if (deed === 'attribute') {
    return (
      <>
        <TextField label="Name" value={name.value} placeholder="plan" onChange={(text) => (name.value = text)} />
        <TextField
          label="Value"
          hint="A number, true or false, or text. Empty removes the attribute."
          value={value.value}
          onChange={(text) => (value.value = text)}
        />
      </>
    )
  }
  const find = async (text: string, signal: AbortSignal) => {
    const query = { limit: 1000 }
    const { channels } = await api.get('/admin/v1/apps/{appId}/channels', { path: { appId }, query, signal })
    const small = text.toLowerCase()
    return channels.filter((found) => `${found.name ?? ''} ${found.uuid}`.toLowerCase().includes(small)).slice(0, 8)
  }
  return (
    <Combobox
      label="Channel"
      find={find}
      keyOf={({ uuid }) => uuid}
      show={(found) => found.name ?? found.uuid}
      textOf={(found) => found.name ?? found.uuid}
      onChoose={(found) => void (channel.value = found)}
    />
  )
}
