import { useSignal } from '@preact/signals'
import { ArrowDown, ArrowUp, Trash2 } from 'lucide'
import { useRef } from 'preact/hooks'
import { IconButton } from '../../parts/button.tsx'
import { Menu } from '../../parts/overlays.tsx'
import { Badge } from '../../parts/surfaces.tsx'
import type { Warning } from './colors.ts'
import { BLOCKS, type Block, type BlockType, moved, newBlock, titleOf } from './document.ts'

interface BlockListProps {
  blocks: readonly Block[]
  /** The block whose fields are shown; -1: the frame around them. */
  chosen: number
  choose(index: number): void
  change(blocks: Block[]): void
  warnings: readonly Warning[]
  isReadOnly: boolean
}

/** Maximum number of blocks that the interface takes. */
const MOST = 50

/** Moves, removes and adds blocks. The cursor follows the block, and `said` tells screen readers what was done. */
function useBlocks({ blocks, chosen, choose, change }: BlockListProps) {
  const list = useRef<HTMLUListElement>(null)
  const said = useSignal('')
  const focus = (index: number) =>
    requestAnimationFrame(() => list.current?.querySelectorAll<HTMLElement>('.block-name')[index + 1]?.focus())
  const move = (from: number, to: number) => {
    if (to < 0 || to >= blocks.length || from === to) return
    change(moved(blocks, from, to))
    choose(to)
    said.value = `${BLOCKS[blocks[from]!.type]} is now number ${to + 1} of ${blocks.length}.`
    focus(to)
  }
  const remove = (index: number) => {
    change(blocks.filter((_, i) => i !== index))
    choose(Math.min(index, blocks.length - 2))
    said.value = `${BLOCKS[blocks[index]!.type]} is removed.`
    focus(Math.min(index, blocks.length - 2))
  }
  const add = (type: BlockType) => {
    const at = chosen < 0 ? blocks.length : chosen + 1
    change([...blocks.slice(0, at), newBlock(type), ...blocks.slice(at)])
    choose(at)
  }
  return { list, said, move, remove, add }
}

/** Lets people drag the items of a list; `drop` gets the place where an item was and the place where it lands. */
function useDrag(drop: (from: number, to: number) => void) {
  const dragged = useSignal<number | undefined>(undefined)
  const target = useSignal<number | undefined>(undefined)
  const end = () => {
    dragged.value = undefined
    target.value = undefined
  }
  const handlersOf = (index: number, text: string) => ({
    onDragStart(event: DragEvent) {
      dragged.value = index
      event.dataTransfer?.setData('text/plain', text)
    },
    onDragOver(event: DragEvent) {
      if (dragged.peek() === undefined) return
      event.preventDefault()
      target.value = index
    },
    onDragEnd: end,
    onDrop(event: DragEvent) {
      event.preventDefault()
      const from = dragged.peek()
      end()
      if (from !== undefined) drop(from, index)
    },
  })
  return { target, handlersOf }
}

/** The blocks in their order: chosen by click, moved by drag, by buttons, or by Alt and the arrow keys. */
export function BlockList(props: BlockListProps) {
  const { blocks, chosen, choose, warnings, isReadOnly } = props
  const { list, said, move, remove, add } = useBlocks(props)
  const { target, handlersOf } = useDrag(move)
  return (
    <div class="stack tight">
      <ul ref={list} class="blocks" aria-label="Blocks">
        <li class={`block ${chosen === -1 ? 'on' : ''}`}>
          <button type="button" class="block-name" aria-pressed={chosen === -1} onClick={() => choose(-1)}>
            <strong>Frame</strong>
            <span>Shape, background, text</span>
          </button>
        </li>
        {blocks.map((block, i) => (
          <li
            key={i}
            class={`block ${chosen === i ? 'on' : ''} ${target.value === i ? 'target' : ''}`}
            draggable={!isReadOnly}
            {...handlersOf(i, titleOf(block))}
          >
            <button
              type="button"
              class="block-name"
              aria-pressed={chosen === i}
              aria-keyshortcuts={isReadOnly ? undefined : 'Alt+ArrowUp Alt+ArrowDown'}
              onClick={() => choose(i)}
              onKeyDown={(event) => {
                const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                if (!event.altKey || step === undefined || isReadOnly) return
                event.preventDefault()
                move(i, i + step)
              }}
            >
              <strong>{BLOCKS[block.type]}</strong>
              <span>{titleOf(block)}</span>
            </button>
            {warnings.some((one) => one.block === i) && <Badge tone="warn">Check</Badge>}
            {!isReadOnly && chosen === i && (
              <span class="block-tools">
                <IconButton icon={ArrowUp} label="Move up" size="small" onClick={() => move(i, i - 1)} />
                <IconButton icon={ArrowDown} label="Move down" size="small" onClick={() => move(i, i + 1)} />
                {blocks.length > 1 && (
                  <IconButton icon={Trash2} label="Remove" size="small" onClick={() => remove(i)} />
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <span class="hidden" role="status">
        {said.value}
      </span>
      {!isReadOnly && blocks.length < MOST && (
        <Menu
          label="Add a block"
          items={Object.entries(BLOCKS).map(([type, label]) => ({ label, run: () => add(type as BlockType) }))}
        />
      )}
      {!isReadOnly && <p class="field-hint">Drag a block to move it, or press Alt and an arrow key.</p>}
    </div>
  )
}
