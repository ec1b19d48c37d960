import { fulfils } from '../../../core/src/index.ts'
import type { App, Channel } from '../api.ts'
import type { Page } from '../page.ts'
import { make, openRoot, paint } from './elements.ts'
import type { ChannelChoice, Delay, Prompt } from './prompt.ts'

/** The time (ms) for which the words of thanks stay. */
const THANKS_MS = 4000
/** The time (ms) after which a browser that shows no question probably hides it. */
const HIDDEN_MS = 2000

/** Shows the prompts of the console, to people who were not asked yet. */
export function createPrompts(page: Page, { push, channels }: Pick<App, 'push' | 'channels'>): void {
  const shown = new Set<string>()
  let root: ShadowRoot | undefined

  page.onTracked((type, data) => void consider(type, data).catch(() => {}))

  async function consider(type: string, data: Record<string, unknown>): Promise<void> {
    const { prompts = {}, publicKey } = (await page.config()) ?? {}
    if (!publicKey) return
    for (const prompt of Object.values(prompts)) {
      if (!fulfils(prompt.trigger, type, data)) continue
      setTimeout(() => void present(prompt).catch(() => {}), (prompt.trigger.afterSeconds ?? 0) * 1000)
    }
  }

  async function present(prompt: Prompt): Promise<void> {
    const until = (await page.get('declined'))?.[prompt.uuid] ?? 0
    const isBox = prompt.type !== 'bell'
    // One box at a time; a bell is not in its way.
    if (until > Date.now() || shown.has(prompt.uuid) || (isBox && root?.querySelector('dialog'))) return
    if ((await push.state()).state !== 'askable') return
    shown.add(prompt.uuid)
    const listed = prompt.actions?.length ? await channels.list() : []
    root ??= openRoot()
    root.append(isBox ? box(prompt, listed) : bellButton(prompt, listed))
    const dialog = root.querySelector('dialog')
    if (dialog && prompt.backgroundMask) dialog.showModal()
  }

  function bellButton(prompt: Prompt, listed: Channel[]): HTMLElement {
    const label = prompt.labels?.tooltip?.subscribe ?? ''
    const button = make('button', { className: `bell ${prompt.position}`, title: label, ariaLabel: label })
    paint(button, prompt.colors?.bell)
    button.onclick = () => accept(prompt, listed, button, () => {})
    return button
  }

  function box(prompt: Prompt, listed: Channel[]): HTMLElement {
    const { type, position, imageUrl, backgroundMask, uiActions } = prompt
    const words = prompt.labels?.[type] ?? {}
    const inline = prompt.actions?.find((one) => one.type === 'userChannelSelectInline')
    const choice = inline && offer(inline.channels, listed)
    const no = make('button', {}, words.declineAction)
    const yes = make('button', { className: 'yes' }, words.acceptAction)
    const dialog = make(
      'dialog',
      { className: `${type} ${position}`, ariaLabel: words.heading ?? null, open: !backgroundMask },
      make(
        'div',
        {},
        imageUrl && make('img', { src: imageUrl, alt: '' }),
        make('h2', {}, words.heading),
        make('p', {}, words.body),
      ),
      choice?.element,
      make('div', { className: 'actions' }, no, yes),
    )
    paint(dialog, { ...prompt.colors?.[type], mask: backgroundMask?.colors.bg ?? 'transparent' })
    no.onclick = () => {
      dialog.remove()
      void decline(prompt.uuid, uiActions?.decline?.delay)
    }
    yes.onclick = () => accept(prompt, listed, dialog, () => choice?.store())
    dialog.oncancel = () => dialog.remove()
    return dialog
  }

  /** Lets the prompt stay away: for the time after which it may remind, or for ever. */
  async function decline(uuid: string, delay: Delay | undefined): Promise<void> {
    const until = delay ? Date.now() + delay.duration * (delay.timeUnit === 'days' ? 24 : 1) * 3_600_000 : Infinity
    await page.change('declined', (before = {}) => ({ ...before, [uuid]: until }))
  }

  /** Asks, in the click. What was chosen is stored when the person allows pushes. */
  function accept(prompt: Prompt, listed: Channel[], element: HTMLElement, choose: () => unknown): void {
    const asking = push.ask()
    element.remove()
    const over = overlay(prompt)
    void asking.then(async ({ state }) => {
      over()
      if (state !== 'subscribed') return
      await Promise.allSettled([choose(), ...(prompt.actions ?? []).map((action) => act(action, listed))])
      const thanks = make('div', { className: 'thanks', role: 'status' }, prompt.labels?.thanksForSubscribing)
      root!.append(thanks)
      setTimeout(() => thanks.remove(), THANKS_MS)
    })
  }

  function act(action: NonNullable<Prompt['actions']>[number], listed: Channel[]): unknown {
    if (action.type === 'subscribeToChannel') return channels.subscribe(action.channelUuid)
    if (action.type !== 'userChannelSelectDialog') return undefined
    const { labels, colors, position } = action.dialogConfig
    const choice = offer(action.channels, listed)
    const confirm = make('button', { className: 'yes' }, labels.confirmAction)
    const dialog = make(
      'dialog',
      { className: position, ariaLabel: labels.heading ?? null },
      make('h2', {}, labels.heading),
      choice.element,
      confirm,
    )
    paint(dialog, { ...colors, acceptActionFg: colors.confirmActionFg!, acceptActionBg: colors.confirmActionBg! })
    confirm.onclick = () => {
      dialog.remove()
      void choice.store().catch(() => {})
    }
    root!.append(dialog)
    dialog.showModal()
    return undefined
  }

  /** Channels with boxes to tick. */
  function offer({ presentedUuids, checkedUuids }: ChannelChoice, listed: Channel[]) {
    const isIn = (list: string[] | string, uuid: string) => [list].flat().some((one) => one === 'all' || one === uuid)
    const rows = listed
      .filter(({ uuid }) => isIn(presentedUuids, uuid))
      .map(({ uuid, name }) => {
        const input = make('input', { type: 'checkbox', checked: isIn(checkedUuids, uuid) })
        return { uuid, input, label: make('label', {}, input, name ?? uuid) }
      })
    const uuids = (isChecked: boolean) =>
      rows.filter(({ input }) => input.checked === isChecked).map(({ uuid }) => uuid)
    return {
      element: make('div', {}, ...rows.map(({ label }) => label)),
      store: () => Promise.all([channels.subscribe(...uuids(true)), channels.unsubscribe(...uuids(false))]),
    }
  }

  /** Words beside the browser's question; others when it seems to hide it. Returns what takes them away. */
  function overlay({ overlay: usual, silentOverlay }: Prompt): () => void {
    if (!usual) return () => {}
    const words = make('p', {}, usual.labels.body)
    const strip = make(
      'div',
      { className: 'strip' },
      usual.iconUrl && make('img', { src: usual.iconUrl, alt: '' }),
      make('h2', {}, usual.labels.heading),
      words,
      make(
        'div',
        {},
        ...(usual.links ?? []).map(({ label, url }) =>
          make('a', { href: url, target: '_blank', rel: 'noopener' }, label),
        ),
      ),
    )
    const shade = make('div', { className: 'shade', role: 'status' }, strip)
    paint(shade, usual.colors)
    root!.append(shade)
    const timer = setTimeout(() => {
      if (!silentOverlay) return
      words.textContent = silentOverlay.labels.body ?? ''
      paint(words, silentOverlay.colors)
    }, HIDDEN_MS)
    return () => {
      clearTimeout(timer)
      shade.remove()
    }
  }
}
