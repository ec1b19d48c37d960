import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { CHANGED, changedError, refuseChanged } from '../../api/changed.ts'
import { api } from '../../api/client.ts'
import { baseOfDraft, dropDraft, keepDraft, readDraft } from '../../api/drafts.ts'
import { ApiError, messageOf } from '../../api/errors.ts'
import { toast } from '../../parts/overlays.tsx'
import { may } from '../../state/session.ts'
import { BLOCKS, type Draft, type Template } from './document.ts'
import { usePast } from './past.ts'

const TEMPLATE = '/admin/v1/apps/{appId}/templates/{uid}'

const draftOf = ({ content, tags, sample }: Draft): Draft => ({ content, tags, sample })
const isSame = (a: Draft, b: Draft) => JSON.stringify(draftOf(a)) === JSON.stringify(draftOf(b))

export interface EditorProps {
  appId: number
  template: Template
  onSaved(template: Template): void
}

export type DraftState = ReturnType<typeof useDraft>

/** The draft of a template: its past, its copy in this browser, its errors, and the ways to save it. `chosen` becomes the block of an error. */
export function useDraft({ appId, template, onSaved }: EditorProps, chosen: Signal<number>) {
  const { uid, version } = template
  const path = { appId, uid }
  const kept = `template-${appId}-${uid}`
  /** The version that this draft was begun from. */
  const begun = useRef(baseOfDraft(kept) ?? String(version))
  const past = usePast<Draft>((readDraft(kept) as Draft | undefined) ?? draftOf(template))
  const problem = useProblem(chosen)
  const isBusy = useSignal(false)
  const draft = past.now.value
  const isReadOnly = !may('campaign', appId)
  const isChanged = !isSame(draft, template)
  useKept(kept, draft, begun, isChanged)
  useUndoKeys(past)

  const change = (next: Draft, what = '') => {
    if (isReadOnly) return
    past.change(next, what)
    problem.clear()
  }
  const store = async (body: Draft) => {
    const saved = await api.put(TEMPLATE, { path, body })
    dropDraft(kept)
    begun.current = String(saved.version)
    past.reset(draftOf(saved))
    onSaved(saved)
    return saved
  }
  /** `isForced`: also over a version that somebody else has saved meanwhile. */
  const save = async (isForced = false) => {
    if (isBusy.peek()) return
    isBusy.value = true
    problem.isElsewhere.value = false
    try {
      if (!isForced && begun.current !== String(version)) throw changedError()
      if (!isForced) await refuseChanged(template, () => api.get(TEMPLATE, { path }))
      const saved = await store(draft)
      toast(`Version ${saved.version} is saved. Messages sent from now on use it.`)
    } catch (error) {
      problem.show(error, draft)
    } finally {
      isBusy.value = false
    }
  }
  /** Drops the draft and loads the template again. */
  const giveUp = () => {
    past.reset(draftOf(template))
    dropDraft(kept)
    location.reload()
  }
  const forget = () => dropDraft(kept)
  return { draft, past, problem, isReadOnly, isChanged, isBusy: isBusy.value, change, store, save, giveUp, forget }
}

/** The last error of saving: a sentence, and the errors of fields by their place. */
function useProblem(chosen: Signal<number>) {
  const errors = useSignal<Readonly<Record<string, string>>>({})
  const sentence = useSignal<string | undefined>(undefined)
  /** True when somebody else has saved a version since this one was opened. */
  const isElsewhere = useSignal(false)
  const clear = () => {
    errors.value = {}
    sentence.value = undefined
  }
  const show = (error: unknown, draft: Draft) => {
    const fields = error instanceof ApiError ? error.fields : {}
    isElsewhere.value = error instanceof ApiError && error.code === CHANGED
    errors.value = { ...fields }
    const places = Object.entries(fields).map(([place, text]) => `${placeOf(place, draft)}: ${text}`)
    sentence.value = places.length > 0 ? places.join(' ') : messageOf(error)
    const block = Object.keys(fields)
      .map(blockOf)
      .find((at) => at !== undefined)
    if (block !== undefined) chosen.value = block
  }
  return { errors, sentence, isElsewhere, clear, show }
}

/** Keeps what is not saved in this browser, and asks before the window is closed over it. */
function useKept(name: string, draft: Draft, base: { current: string }, isChanged: boolean): void {
  useEffect(() => {
    if (isChanged) keepDraft(name, draft, base.current)
    else dropDraft(name)
    const stay = (event: BeforeUnloadEvent) => event.preventDefault()
    if (isChanged) addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [draft, isChanged])
}

/** Undoes with Ctrl+Z, and redoes with Shift. */
function useUndoKeys({ undo, redo }: { undo(): void; redo(): void }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
      event.preventDefault()
      if (event.shiftKey) redo()
      else undo()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
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
