import { CopyButton } from './button.tsx'
import { curlOf, type HttpCall } from './shell-words.ts'
import { More } from './values.tsx'

/** A text to copy: a command, a key, a document. */
export function Code({ text, label = 'Copy', wraps = false }: { text: string; label?: string; wraps?: boolean }) {
  return (
    <div class={`code ${wraps ? 'wrap' : ''}`}>
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

interface AsCommandProps {
  /** The command that does the same; leave it out where there is none. */
  command?: string | undefined
  /** A sentence on more that the command can do, or needs. */
  about?: string
  /** The call that the form makes; leave it out where there is none. */
  call?: HttpCall
}

/** The command and the call that do the same as a form, shown below it. Secrets do not belong here. */
export function AsCommand({ command, about, call }: AsCommandProps) {
  return (
    <div class="as-command">
      {command !== undefined && (
        <More label="As command">
          <Code text={command} label="Copy the command" wraps />
          {about !== undefined && <p class="field-hint">{about}</p>}
        </More>
      )}
      {call !== undefined && (
        <More label="As curl">
          <div class="stack tight">
            <Code text={curlOf(call)} label="Copy the call" wraps />
            <p class="field-hint">APPSVC_TOKEN is a personal token: create one on your account page.</p>
          </div>
        </More>
      )}
    </div>
  )
}

interface JsonProps {
  value: unknown
  label?: string
}

const TOKEN = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g

/** A JSON value, coloured, to read and to copy. */
export function JsonView({ value, label = 'Copy the JSON' }: JsonProps) {
  const text = JSON.stringify(value, null, 2) ?? 'undefined'
  return (
    <div class="code wrap">
      <pre tabIndex={0}>
        <code>{coloured(text)}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  )
}

function coloured(text: string) {
  const parts = []
  let at = 0
  for (const found of text.matchAll(TOKEN)) {
    const [whole, quoted, colon] = found
    parts.push(text.slice(at, found.index))
    const look = quoted === undefined ? 'json-word' : colon === undefined ? 'json-text' : 'json-key'
    parts.push(
      <span key={found.index} class={look}>
        {whole}
      </span>,
    )
    at = found.index + whole.length
  }
  return [...parts, text.slice(at)]
}
