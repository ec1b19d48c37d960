import { useSignal } from '@preact/signals'
import { Upload } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'
import { Button } from './button.tsx'
import { FieldError } from './field.tsx'
import { Icon } from './icon.tsx'

interface FileDropProps {
  /** "Drop a CSV file here". */
  label: string
  hint?: ComponentChildren
  error?: string | undefined
  /** Types of files, in the syntax of the HTML attribute `accept`: `.csv,text/csv`. */
  accept?: string
  isMany?: boolean
  onFiles(files: readonly File[]): void
}

/** A place to drop files, and a button for everybody else. */
export function FileDrop({ label, hint, error, accept, isMany = false, onFiles }: FileDropProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const isOver = useSignal(false)
  const take = (files: FileList | null | undefined) => {
    const all = [...(files ?? [])]
    if (all.length > 0) onFiles(isMany ? all : all.slice(0, 1))
  }
  return (
    <div class="field">
      <div
        class={`drop ${isOver.value ? 'over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          isOver.value = true
        }}
        onDragLeave={() => (isOver.value = false)}
        onDrop={(event) => {
          event.preventDefault()
          isOver.value = false
          take(event.dataTransfer?.files)
        }}
      >
        <Icon of={Upload} size="large" />
        <label for={id}>
          <strong>{label}</strong>
        </label>
        {hint !== undefined && <p class="field-hint">{hint}</p>}
        <Button onClick={() => input.current?.click()}>Choose {isMany ? 'files' : 'a file'}</Button>
        <input
          ref={input}
          id={id}
          type="file"
          class="hidden"
          tabIndex={-1}
          accept={accept}
          multiple={isMany}
          onChange={(event) => {
            take(event.currentTarget.files)
            event.currentTarget.value = ''
          }}
        />
      </div>
      <FieldError id={id} error={error} />
    </div>
  )
}
